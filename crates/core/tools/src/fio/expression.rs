//! Values of a job file as fio reads them: variables, keywords and arithmetic.
//!
//! `${NAME}` is a variable of the environment; `$pagesize`, `$mb_memory` and `$ncpus` describe the
//! machine; a value in parentheses, or one with a keyword in it, is computed in whole numbers.
//! Source: fio 3.33, HOWTO, "Environment variables", "Reserved keywords" and "Parameter types".

use bakeoff_stats::units;

/// What a variable, or a keyword with its `$`, stands for.
pub type Variables<'v> = &'v dyn Fn(&str) -> Option<String>;

const KEYWORDS: [&str; 3] = ["$pagesize", "$mb_memory", "$ncpus"];
const DEPTH_MAX: u32 = 32;

/// The value with everything in its place.
///
/// # Errors
/// A variable that is not set, or arithmetic without a result.
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
    let mut rest = out.as_str();
    match sum(&mut rest, DEPTH_MAX) {
        Some(number) if rest.trim().is_empty() => Ok(number.to_string()),
        // As in "$ncpus.dat", or words in parentheses.
        _ if out.contains(|c: char| c.is_ascii_alphabetic()) => Ok(out),
        _ => Err(format!("'{out}' cannot be computed in whole numbers")),
    }
}

fn sum(rest: &mut &str, depth: u32) -> Option<u64> {
    let mut value = product(rest, depth)?;
    loop {
        value = match take(rest, &['+', '-']) {
            Some('+') => value.checked_add(product(rest, depth)?)?,
            Some(_) => value.checked_sub(product(rest, depth)?)?,
            None => return Some(value),
        };
    }
}

fn product(rest: &mut &str, depth: u32) -> Option<u64> {
    let mut value = power(rest, depth)?;
    loop {
        value = match take(rest, &['*', '/', '%']) {
            Some('*') => value.checked_mul(power(rest, depth)?)?,
            Some('/') => value.checked_div(power(rest, depth)?)?,
            Some(_) => value.checked_rem(power(rest, depth)?)?,
            None => return Some(value),
        };
    }
}

fn power(rest: &mut &str, depth: u32) -> Option<u64> {
    let base = number(rest, depth)?;
    match take(rest, &['^']) {
        Some(_) => base.checked_pow(u32::try_from(power(rest, depth.checked_sub(1)?)?).ok()?),
        None => Some(base),
    }
}

fn number(rest: &mut &str, depth: u32) -> Option<u64> {
    if take(rest, &['(']).is_some() {
        let value = sum(rest, depth.checked_sub(1)?)?;
        return take(rest, &[')']).map(|_| value);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    units::parse_size(word).ok()
}

fn take(rest: &mut &str, any: &[char]) -> Option<char> {
    *rest = rest.trim_start();
    let found = rest.chars().next().filter(|c| any.contains(c))?;
    *rest = &rest[found.len_utf8()..];
    Some(found)
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
            ("8*$mb_memory", "4096"),
            ("(2*1024*1024)", "2097152"),
            ("(2 * (3 + 1k) - 4)", "2050"),
            ("(2^10/3%5)", "1"),
            ("(${SIZE}*2)", "8388608"),
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
        assert!(expanded("(1/0)").is_err() && expanded("(1-2)").is_err());
        assert!(expanded(&format!("{}1{}", "(".repeat(99), ")".repeat(99))).is_err());
    }
}
