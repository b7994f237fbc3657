//! The hosts of the tests, their inventory, and playbooks over them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::host::{self, Host};
use super::machine::Machine;
use super::release::{self, Programs};
use super::tools::Tools;
use crate::tool;

/// How long a playbook may take.
const LIMIT: Duration = Duration::from_mins(40);
/// Label of the runs.
pub const LABEL: &str = "cards";
/// What is measured: little, since no test looks at a figure.
pub const PLAN: &str = r#"title = "Which filesystem for this card?"
[region]
size = "512m"
[[stack]]
fs = "ext4"
[[stack]]
fs = "ext2"
[[workload]]
name = "randwrite"
[protocol]
mode = "quick"
time = "40s"
"#;

/// Everything there is.
pub struct Site {
    /// Ansible.
    pub tools: Tools,
    /// The program under test.
    pub program: PathBuf,
    /// The hosts, all in the inventory.
    pub hosts: Vec<Host>,
    /// The emulated machines, in the inventory as well.
    pub machines: Vec<Machine>,
    /// Variables of one host each, which differ from those of all.
    pub variables: BTreeMap<&'static str, Value>,
    /// Where everything is.
    pub folder: PathBuf,
}

/// What a playbook did on a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recap {
    /// Tasks that changed something.
    pub changed: u32,
    /// 1 if the host was lost.
    pub unreachable: u32,
    /// Tasks that failed.
    pub failed: u32,
}

/// A playbook that ended.
pub struct Played {
    /// What it printed.
    pub said: String,
    /// By host.
    pub recaps: BTreeMap<String, Recap>,
}

/// A playbook that runs.
pub struct Playing {
    child: Child,
    log: PathBuf,
}

