//! What a page states beside its numbers: the sidecar of a result table.
//!
//! TOML, one `[[fact]]` after the other; docs/import.md lists the keys. `says` is the statement in
//! words, and becomes the evidence of findings that rest on it.

use serde::Deserialize;
use thiserror::Error;

/// Most facts of one sidecar.
const FACTS_LIMIT: usize = 1000;
const KEYS: &str = "asks background bytes_per_cell cache cause claims command disk_bytes \
    drive_cache_bytes kernel last layout lazy_init link_bytes_per_s media memory_bytes monitor \
    order place preconditioning raw recording repeats significance slots state swap sweep sync \
    system_disk unpinned unstated winner";

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    pub key: String,
    pub value: String,
    /// A part of the name of the device it holds for; all devices where it is left out.
    #[serde(default)]
    pub device: String,
    #[serde(default)]
    pub candidate: String,
    #[serde(default)]
    pub test: String,
    pub says: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// In the order of the file.
    #[serde(default)]
    pub fact: Vec<Fact>,
}

/// A sidecar that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FactsError {
    #[error("the facts are not TOML with [[fact]] entries: {0}")]
    Toml(String),
    #[error("no rule uses a fact '{0}'; docs/import.md lists the keys")]
    Key(String),
    #[error("over {FACTS_LIMIT} facts")]
    Many,
}

/// What a page has of the figures behind its results: the fact `raw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawData {
    Pictures,
    Rounded,
    Lost,
    NotStated,
    /// Anything else is data: `csv`, `text`, an address.
    Published,
}

impl RawData {
    pub fn parse(value: &str) -> RawData {
        match value {
            "pictures" | "pictures only" => RawData::Pictures,
            "rounded" => RawData::Rounded,
            "lost" => RawData::Lost,
            "not stated" | "none" => RawData::NotStated,
            _ => RawData::Published,
        }
    }

    /// Whether nobody can check the results.
    pub fn is_none_left(self) -> bool {
        self != RawData::Published
    }
}

/// What a conclusion is about: the fact `claims`, or what a metric measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Throughput,
    Operations,
    /// Time of an operation.
    Latency,
    Cpu,
}

impl Quantity {
    /// The quantity of a claim or of a metric (`random_seeks.cpu`), by its words.
    pub fn from_name(name: &str) -> Option<Quantity> {
        let own = name.rsplit('.').next()?.to_ascii_lowercase();
        own.split(['_', ' ', '-']).find_map(|word| match word {
            "throughput" | "speed" | "bandwidth" => Some(Quantity::Throughput),
            "rate" | "iops" | "seeks" | "requests" => Some(Quantity::Operations),
            "latency" => Some(Quantity::Latency),
            "cpu" => Some(Quantity::Cpu),
            _ => None,
        })
    }

    /// Whether a figure of `other` shows it: operations have a size, so they are a throughput too.
    pub fn is_shown_by(self, other: Quantity) -> bool {
        self == other || (self, other) == (Quantity::Throughput, Quantity::Operations)
    }
}

impl Facts {
    pub fn parse(text: &str) -> Result<Facts, FactsError> {
        let facts: Facts =
            toml::from_str(text).map_err(|e| FactsError::Toml(e.message().to_string()))?;
        if facts.fact.len() > FACTS_LIMIT {
            return Err(FactsError::Many);
        }
        let is_known = |key: &str| KEYS.split_whitespace().any(|known| known == key);
        match facts.fact.iter().find(|fact| !is_known(&fact.key)) {
            Some(fact) => Err(FactsError::Key(fact.key.clone())),
            None => Ok(facts),
        }
    }

    pub fn all<'f>(&'f self, key: &'f str) -> impl Iterator<Item = &'f Fact> {
        self.fact.iter().filter(move |fact| fact.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&Fact> {
        self.fact.iter().find(|fact| fact.key == key)
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.value.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether a device is of that medium: `hdd`, `flash`.
    pub fn is_media(&self, device: &str, media: &str) -> bool {
        self.all("media").any(|fact| fact.value == media && device.contains(&fact.device))
    }
}
