//! What a guest starts from: the kernel, and an archive with tools, modules and the program.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::archive::Archive;
use super::board::Board;
use super::tree::Tree;
use super::{kernel, packages};

const INIT: &str = include_str!("init.sh");

/// Users and groups that udev's rules name.
const GROUPS: &str = "root:x:0:\ntty:x:5:\ndisk:x:6:\nlp:x:7:\ndialout:x:20:\nvideo:x:44:\n\
    audio:x:29:\ncdrom:x:24:\ntape:x:26:\nkmem:x:15:\ninput:x:104:\nsgx:x:105:\nkvm:x:106:\n\
    render:x:107:\nnobody:x:65534:\n";
const USERS: &str = "root:x:0:0:root:/root:/bb/sh\nnobody:x:65534:65534::/:/bin/false\n";

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
    let root = packages::unpack(&folder.join(board.name), board.architecture, board.packages)?;
    let tree = Tree::open(&root)?;
    let (version, kernel) = tree.kernel()?;
    let kernel = kernel::unwrapped(&kernel, &folder.join(board.name))?;
    let path = folder.join(format!("{}.cpio", board.name));
    let file = File::create(&path).with_context(|| format!("writing {}", path.display()))?;
    let mut archive = Archive::new(BufWriter::with_capacity(1 << 20, file));
    let init = INIT.replace("@PORT@", board.port).replace("@MODULES@", &board.loaded.join(" "));
    archive.file("init", 0o755, init.as_bytes())?;
    archive.file("etc/passwd", 0o644, USERS.as_bytes())?;
    archive.file("etc/group", 0o644, GROUPS.as_bytes())?;
    for program in board.programs {
        tree.add_program(&mut archive, program)?;
    }
    for folder in board.folders {
        tree.add_folder(&mut archive, folder)?;
    }
    let modules = [board.modules, board.loaded].concat();
    tree.add_modules(&mut archive, &version, &modules)?;
    let content =
        std::fs::read(program).with_context(|| format!("reading {}", program.display()))?;
    archive.file("usr/bin/bakeoff", 0o755, &content)?;
    tree.add_needed(&mut archive, program)?;
    for (there, here) in files {
        let content = std::fs::read(here).with_context(|| format!("reading {}", here.display()))?;
        archive.file(there, 0o644, &content)?;
    }
    archive.finish()?;
    let device_tree = match board.device_tree {
        Some(name) => Some(find_device_tree(&tree, &version, name)?),
        None => None,
    };
    Ok(Image { kernel, archive: path, device_tree })
}

/// Debian has them in folders of their makers on some architectures.
fn find_device_tree(tree: &Tree, version: &str, name: &str) -> Result<PathBuf> {
    let folder = format!("usr/lib/linux-image-{version}");
    tree.path(&format!("{folder}/broadcom/{name}"))
        .or_else(|_| tree.path(&format!("{folder}/{name}")))
}
