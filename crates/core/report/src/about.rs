//! What a bug report needs of the program, for `bakeoff --version --verbose`.

use serde::{Deserialize, Serialize};

use super::document::Document;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// `bakeoff/about/1`.
    pub schema: String,
    pub version: String,
    pub target: String,
    pub is_static: bool,
    pub is_optimised: bool,
    pub has_charts: bool,
    /// Release and version of the running kernel, as `uname -rv` prints them.
    pub kernel: String,
    pub tables: TableSizes,
    pub store: StoreFacts,
}

/// How many entries the tables have that are part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSizes {
    pub rules: usize,
    pub filesystems: usize,
    pub applications: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreFacts {
    pub path: String,
    pub layout: i64,
    /// Runs in it; `None` where there is no store yet, or it cannot be read.
    pub runs: Option<u32>,
    pub size_bytes: Option<u64>,
    pub error: Option<String>,
}

pub fn about_document(about: &About) -> Document {
    let linking = if about.is_static { "static" } else { "with shared libraries" };
    let build = if about.is_optimised { "release" } else { "development" };
    let charts = if about.has_charts { "with charts" } else { "without charts" };
    let TableSizes { rules, filesystems, applications } = about.tables;
    let tables = format!("{rules} rules, {filesystems} filesystems, {applications} applications");
    let mut out = Document::default();
    out.headline(format!("bakeoff {}", about.version));
    out.rows([
        ("target", format!("{}, {linking}", about.target)),
        ("build", format!("{build}, {charts}")),
        ("kernel", about.kernel.clone()),
        ("tables", tables),
        ("store", store_words(&about.store)),
    ]);
    out
}

fn store_words(store: &StoreFacts) -> String {
    let StoreFacts { path, layout, runs, size_bytes, error } = store;
    match (error, runs) {
        (Some(error), _) => error.clone(),
        (None, None) => format!("{path} (layout {layout}; does not exist yet)"),
        (None, Some(runs)) => {
            let size = units::size(size_bytes.unwrap_or(0));
            format!("{path} (layout {layout}, {}, {size})", phrases::count(*runs, "run"))
        }
    }
}

pub fn about_json(about: &About) -> String {
    // The view holds only what JSON can say, so this cannot fail.
    serde_json::to_string_pretty(about).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(store: StoreFacts) -> About {
        About {
            schema: "bakeoff/about/1".into(),
            version: "0.1.0".into(),
            target: "aarch64-unknown-linux-musl".into(),
            is_static: true,
            is_optimised: true,
            has_charts: true,
            kernel: "6.12.47+rpt-rpi-v8 #1 SMP PREEMPT".into(),
            tables: TableSizes { rules: 50, filesystems: 20, applications: 30 },
            store,
        }
    }

    #[test]
    fn names_everything_a_bug_report_needs() {
        let store = StoreFacts {
            path: "/home/ada/.local/share/bakeoff/bakeoff.db".into(),
            layout: 1,
            runs: Some(1),
            size_bytes: Some(3 << 20),
            error: None,
        };
        insta::assert_snapshot!(about_document(&about(store)).text(80, false));
    }

    #[test]
    fn a_store_that_is_absent_or_unreadable_is_said() {
        let absent = StoreFacts { path: "/s.db".into(), layout: 1, ..StoreFacts::default() };
        let text = about_document(&about(absent.clone())).text(80, false);
        assert!(text.contains("/s.db (layout 1; does not exist yet)"), "{text}");
        let error = Some("the store /s.db has layout 99".to_string());
        let text = about_document(&about(StoreFacts { error, ..absent })).text(80, false);
        assert!(text.contains("layout 99"), "{text}");
    }
}
