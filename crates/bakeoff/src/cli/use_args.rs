//! How filesystems are used before they are measured: `--fill 80% --age used`.

use bakeoff_model::use_state::{Age, MOST_PERCENT};

use super::parse_name;

#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct UseArgs {
    /// Fill each filesystem this far before it is measured, such as 80%
    /// (default: that of the plan, or empty)
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub fill: Option<u8>,
    /// How files came there: fresh (added only) or used (also grown, overwritten and deleted)
    #[arg(long, value_parser = parse_name::<Age>)]
    pub age: Option<Age>,
}

fn parse_percent(text: &str) -> Result<u8, String> {
    let percent = text.trim().trim_end_matches('%').trim_end().parse::<u8>().ok();
    percent
        .filter(|percent| *percent <= MOST_PERCENT)
        .ok_or_else(|| format!("must be a percentage between 0% and {MOST_PERCENT}%, such as 80%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_read_with_its_sign_and_without() {
        assert_eq!((parse_percent("80%"), parse_percent("20 %")), (Ok(80), Ok(20)));
        assert_eq!(parse_percent("0"), Ok(0));
        assert!(parse_percent("95%").unwrap_err().contains("90%"));
        assert!(parse_percent("-1").is_err() && parse_percent("half").is_err());
    }
}
