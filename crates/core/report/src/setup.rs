//! What `bakeoff self setup` reports: the programs that are missing, the command that installs
//! them, and the filesystems that the kernel cannot mount. JSON is schema `bakeoff/setup/1`,
//! documented in docs/format.md.

use serde_json::{Value, json};

use super::document::Document;
use bakeoff_machine::setup::lacking::NoDriver;
use bakeoff_machine::setup::{Privilege, Program, Setup};
use bakeoff_stats::phrases;

pub fn setup_document(setup: &Setup) -> Document {
    let mut out = Document::default();
    let missing: Vec<&Program> = setup.missing().collect();
    let used = phrases::count(setup.programs.len(), "program");
    let first = match missing.len() as u32 {
        0 => format!("Nothing to install: all {used} of {} are installed.", setup.uses.what),
        n => format!(
            "{} of the {used} that {} uses {} missing:",
            n,
            setup.uses.what,
            if n == 1 { "is" } else { "are" }
        ),
    };
    out.paragraph(phrases::capital(&first));
    out.rows(missing.iter().map(|program| {
        let package = match (program.package, setup.manager) {
            (Some(package), _) => format!("package {package}"),
            (None, Some(_)) => "no package in this distribution".to_string(),
            (None, None) => "package unknown".to_string(),
        };
        (program.tool.program, format!("{} ({package})", program.tool.why))
    }));
    for (of, names) in NoDriver::together(&setup.no_driver) {
        out.paragraph(format!(
            "Not in this kernel ({}): {}. {}.",
            of.kernel,
            phrases::list(&names),
            of.remedy
        ));
    }
    how(setup, &mut out);
    out
}

fn how(setup: &Setup, out: &mut Document) {
    let packages = setup.packages();
    if setup.manager.is_none() && setup.missing().next().is_some() {
        return out.paragraph(
            "bakeoff found no supported package manager (apt, dnf, pacman, apk, zypper). Install \
             the programs with the package manager of this system.",
        );
    }
    if packages.is_empty() {
        return;
    }
    out.paragraph(match setup.privilege {
        Privilege::None => "Install them as root:",
        Privilege::Root | Privilege::Through(_) => "Install them with:",
    });
    let commands: Vec<String> = setup.commands(&packages).iter().map(|c| c.join(" ")).collect();
    out.command(commands.join(" && "));
}

pub fn setup_json(setup: &Setup) -> String {
    let program = |program: &Program| {
        json!({
            "program": program.tool.program,
            "package": program.package,
            "why": program.tool.why,
            "installed": program.is_installed,
        })
    };
    let value: Value = json!({
        "schema": "bakeoff/setup/1",
        "of": setup.uses.what,
        "complete": setup.is_complete(),
        "manager": setup.manager.map(|manager| manager.program()),
        "programs": setup.programs.iter().map(program).collect::<Vec<_>>(),
        "kernel": setup.no_driver.iter().map(|none| json!({
            "filesystem": none.fs,
            "why": none.to_string(),
        })).collect::<Vec<_>>(),
        "commands": setup.commands(&setup.packages()),
    });
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::setup::kernels::{Kernel, remedy};
    use bakeoff_machine::setup::manager::Manager;
    use bakeoff_machine::setup::{Here, Uses, look};

    fn shown(installed: bool, manager: Option<Manager>, privilege: Privilege) -> Setup {
        let is_installed = |program: &str| installed || program == "mkfs.ext4";
        let release = "6.18.44";
        let kernel = |fs: &str| match fs {
            "f2fs" | "vfat" | "exfat" => Err(NoDriver {
                fs: fs.to_string(),
                kernel: release.to_string(),
                remedy: remedy(fs, Kernel { release, has_modules: true, distribution: &[] }),
            }),
            _ => Ok(()),
        };
        let here = Here { is_installed: &is_installed, kernel: &kernel, manager, privilege };
        look(Uses::demo(), &here)
    }

    #[test]
    fn names_each_program_its_package_and_the_command() {
        let setup = shown(false, Some(Manager::Dnf), Privilege::Through("sudo"));
        let text = setup_document(&setup).text(80, false);
        insta::assert_snapshot!(text);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn nothing_is_installed_where_nothing_is_missing() {
        let text =
            setup_document(&shown(true, Some(Manager::Apt), Privilege::Root)).text(80, false);
        assert!(text.starts_with("Nothing to install: all 7 programs of the demo"), "{text}");
        assert!(!text.contains("apt-get"), "{text}");
    }

    #[test]
    fn without_a_manager_or_root_the_words_say_who_installs() {
        let text =
            setup_document(&shown(false, Some(Manager::Pacman), Privilege::None)).text(80, false);
        assert!(text.contains("Install them as root:\n  pacman --sync"), "{text}");
        let text = setup_document(&shown(false, None, Privilege::Root)).text(80, false);
        assert!(
            text.contains("package unknown") && text.contains("found no supported package"),
            "{text}"
        );
    }

    #[test]
    fn every_key_is_documented() {
        let doc = include_str!("../../../../docs/format.md");
        let setup = shown(false, Some(Manager::Apt), Privilege::Root);
        let value: Value = serde_json::from_str(&setup_json(&setup)).unwrap();
        for key in value.as_object().unwrap().keys() {
            assert!(doc.contains(&format!("`{key}`")), "docs/format.md lacks {key}");
        }
        assert_eq!(value["commands"][0][1], "update");
    }
}
