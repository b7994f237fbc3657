//! The test bed: makes what the guests start from, once a run of the tests, and gives machines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use super::board::Board;
use super::disk::Disk;
use super::image::{self, Image};
use super::machine::Machine;
use crate::dist::{self, Profile};

/// Which program is tested.
pub enum Program {
    /// Static, quick to build and checked; built for the purpose.
    Built,
    /// This one on the PC, and on other boards one that is built.
    OnPc(PathBuf),
    /// What was built for people.
    Released,
}

/// The bed.
pub struct Bed {
    root: PathBuf,
    program: Program,
    images: Mutex<BTreeMap<&'static str, Image>>,
}

impl Bed {
    /// A bed for the repository at `root`.
    pub fn new(root: &Path, program: Program) -> Bed {
        Bed { root: root.to_path_buf(), program, images: Mutex::default() }
    }

    /// A machine with empty disks; whatever a machine of that name held before is gone.
    pub fn machine(&self, board: &'static Board, name: &str, disks: &[Disk]) -> Result<Machine> {
        let image = self.image(board)?;
        let folder = self.root.join("target/vm/machines").join(name);
        disks.iter().try_fold(Machine::new(board, &image, &folder)?, |machine, disk| {
            machine.disk(disk.clone())
        })
    }

    fn image(&self, board: &'static Board) -> Result<Image> {
        let mut images = match self.images.lock() {
            Ok(images) => images,
            Err(_) => bail!("a test that made an image panicked"),
        };
        if let Some(image) = images.get(board.name) {
            return Ok(image.clone());
        }
        let program = match &self.program {
            Program::OnPc(program) if board.binary == std::env::consts::ARCH => program.clone(),
            Program::Released => dist::released(&self.root, board.binary)?,
            _ => self.build(board)?,
        };
        let image = image::make(&self.root.join("target/vm"), board, &program)
            .with_context(|| format!("no image for {}", board.name))?;
        images.insert(board.name, image.clone());
        Ok(image)
    }

    fn build(&self, board: &Board) -> Result<PathBuf> {
        let machine = dist::MACHINES.iter().find(|machine| machine.name == board.binary);
        let machine = machine.with_context(|| format!("no machine {}", board.binary))?;
        dist::build(&self.root, machine, Profile::Test)
    }
}
