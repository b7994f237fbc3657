//! Boards that push their runs to a real server over TLS, with a password from a vault.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::server::Server;
use super::site::{LABEL, Played, Site};
use crate::tool;

/// A password with everything that a password file has to escape.
const PASSWORD: &str = r"sesame:7f3a\9";
/// Who pushes.
const BOARDS: [&str; 2] = ["ordinary", "second"];
/// Variable of the environment with the file of certificates to trust.
const TRUSTED: &str = "PGSSLROOTCERT";

/// The whole way, and what a wrong password does.
pub fn pushed(site: &mut Site) -> Result<()> {
    let server = Server::start(&site.bakeoff(&["fleet", "schema"])?)?;
    for (role, group) in [("boards", "bakeoff_writer"), ("ada", "bakeoff_reader")] {
        let role = format!("CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}' IN ROLE {group}");
        server.sql("bakeoff", &role)?;
    }
    let vault = Vault::new(site)?;
    let wrong = vault.play(site, &server, &[("bakeoff_server_password", "wrong".into())])?;
    wrong.fails_only(&BOARDS)?;
    let typed = format!("postgresql://boards:{PASSWORD}@192.0.2.1/bakeoff");
    let typed = vault.play(site, &server, &[("bakeoff_server", typed.into())])?;
    typed.fails_only(&BOARDS)?;
    ensure!(server.sql("bakeoff", "SELECT count(*) FROM bakeoff.runs")?.trim() == "0");

    let first = vault.play(site, &server, &[])?;
    let second = vault.play(site, &server, &[])?;
    for (played, is_first) in [(&first, true), (&second, false)] {
        played.fails_only(&[])?;
        for name in BOARDS {
            ensure!((played.recap(name)?.changed > 0) == is_first, "{name}: {}", played.said);
        }
    }
    for played in [&wrong, &first, &second] {
        ensure!(!played.said.contains(PASSWORD), "the password was printed: {}", played.said);
    }
    let kept = "grep -r -l -F sesame /tmp /var/tmp /root /var/lib/bakeoff || test $? -eq 1; ls -d \
                /var/lib/bakeoff/pgpass-* || true";
    for name in BOARDS {
        let kept = site.host(name)?.shell(kept)?;
        ensure!(kept.trim().is_empty(), "{name} keeps the password in {kept}");
    }
    let stored =
        server.sql("bakeoff", "SELECT count(*), min(owner), max(owner) FROM bakeoff.runs")?;
    ensure!(stored.trim() == "2|boards|boards", "{stored}");
    read_back(site, &server)
}

/// What the server answers is what came as bundles.
fn read_back(site: &Site, server: &Server) -> Result<()> {
    let certificate = server.certificate().display().to_string();
    let environment = [(TRUSTED, certificate.as_str()), ("PGPASSWORD", PASSWORD)];
    let listed = site.bakeoff_in(
        &environment,
        &["runs", "--label", LABEL, "--format", "json", "--store", &server.address("ada")],
    )?;
    let (there, here) = (serde_json::from_str(&listed)?, site.json(&["runs", "--label", LABEL])?);
    let ids = |listed: &Value| -> Vec<String> {
        let runs = listed["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
        runs.iter().map(|run| run["run"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let (there, here) = (ids(&there), ids(&here));
    ensure!(there.len() == BOARDS.len() && there.iter().all(|id| here.contains(id)), "{listed}");
    Ok(())
}

/// The password, as Ansible keeps it.
struct Vault {
    secrets: String,
    key: String,
}

impl Vault {
    fn new(site: &Site) -> Result<Vault> {
        let at = |name: &str| site.folder.join(name).display().to_string();
        let vault = Vault { secrets: at("secrets.json"), key: at("vault_key") };
        std::fs::write(&vault.key, "of the tests\n")?;
        let secrets = json!({"bakeoff_server_password": PASSWORD});
        std::fs::write(&vault.secrets, secrets.to_string())?;
        let mut encrypt = site.tools.command("ansible-vault");
        encrypt.args(["encrypt", "--vault-password-file", &vault.key, &vault.secrets]);
        tool::run(&mut encrypt)?;
        let encrypted = std::fs::read_to_string(Path::new(&vault.secrets))?;
        ensure!(!encrypted.contains("sesame"), "not encrypted: {encrypted}");
        Ok(vault)
    }

    /// Collects from the boards with these variables besides, and prints everything Ansible may.
    fn play(&self, site: &Site, server: &Server, own: &[(&str, Value)]) -> Result<Played> {
        let mut variables = json!({
            "bakeoff_server": server.address("boards"),
            "bakeoff_server_certificate": server.certificate(),
        });
        for (name, value) in own {
            variables[*name] = value.clone();
        }
        let (secrets, variables) = (format!("@{}", self.secrets), variables.to_string());
        site.play(
            "bakeoff",
            &[
                &["--limit", &BOARDS.join(","), "--tags", "collect", "-vvv"][..],
                &["--vault-password-file", &self.key],
                &["--extra-vars", &secrets, "--extra-vars", &variables],
            ]
            .concat(),
        )
    }
}
