//! Writes the man pages and the completions of the command line into a folder, below `man1`,
//! `bash`, `zsh` and `fish`: what `make install` puts beside the program, from the definitions
//! that parse. usage: `cargo run --example command_line FOLDER`

use std::error::Error;
use std::path::Path;
use std::{env, fs, io};

use clap::Command;
use clap_complete::Shell;

/// Each shell with the name of the folder for its file.
const SHELLS: [(Shell, &str); 3] =
    [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os().nth(1).ok_or("usage: command_line FOLDER")?;
    Ok(write(Path::new(&folder))?)
}

/// Writes all of it below a folder, which is made where it is missing.
pub fn write(folder: &Path) -> io::Result<()> {
    for (shell, name) in SHELLS {
        let folder = folder.join(name);
        fs::create_dir_all(&folder)?;
        clap_complete::generate_to(shell, &mut bakeoff::command(), "bakeoff", folder)?;
    }
    let pages = folder.join("man1");
    fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(with_files(bakeoff::command()), pages)
}

/// What a manual tells and `--help` does not: where things are and what exit codes mean.
fn with_files(command: Command) -> Command {
    command.after_long_help(
        "Runs are kept in $XDG_DATA_HOME/bakeoff/bakeoff.db, where that is unset in \
         ~/.local/share/bakeoff.\n\n\
         Exit codes: 0 done; 1 a question was not answered, or something was found; 2 wrong \
         words on the command line or in a plan; 3 refused for safety; 4 something is missing on \
         this machine; 70 a bug; 130 interrupted. The worst one wins.",
    )
}
