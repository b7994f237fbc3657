//! Files of /proc, /sys and udev as no kernel would write them: each parser takes what it knows and
//! leaves the rest.

#![no_main]

use bakeoff_machine::sysinfo;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The first byte chooses the parser, so that each has a corpus of its own.
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    match choice % 27 {
        26 => drop(sysinfo::acl::parse(bytes)),
        0 => drop(sysinfo::mountinfo::parse(bytes).iter().map(|m| m.all_options()).max()),
        1 => drop(sysinfo::swaps::parse(bytes)),
        2 => drop(sysinfo::process_stat::parse(bytes)),
        3 => drop(sysinfo::vpd::serial(bytes)),
        4 => drop(sysinfo::escape::octal(bytes)),
        5 => drop(sysinfo::escape::hexadecimal(bytes)),
        6 => drop(sysinfo::block_stat::parse(&text)),
        7 => drop(sysinfo::block_stat::parse_diskstats(&text)),
        8 => drop(sysinfo::cpu_list::count(&text)),
        9 => drop(sysinfo::cpuinfo::parse(&text)),
        10 => drop(sysinfo::fdinfo::mount_id(&text)),
        11 => drop(sysinfo::filesystems::has_module(&text, "ext4")),
        12 => drop(sysinfo::meminfo::parse(&text)),
        13 => drop(sysinfo::mmc_ios::parse(&text)),
        14 => drop(sysinfo::os_release::pretty_name(&text)),
        15 => {
            sysinfo::process_io::parse(&text);
            sysinfo::process_io::kept(&text);
            sysinfo::cgroup::owner(&text);
        }
        16 => drop(sysinfo::scheduler::parse(&text)),
        17 => {
            let udev = sysinfo::udev::parse(&text);
            drop((udev.by_id().map(str::len), udev.decoded("ID_SERIAL")));
        }
        18 => drop(sysinfo::table_id::table_id("gpt", bytes)),
        19 => drop(sysinfo::sd_status::parse(&text)),
        20 => drop(sysinfo::smartctl::parse(&text)),
        22 => drop(sysinfo::usb_descriptors::offers_uas(bytes)),
        23 => drop(sysinfo::power::pmic(&text)),
        _ => drop(sysinfo::vmstat::parse(&text)),
    }
});
