//! By what a workload is executed: bakeoff's own engine, or an installed tool.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// One way to execute a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum DriverName {
    #[default]
    Native,
    Fio,
    Sysbench,
    Bonnie,
    Iozone,
    Dd,
}

impl DriverName {
    pub const ALL: &'static [DriverName] = <DriverName as VariantArray>::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn is_native(&self) -> bool {
        *self == DriverName::Native
    }
}
