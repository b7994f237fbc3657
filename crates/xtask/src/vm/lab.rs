//! The test lab: makes what the guests start from, once a run of the tests, and gives machines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use super::board::Board;
use super::disk::Disk;
use super::image::{self, Image};
use super::machine::Machine;
use crate::dist::{self, Profile};
use crate::tool;

/// Which program is tested.
pub enum Program {
    /// Static, quick to build and checked; built for the purpose.
    Built,
    /// This one on the PC, and on other boards one that is built.
    OnPc(PathBuf),
    /// What was built for people.
    Released,
    /// This one, whatever the board.
    This(PathBuf),
}

/// Makes the machines of the tests.
pub struct TestLab {
    root: PathBuf,
    program: Program,
    /// What the guests have beside it: path there, and here.
    files: Vec<(String, PathBuf)>,
    images: Mutex<BTreeMap<&'static str, Image>>,
}

impl TestLab {
    /// A lab for the repository at `root`.
    pub fn new(root: &Path, program: Program) -> TestLab {
        TestLab { root: root.to_path_buf(), program, files: Vec::new(), images: Mutex::default() }
    }

    /// The same, whose guests have one more file: path there (without a leading slash), and here.
    pub fn with_file(mut self, there: &str, here: &Path) -> TestLab {
        self.files.push((there.to_owned(), here.to_path_buf()));
        self
    }

    /// A machine with empty disks; whatever a machine of that name held before is gone.
    pub fn machine(&self, board: &'static Board, name: &str, disks: &[Disk]) -> Result<Machine> {
        let image = self.image(board)?;
        let folder = tool::target().join("vm/machines").join(name);
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
            Program::This(program) => program.clone(),
            Program::Released => dist::released(board.binary)?,
            _ => self.build(board)?,
        };
        let image = image::make(&tool::target().join("vm"), board, &program, &self.files)
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
