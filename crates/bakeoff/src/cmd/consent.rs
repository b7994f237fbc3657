//! The erase token of every target: given with `--erase`, or typed when asked. Nothing else is a
//! consent, and a token of another drive is no slip to ask about.

use std::io::{BufRead, IsTerminal, Write};

use bakeoff_model::path::printable;

use crate::fault::Fault;
use crate::steps::target::Target;

pub fn to_erase(targets: &[&Target], given: &[String]) -> Result<(), Fault> {
    let missing: Vec<&Target> =
        targets.iter().copied().filter(|t| !t.is_consented(given)).collect();
    if let (Some(target), false) = (missing.first(), given.is_empty()) {
        let typed: Vec<String> = given.iter().map(|t| printable(t.as_bytes())).collect();
        return Err(Fault::refused(format!(
            "{} is not the erase token of {} (current contents: {}). Show the token with `bakeoff \
             plan … --target …` or `bakeoff devices`",
            typed.join(", "),
            target.path,
            target.contents_lines().join("; ")
        )));
    }
    let can_ask = can_ask();
    for target in &missing {
        if !can_ask {
            let words: Vec<String> = missing.iter().map(|t| t.consent_words()).collect();
            return Err(Fault::refused(format!(
                "bakeoff never erases unasked. {}: {}. To erase it, add {}",
                target.describe(),
                target.contents_lines().join("; "),
                words.join(" ")
            )));
        }
        ask(target)?;
    }
    Ok(())
}

pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn ask(target: &Target) -> Result<(), Fault> {
    let mut err = std::io::stderr();
    // A terminal that cannot be written to cannot have been read either.
    for line in target.contents_lines() {
        let _ = writeln!(err, "  contents: {line}");
    }
    let _ = write!(err, "To erase it, type {}: ", target.token);
    let _ = err.flush();
    let mut typed = String::new();
    match std::io::stdin().lock().read_line(&mut typed) {
        Ok(_) if target.is_consented(&[typed.trim().to_string()]) => Ok(()),
        _ => Err(Fault::refused(
            "Token does not match. Nothing was changed. Show the tokens with `bakeoff devices`",
        )),
    }
}
