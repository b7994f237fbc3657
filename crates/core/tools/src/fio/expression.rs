//! Values of a job file as fio reads them: variables and keywords. Arithmetic is refused.
//!
//! `${NAME}` is a variable of the environment; `$pagesize`, `$mb_memory` and `$ncpus` describe the
//! machine; fio computes a value in parentheses, or one with a keyword in it.
//! Source: fio 3.33, HOWTO, "Environment variables", "Reserved keywords" and "Parameter types".

/// What a variable, or a keyword with its `$`, stands for.
pub type Variables<'v> = &'v dyn Fn(&str) -> Option<String>;

const KEYWORDS: [&str; 3] = ["$pagesize", "$mb_memory", "$ncpus"];

/// The value with everything in its place.
///
/// # Errors
/// A variable that is not set, or arithmetic.
pub fn expand(value: &str, variables: Variables<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, after) = behind.split_once('}').ok_or("a variable without its }")?;
        let set = variables(name).ok_or_else(|| {
            format!("the variable {name} is not set. Set it: {name}=… bakeoff bench …")
        })?;
        out.push_str(before);
        out.push_str(&set);
        rest = after;
    }
    out.push_str(rest);
    let mut is_computed = out.starts_with('(') && out.ends_with(')');
    for keyword in KEYWORDS.into_iter().filter(|keyword| value.contains(keyword)) {
        let known = variables(keyword).ok_or_else(|| format!("{keyword} is unknown here"))?;
        out = out.replace(keyword, &known);
        is_computed = true;
    }
    if !is_computed {
        return Ok(out);
    }
    match out.parse::<u64>() {
        Ok(_) => Ok(out),
        // As in "$ncpus.dat", or words in parentheses.
        Err(_) if out.contains(|c: char| c.is_ascii_alphabetic()) => Ok(out),
        Err(_) => Err(format!("bakeoff does not compute '{out}': write the number instead")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(value: &str) -> Result<String, String> {
        expand(value, &|name| match name {
            "SIZE" => Some("4m".to_string()),
            "$ncpus" => Some("4".to_string()),
            "$mb_memory" => Some("512".to_string()),
            _ => None,
        })
    }

    #[test]
    fn values_are_those_of_fio() {
        for (value, wanted) in [
            ("${SIZE}", "4m"),
            ("x${SIZE}y", "x4my"),
            ("$ncpus", "4"),
            ("4k", "4k"),
            ("$5 and (words)", "$5 and (words)"),
            ("(words)", "(words)"),
            ("$ncpus.dat", "4.dat"),
        ] {
            assert_eq!(expanded(value).as_deref(), Ok(wanted), "{value}");
        }
    }

    #[test]
    fn what_has_no_value_says_why() {
        assert!(expanded("${NONE}").unwrap_err().contains("NONE is not set"));
        assert!(expanded("8*$mb_memory").is_err() && expanded("(2*1024*1024)").is_err());
    }
}
