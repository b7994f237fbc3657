//! The tables `[[workload]]` of a file that has others beside them: applications.

use serde::de::DeserializeOwned;
use toml::de::DeTable;

use super::error::PlanError;
use super::from_tables;
use super::read::Source;
use bakeoff_model::workload::Workload;

/// What a file of applications has: its workloads, and the rest of it.
pub struct BesideTables<T> {
    pub workloads: Vec<Workload>,
    pub rest: T,
}

/// Reads a file. `name` is what errors call it; `others` are its other tables, which serde reads.
///
/// # Errors
/// The first mistake, with its place.
pub fn beside_tables<T: DeserializeOwned>(
    text: &str,
    name: &str,
    others: &'static str,
) -> Result<BesideTables<T>, PlanError> {
    let source = Source { plan: name, text };
    let told = |error: &toml::de::Error| {
        let what = bakeoff_model::path::printable(error.message().as_bytes());
        match error.span() {
            Some(span) => source.error(span, what),
            None => source.whole(what),
        }
    };
    if text.len() > super::TEXT_MAX_BYTES {
        return Err(source.whole("the file is larger than 1 MiB"));
    }
    let document = DeTable::parse(text).map_err(|error| told(&error))?;
    let fields = source.fields(document.get_ref(), "the file", &["workload", others])?;
    let workloads = fields.iter().find(|field| field.key == "workload");
    let workloads = workloads.map(from_tables::workloads).transpose()?.unwrap_or_default();
    let rest = toml::from_str(text).map_err(|error| told(&error))?;
    Ok(BesideTables { workloads, rest })
}
