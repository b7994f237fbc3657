//! What a guest starts from: the kernel, and an initramfs of Debian's packages with the program.
//!
//! bsdtar packs it, and kmod tells which modules a module needs. All of it is unpacked into the
//! guest's memory, so documentation and modules that no test loads stay out.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::board::Board;
use super::{kernel, packages};
use crate::tool;

const INIT: &str = include_str!("init.sh");

/// Users and groups that udev's rules name.
const GROUPS: &str = "root:x:0:\ntty:x:5:\ndisk:x:6:\nlp:x:7:\ndialout:x:20:\nvideo:x:44:\n\
    audio:x:29:\ncdrom:x:24:\ntape:x:26:\nkmem:x:15:\ninput:x:104:\nsgx:x:105:\nkvm:x:106:\n\
    render:x:107:\nnobody:x:65534:\n";
const USERS: &str = "root:x:0:0:root:/root:/bb/sh\nnobody:x:65534:65534::/:/bin/false\n";

/// What of the packages a guest does without; modules are chosen one by one, and a test brings the
/// units that its systemd has.
const LEFT_OUT: [&str; 12] = [
    "./boot",
    "./etc/systemd",
    "./lib/modules",
    "./lib/systemd/system",
    "./lib/systemd/system-*",
    "./lib/udev/hwdb.d",
    "./usr/lib/*/gconv",
    "./usr/lib/*/libicu*",
    "./usr/lib/*/libperl*",
    "./usr/lib/*/perl*",
    "./usr/lib/linux-image-*",
    "./usr/share",
];

/// Files of a kernel and its archive.
#[derive(Clone, Debug)]
pub struct Image {
    /// The kernel.
    pub kernel: PathBuf,
    /// The archive.
    pub archive: PathBuf,
    /// The device tree.
    pub device_tree: Option<PathBuf>,
}

/// Makes the image of a board with the program and other files in it. Packages are fetched once;
/// the archive is written anew, which takes a second.
pub fn make(
    folder: &Path,
    board: &Board,
    program: &Path,
    files: &[(String, PathBuf)],
) -> Result<Image> {
    let of_board = folder.join(board.name);
    let root = packages::unpack(&of_board, board.architecture, board.packages)?;
    let (version, kernel) = find_kernel(&root)?;
    let kernel = match board.architecture {
        "amd64" => kernel::unwrapped(&kernel, &of_board)?,
        _ => kernel,
    };
    let added = of_board.join("added");
    tool::renew(&added)?;
    let init = INIT.replace("@PORT@", board.port).replace("@MODULES@", board.loaded);
    tool::write(&added.join("init"), init)?;
    std::fs::set_permissions(added.join("init"), Permissions::from_mode(0o755))?;
    tool::write(&added.join("etc/passwd"), USERS)?;
    tool::write(&added.join("etc/group"), GROUPS)?;
    tool::copy(program, &added.join("usr/bin/bakeoff"))?;
    for (there, here) in files {
        tool::copy(here, &added.join(there))?;
    }
    for module in modules(&root, &version, board)? {
        tool::copy(&root.join(&module), &added.join(&module))?;
    }
    tool::run(kmod("depmod").arg("-b").arg(&added).arg(&version))?;
    // The kernel unpacks one archive after the other, the later one over the earlier.
    let archive = folder.join(format!("{}.cpio", board.name));
    let file = File::create(&archive).with_context(|| format!("writing {}", archive.display()))?;
    pack(&root, &LEFT_OUT, file.try_clone()?)?;
    pack(&added, &[], file)?;
    let device_tree = board.device_tree.map(|name| find_device_tree(&root, &version, name));
    Ok(Image { kernel, archive, device_tree: device_tree.transpose()? })
}

/// Appends a folder to an archive as the kernel reads it (cpio, "newc").
fn pack(folder: &Path, left_out: &[&str], archive: File) -> Result<()> {
    let mut pack = Command::new("bsdtar");
    pack.args(["--create", "--format=newc", "--uid=0", "--gid=0", "--file=-"]);
    pack.args(left_out.iter().map(|path| format!("--exclude={path}")));
    pack.arg("--directory").arg(folder).arg(".").stdout(archive);
    tool::run(&mut pack).context("bsdtar is in Debian's libarchive-tools")
}

/// The kernel: its version and where its image is.
fn find_kernel(root: &Path) -> Result<(String, PathBuf)> {
    for entry in std::fs::read_dir(root.join("boot"))? {
        let entry = entry?;
        if let Some(version) = entry.file_name().to_string_lossy().strip_prefix("vmlinuz-") {
            return Ok((version.to_owned(), entry.path()));
        }
    }
    bail!("no kernel in {}", root.join("boot").display())
}

/// Debian has them in folders of their makers on some architectures.
fn find_device_tree(root: &Path, version: &str, name: &str) -> Result<PathBuf> {
    let folder = root.join(format!("usr/lib/linux-image-{version}"));
    let paths = [folder.join("broadcom").join(name), folder.join(name)];
    paths.into_iter().find(|path| path.exists()).with_context(|| format!("no {name}"))
}

/// Paths of the modules of a board, of those they depend on, and of the lists that depmod reads.
fn modules(root: &Path, version: &str, board: &Board) -> Result<Vec<String>> {
    let folder = format!("lib/modules/{version}");
    if !root.join(&folder).join("modules.dep").exists() {
        tool::run(kmod("depmod").arg("-b").arg(root).arg(version))?;
    }
    let mut show = kmod("modprobe");
    show.arg("--dirname").arg(root).args(["--set-version", version, "--config=/dev/null"]);
    show.args(["--all", "--show-depends"]);
    show.args(board.modules.split_whitespace().chain(board.loaded.split_whitespace()));
    let shown = tool::output(&mut show)?;
    // `insmod PATH`, or `builtin NAME`.
    let insmods = shown.lines().filter_map(|line| line.strip_prefix("insmod "));
    let below =
        |path: &str| Path::new(path.trim()).strip_prefix(root).ok()?.to_str().map(str::to_owned);
    let lists = ["modules.builtin", "modules.builtin.modinfo", "modules.order"];
    let lists = lists.map(|name| format!("{folder}/{name}"));
    Ok(insmods.filter_map(below).chain(lists).collect())
}

/// A program of Debian's kmod; those for administrators are not on everybody's PATH.
fn kmod(program: &str) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    command
}
