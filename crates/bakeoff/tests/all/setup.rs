//! `--install` with a package manager that only writes down how it was called.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::skip;

/// A PATH with one package manager, dnf, and nothing else, beside the system's own directories.
struct Fake {
    dir: TempDir,
}

impl Fake {
    /// What the manager does with its arguments is `script`; `$CALLS` is a file of its calls.
    fn new(script: &str) -> Fake {
        let fake = Fake { dir: TempDir::new().unwrap() };
        let calls = fake.calls_file();
        let text = format!(
            "#!/bin/sh\nCALLS='{}'\nBIN='{}'\necho \"dnf $*\" >>\"$CALLS\"\n{script}\n",
            calls.display(),
            fake.dir.path().display()
        );
        let path = fake.dir.path().join("dnf");
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        fake
    }

    fn calls_file(&self) -> PathBuf {
        self.dir.path().join("calls")
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.calls_file()).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// A plan whose one program no machine has in its system directories.
    fn plan(&self) -> PathBuf {
        let path = self.dir.path().join("plan.toml");
        let text = "title = \"t\"\n[[stack]]\nfs = \"ext4\"\n[[workload]]\nrw = \"randread\"\n\
                    driver = \"fio\"\n";
        fs::write(&path, text).unwrap();
        path
    }
}

fn text(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(all).unwrap()
}

/// Whether one of the system's own directories has fio, or not root or sudo: nothing to install.
fn cannot_install() -> bool {
    let has = ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        .iter()
        .any(|dir| Path::new(dir).join("fio").exists());
    if has {
        skip::skip("a system without fio in sbin", "fio is installed where programs always are");
    }
    has || skip::lacks_root()
}

#[test]
fn a_run_installs_what_its_plan_lacks_only_when_asked_to() {
    if cannot_install() {
        return;
    }
    let fake =
        Fake::new("case \"$*\" in *fio*) : >\"$BIN/fio\"; /bin/chmod +x \"$BIN/fio\";; esac");
    let image = fake.dir.path().join("disk.img");
    fs::File::create(&image).unwrap().set_len(2 << 30).unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        command.arg("--store").arg(fake.dir.path().join("s.db")).arg("run").arg(fake.plan());
        command.arg("--target").arg(&image).args(args).env("PATH", fake.dir.path());
        text(&command.output().unwrap())
    };
    let said = run(&[]);
    assert!(fake.calls().is_empty(), "{said}");
    let said = run(&["--install"]);
    assert_eq!(fake.calls().len(), 1, "{said}");
    assert!(fake.calls()[0].contains(" fio") && said.contains("$ dnf"), "{said}");
}

#[test]
fn one_package_that_cannot_be_had_keeps_none_of_the_others_away() {
    if cannot_install() {
        return;
    }
    let script = "case \"$*\" in *cryptsetup*) exit 1;; *fio*) : >\"$BIN/fio\"; /bin/chmod +x \
                  \"$BIN/fio\";; esac";
    let fake = Fake::new(script);
    fs::write(
        fake.dir.path().join("both.toml"),
        "title = \"t\"\n[[stack]]\nfs = \"ext4\"\ncrypt = { cipher = \"aes-xts-plain64\", key_bits \
         = 512 }\n[[workload]]\nrw = \"randread\"\ndriver = \"fio\"\n",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("plan").arg(fake.dir.path().join("both.toml")).arg("--install");
    let store = fake.dir.path().join("s.db");
    let done = command.arg("--store").arg(store).env("PATH", fake.dir.path()).output().unwrap();
    let said = text(&done);
    assert!(fake.dir.path().join("fio").exists(), "{said}");
}
