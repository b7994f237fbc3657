//! An ordinary user: what may not be touched is said, what may is measured.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Ended, ended_of};
use crate::skip;

/// A user that is not root and owns nothing.
const NOBODY: u32 = 65_534;

/// A place that anybody may enter, with the program in it: home directories are closed to others.
struct Public {
    dir: tempfile::TempDir,
}

impl Public {
    fn new() -> Public {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_bakeoff"), dir.path().join("bakeoff")).unwrap();
        Public { dir }
    }

    fn dir(&self, name: &str, owner: u32, mode: u32) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        chown(&path, Some(owner), Some(owner)).unwrap();
        path
    }

    /// bakeoff as nobody in `here`, whose data goes to `data`.
    fn bakeoff(&self, here: &Path, data: &Path, args: &[&str]) -> Ended {
        let id = NOBODY.to_string();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]);
        command.arg(self.dir.path().join("bakeoff")).args(args);
        command.current_dir(here).env("XDG_DATA_HOME", data).env("HOME", "/nonexistent");
        ended_of(&mut command)
    }
}

#[test]
fn what_an_ordinary_user_may_not_touch() {
    if skip::lacks_root() || skip::lacks_command("setpriv") {
        return;
    }
    let public = Public::new();
    let (own, data) = (public.dir("own", NOBODY, 0o700), public.dir("data", NOBODY, 0o700));
    let closed = public.dir("closed", 0, 0o700);
    fs::create_dir(closed.join("inside")).unwrap();
    let readable = public.dir("readable", 0, 0o755);
    let secret = readable.join("secret");
    fs::write(&secret, "mine").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_string();
    let (inside, readable, secret) = (text(&closed.join("inside")), text(&readable), text(&secret));
    let mends = "Use a directory that you own, or run bakeoff with sudo";
    for (args, code, words) in [
        (&["quick", &inside][..], 4, ["no permission to enter", mends]),
        (&["quick", &text(&closed)], 4, ["cannot write to", mends]),
        (&["quick", &readable], 4, ["cannot write to", mends]),
        (&["bench", &readable], 4, ["Permission denied", "sudo"]),
        (&["bench", &secret, "--bs", "1"], 4, ["permission denied", "sudo"]),
        (&["bench", &secret, "--rw", "write", "--bs", "1", "--overwrite"], 4, ["denied", "sudo"]),
    ] {
        let ended = public.bakeoff(&own, &data, args);
        assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{args:?}: {ended:?}");
        assert!(words.iter().all(|word| ended.err.contains(word)), "{args:?}: {ended:?}");
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "mine");
    assert_eq!(fs::read_dir(&readable).unwrap().count(), 1);
    // No place for the store either.
    let ended = public.bakeoff(&own, Path::new(&readable), &["quick", "."]);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.err.contains("no permission to use the store"), "{ended:?}");
    assert!(ended.err.contains("--store PATH"), "{ended:?}");
    assert_eq!(fs::read_dir(&own).unwrap().count(), 0);
}

#[test]
fn demo_without_root_says_why_and_measures_the_current_directory() {
    if skip::lacks_root() || skip::lacks_command("setpriv") {
        return;
    }
    let public = Public::new();
    let (own, data) = (public.dir("own", NOBODY, 0o700), public.dir("data", NOBODY, 0o700));
    let args = ["demo", "--workload", "randwrite", "--time", "3m"];
    let ended = public.bakeoff(&own, &data, &args);
    assert_eq!(ended.code, 0, "{ended:?}");
    for word in ["needs root", "sudo bakeoff demo", "bakeoff quick ."] {
        assert!(ended.err.contains(word), "{word}: {ended:?}");
    }
    assert!(ended.out.contains(&own.display().to_string()), "{ended:?}");
    assert!(ended.out.contains("Random writes"), "{ended:?}");
    assert_eq!(fs::read_dir(&own).unwrap().count(), 0);

    // The store is the user's own and in colour only for a terminal that wants it.
    let shown = public.bakeoff(&own, &data, &["show", "last", "--format", "json"]).json();
    assert_eq!(shown["verb"], "quick");
    assert!(shown["blocks"].as_u64().unwrap() >= 3, "{shown}");
    if skip::lacks_command("script") {
        return;
    }
    let on_a_terminal = |no_color: &str| {
        let program = public.dir.path().join("bakeoff");
        let command = format!("{} show last", program.display());
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).env("NO_COLOR", no_color);
        ended_of(script.env("XDG_DATA_HOME", &data).env("TERM", "xterm-256color")).out
    };
    assert!(on_a_terminal("").contains("\u{1b}["), "no colour on a terminal");
    let plain = on_a_terminal("1");
    assert!(plain.contains("Report: ") && !plain.contains('\u{1b}'), "{plain:?}");
}
