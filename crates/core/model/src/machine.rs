//! By what a record tells one machine from others.

use super::host::Host;

/// What a record has of a machine that no update changes. A list of boards needs no more of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Machine {
    pub hostname: String,
    pub board_id: Option<String>,
    pub model: Option<String>,
    pub cpu: Option<String>,
    pub cpus: u32,
    pub arch: String,
    /// The role of a server that sent the record, which the server vouches for. Everything else is
    /// what the record claims. `None` for a record of a local store.
    pub role: Option<String>,
}

impl Machine {
    pub fn from_host(host: &Host) -> Machine {
        Machine {
            hostname: host.hostname.clone(),
            board_id: host.board_id.clone(),
            model: host.model.clone(),
            cpu: host.cpu.clone(),
            cpus: host.cpus,
            arch: host.arch.clone(),
            role: None,
        }
    }

    /// The same without its id: what is left where a record has none.
    pub fn without_id(&self) -> Machine {
        Machine { board_id: None, ..self.clone() }
    }
}