impl Site {
    /// A new site in a folder that is emptied, with hosts that do not run yet, and without emulated
    /// machines.
    pub fn new(
        tools: Tools,
        programs: &Programs,
        names: &[&'static str],
        plan: &str,
    ) -> Result<Site> {
        let folder = tools.folder.join("hosts");
        tool::renew(&folder)?;
        tool::renew(&tools.folder.join("home"))?;
        host::network(&folder)?;
        let mut hosts = Vec::new();
        for (number, name) in (11..).zip(names) {
            hosts.push(Host::new(&folder, name, number)?);
        }
        std::fs::write(folder.join("plan.toml"), plan)?;
        release::make(&folder.join("release"), programs)?;
        let program = programs[std::env::consts::ARCH].clone();
        let (machines, variables) = (Vec::new(), BTreeMap::new());
        Ok(Site { tools, program, hosts, machines, variables, folder })
    }

    /// The host of that name.
    pub fn host(&mut self, name: &str) -> Result<&mut Host> {
        let found = self.hosts.iter_mut().find(|host| host.name == name);
        found.with_context(|| format!("no host {name}"))
    }

    /// Changes the variables of one host.
    pub fn set(&mut self, name: &'static str, variables: Value) {
        self.variables.insert(name, variables);
    }

    /// The folder with the files of the release.
    pub fn release(&self) -> PathBuf {
        self.folder.join("release")
    }

    fn inventory(&self) -> Value {
        let hosts = self.hosts.iter().map(|host| (host.name, host.variables()));
        let machines = self.machines.iter().map(|machine| (machine.name, machine.variables()));
        let with_own = |(name, mut variables): (&str, Value)| {
            if let Some(Value::Object(own)) = self.variables.get(name) {
                for (key, value) in own {
                    variables[key] = value.clone();
                }
            }
            (name.to_owned(), variables)
        };
        let hosts: serde_json::Map<String, Value> = hosts.chain(machines).map(with_own).collect();
        json!({"boards": {"hosts": hosts, "vars": {
            "ansible_user": "root",
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_ssh_private_key_file": self.folder.join("key"),
            "ansible_ssh_common_args": host::ssh(host::CONNECT_S),
            "bakeoff_source": self.release(),
            // As people write paths: from where they start the playbook.
            "bakeoff_plan": "plan.toml",
            "bakeoff_label": LABEL,
            "bakeoff_bundles": "bundles",
            "bakeoff_local_program": self.program,
            "bakeoff_tools": false,
            // Other work on this machine is none of the tests' business.
            "bakeoff_check_stops": false,
            "bakeoff_poll_s": 2,
        }}})
    }

    /// Starts a playbook of the collection.
    pub fn begin(&self, playbook: &str, words: &[&str]) -> Result<Playing> {
        let inventory = self.folder.join("inventory.json");
        std::fs::write(&inventory, serde_json::to_vec(&self.inventory())?)?;
        let log = self.folder.join("playbook.log");
        let file = std::fs::File::create(&log)?;
        let mut play = self.tools.command("ansible-playbook");
        play.arg("--inventory").arg(&inventory).args(["--forks", "10"]);
        play.arg(format!("bakeoff.bakeoff.{playbook}")).args(words);
        // The path of a socket may have no more than 107 bytes.
        play.current_dir(&self.folder);
        play.env("ANSIBLE_SSH_CONTROL_PATH_DIR", "/tmp/bakeoff-fleet");
        play.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        Ok(Playing { child: play.spawn().context("cannot run ansible-playbook")?, log })
    }

    /// Runs a playbook of the collection to its end.
    pub fn play(&self, playbook: &str, words: &[&str]) -> Result<Played> {
        self.begin(playbook, words)?.end()
    }

    /// Runs the program under test on the controller, and returns what it printed.
    pub fn bakeoff(&self, words: &[&str]) -> Result<String> {
        self.bakeoff_in(&[], words)
    }

    /// The same as JSON.
    pub fn json(&self, words: &[&str]) -> Result<Value> {
        let printed = self.bakeoff(&[words, &["--format", "json"]].concat())?;
        serde_json::from_str(&printed).with_context(|| format!("{words:?}: {printed}"))
    }

    /// The same as text with more variables in its environment.
    pub fn bakeoff_in(&self, environment: &[(&str, &str)], words: &[&str]) -> Result<String> {
        let home = self.tools.folder.join("home");
        let mut bakeoff = Command::new(&self.program);
        bakeoff.args(words).env("HOME", home).env_remove("XDG_DATA_HOME");
        bakeoff.envs(environment.iter().copied());
        tool::answer(&mut bakeoff)
    }
}

impl Playing {
    /// What it printed so far.
    pub fn said(&self) -> Result<String> {
        Ok(std::fs::read_to_string(&self.log)?)
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits for its end.
    pub fn end(mut self) -> Result<Played> {
        let since = Instant::now();
        while !self.has_ended()? {
            if since.elapsed() > LIMIT {
                self.child.kill()?;
                self.child.wait()?;
                bail!("the playbook did not end:\n{}", self.said()?);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let said = self.said()?;
        let recaps = recaps(&said);
        ensure!(!recaps.is_empty(), "no recap in\n{said}");
        Ok(Played { said, recaps })
    }
}

impl Played {
    /// What it did on a host.
    pub fn recap(&self, name: &str) -> Result<Recap> {
        let found = self.recaps.get(name).copied();
        found.with_context(|| format!("no recap of {name} in\n{}", self.said))
    }

    /// Fails unless these hosts, and no others, have failed or were lost.
    pub fn fails_only(&self, names: &[&str]) -> Result<()> {
        for (name, recap) in &self.recaps {
            let is_lost = recap.failed + recap.unreachable > 0;
            let is_expected = names.contains(&name.as_str());
            ensure!(is_lost == is_expected, "{name}: {recap:?}\n{}", self.said);
        }
        Ok(())
    }

    /// Fails unless it printed this, wherever lines are broken.
    pub fn says(&self, words: &str) -> Result<()> {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        ensure!(plain(&self.said).contains(words), "no '{words}' in\n{}", self.said);
        Ok(())
    }
}

/// The lines after PLAY RECAP: `pi-1 : ok=5 changed=0 unreachable=0 failed=0 …`.
fn recaps(said: &str) -> BTreeMap<String, Recap> {
    let Some((_, lines)) = said.rsplit_once("PLAY RECAP") else { return BTreeMap::new() };
    let recap = |line: &str| {
        let (name, counts) = line.split_once(':')?;
        let count = |key: &str| {
            let word = counts.split_whitespace().find_map(|word| word.strip_prefix(key))?;
            word.strip_prefix('=')?.parse().ok()
        };
        let (changed, unreachable) = (count("changed")?, count("unreachable")?);
        Some((name.trim().to_owned(), Recap { changed, unreachable, failed: count("failed")? }))
    };
    lines.lines().filter_map(recap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recap_has_a_line_for_each_host() {
        let said = "PLAY RECAP ****\npi-1   : ok=5 changed=2 unreachable=0 failed=0 skipped=1\n\
                    pi-2 : ok=1    changed=0    unreachable=1    failed=0\n\n";
        let found = recaps(said);
        assert_eq!(found["pi-1"], Recap { changed: 2, ..Recap::default() });
        assert_eq!(found["pi-2"], Recap { unreachable: 1, ..Recap::default() });
        assert!(recaps("ERROR: no inventory").is_empty());
    }
}
