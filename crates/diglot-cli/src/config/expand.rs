//! Variables in the words of a configuration file.

use super::files::Within;

/// Puts values in the place of `${VAR}`, `${VAR:-default}`, `${env:VAR}` and the folders that VS Code knows.
pub(super) fn expand(text: &str, within: &Within<'_>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let Some((name, after)) = after.get(2..).and_then(|after| after.split_once('}')) else {
            out.push_str(after);
            return Ok(out);
        };
        out.push_str(&value(name, within)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn value(name: &str, within: &Within<'_>) -> Result<String, String> {
    let folder = within.folder.display().to_string();
    let home = || within.home.map(|home| home.display().to_string());
    match name {
        "workspaceFolder" | "cwd" => return Ok(folder),
        "userHome" => return home().ok_or_else(|| "there is no home folder for ${userHome}".to_owned()),
        "pathSeparator" | "/" => return Ok(std::path::MAIN_SEPARATOR.to_string()),
        _ => {}
    }
    if name.starts_with("input:") {
        return Err(format!(
            "${{{name}}} is asked for by the host that the file is for, and cannot be known here"
        ));
    }
    let variable = name.strip_prefix("env:").unwrap_or(name);
    let (variable, default) = match variable.split_once(":-") {
        Some((variable, default)) => (variable, Some(default)),
        None => (variable, None),
    };
    let set = (within.variables)(variable).filter(|value| default.is_none() || !value.is_empty());
    let set = set.or_else(|| default.map(str::to_owned));
    set.ok_or_else(|| format!("the environment variable {variable} of ${{{name}}} is not set"))
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
