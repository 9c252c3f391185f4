//! Variables in the words of a configuration file.

use super::files::Within;

/// Puts values in the place of `${VAR}`, `${VAR:-default}`, `${env:VAR}` and the folders that VS Code knows.
///
/// Anything else in braces stays as it is: it may belong to the shell that the text is for.
pub(super) fn expand(text: &str, within: &Within<'_>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let found = after.split_once('}').map(|(name, after)| (value(name, within), after));
        rest = match found {
            Some((Some(value), after)) => {
                out.push_str(&value?);
                after
            }
            _ => {
                out.push_str("${");
                after
            }
        };
    }
    out.push_str(rest);
    Ok(out)
}

/// Returns what a name stands for, or why that cannot be known; nothing where it is no name.
fn value(name: &str, within: &Within<'_>) -> Option<Result<String, String>> {
    let home = || within.home.map(|home| home.display().to_string());
    match name {
        "workspaceFolder" | "cwd" => return Some(Ok(within.folder.display().to_string())),
        "userHome" => {
            return Some(home().ok_or_else(|| "there is no home folder for ${userHome}".to_owned()));
        }
        "pathSeparator" | "/" => return Some(Ok(std::path::MAIN_SEPARATOR.to_string())),
        _ => {}
    }
    if name.starts_with("input:") {
        let why = "is asked for by the host that the file is for, and cannot be known here";
        return Some(Err(format!("${{{name}}} {why}")));
    }
    let (variable, default) = match name.split_once(":-") {
        Some((variable, default)) => (variable, Some(default)),
        None => (name, None),
    };
    let variable = variable.strip_prefix("env:").unwrap_or(variable);
    if !is_variable(variable) {
        return None;
    }
    let set = (within.variables)(variable).filter(|value| default.is_none() || !value.is_empty());
    let set = set.or_else(|| default.map(str::to_owned));
    Some(set.ok_or_else(|| format!("the environment variable {variable} of ${{{name}}} is not set")))
}

fn is_variable(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        let variables = |name: &str| match name {
            "KEY" => Some("k".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        expand(text, &Within { folder: "/project".into(), home: Some("/me".as_ref()), variables: &variables })
    }

    #[test]
    fn variables_of_every_host_are_known() {
        for (text, value) in [
            ("a${KEY}b${env:KEY}", "akbk"),
            ("${NONE:-x}${EMPTY:-y}${KEY:-z}${EMPTY}", "xyk"),
            ("${workspaceFolder}/s ${userHome}", "/project/s /me"),
            ("$KEY ${unclosed", "$KEY ${unclosed"),
            ("${KEY#*:} ${1} ${KEY}", "${KEY#*:} ${1} k"),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_known_is_named() {
        assert!(expanded("${NONE}").unwrap_err().contains("NONE"));
        assert!(expanded("${input:token}").unwrap_err().contains("${input:token}"));
    }
}
