//! Any bytes at all, and text made of the pieces real files are made of, go through every parser.

use proptest::prelude::*;

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 30] = [
        "36 35 98:0 ",
        "/mnt\\040x ",
        " - ",
        "ext4",
        "rw,",
        "\n",
        " ",
        "\t",
        ":",
        "=",
        "(",
        ")",
        "\\",
        "\\x2",
        "S:disk/by-id/",
        "E:ID_SERIAL=",
        "18446744073709551615",
        "-1",
        " kB",
        "MemTotal:",
        "nr_dirtied ",
        "mnt_id:\t",
        "processor : ",
        "PRETTY_NAME=\"",
        "[none]",
        "timing spec:",
        "alias fs-",
        ".ko",
        "0-",
        "read_bytes: ",
    ];
    let word = prop_oneof![
        3 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_parser_panics(bytes in pieces()) {
        let text = String::from_utf8_lossy(&bytes);
        super::mountinfo::parse(&bytes);
        super::swaps::parse(&bytes);
        super::process_stat::parse(&bytes);
        super::vpd::serial(&bytes);
        super::escape::octal(&bytes);
        super::escape::hexadecimal(&bytes);
        super::block_stat::parse(&text);
        super::block_stat::parse_diskstats(&text);
        super::cpu_list::count(&text);
        super::cpuinfo::parse(&text);
        super::fdinfo::mount_id(&text);
        super::filesystems::has_module(&text, "ext4");
        super::filesystems::is_registered(&text, "ext4");
        super::meminfo::parse(&text);
        super::mmc_ios::parse(&text);
        super::os_release::pretty_name(&text);
        super::process_io::parse(&text);
        super::process_io::kept(&text);
        super::cgroup::owner(&text);
        super::scheduler::parse(&text);
        super::udev::parse(&text).by_id();
        super::udev::parse(&text).decoded("ID_SERIAL");
        super::vmstat::parse(&text);
        super::mdstat::busy(&text);
        super::sd_status::parse(&text);
        super::smartctl::parse(&text).ok();
        super::usb_descriptors::offers_uas(&bytes);
        bakeoff_model::health::of_emmc(&text, &text);
    }

    #[test]
    fn a_mount_line_comes_back_whatever_its_names(
        point in prop::collection::vec(any::<u8>(), 1..30),
        source in prop::collection::vec(any::<u8>(), 0..30),
    ) {
        let escape = |bytes: &[u8]| -> Vec<u8> {
            let one = |b: &u8| match b {
                b' ' | b'\t' | b'\n' | b'\\' | b'#' => format!("\\{b:03o}").into_bytes(),
                other => vec![*other],
            };
            bytes.iter().flat_map(one).collect()
        };
        let middle = b" rw shared:1 - ext4 ";
        let line =
            [&b"36 35 8:1 / "[..], &escape(&point), middle, &escape(&source), b" rw\n"].concat();
        let mounts = super::mountinfo::parse(&line);
        prop_assert_eq!(mounts.len(), 1);
        prop_assert_eq!(&mounts[0].mount_point, &bakeoff_model::path::bytes_path(point));
        prop_assert_eq!(&mounts[0].source, &bakeoff_model::path::bytes_path(source));
        prop_assert_eq!(&mounts[0].super_options, &["rw"]);
    }
}
