//! The addresses of a skill's files: paths, with what an address cannot hold encoded.

use super::error::SkillError;

/// Encodes one segment of a path; the whole path is for the error.
pub(super) fn encode(segment: &str, path: &str) -> Result<String, SkillError> {
    if matches!(segment, "" | "." | "..") || segment.contains(['\\', '\0']) {
        return Err(SkillError::Path { path: path.to_owned() });
    }
    let mut encoded = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        match byte {
            _ if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@".contains(&byte) => {
                encoded.push(char::from(byte));
            }
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    Ok(encoded)
}

/// Adds a path below the root of a skill.
pub(super) fn join(root: &str, path: &str) -> Result<String, SkillError> {
    let mut uri = root.to_owned();
    for segment in path.split('/') {
        uri.push('/');
        uri += &encode(segment, path)?;
    }
    Ok(uri)
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_path_keeps_its_segments_and_nothing_climbs() {
        let joined = |path| join("skill://a", path).ok();
        assert_eq!(joined("b/c d.md").as_deref(), Some("skill://a/b/c%20d.md"));
        assert_eq!(joined("ü?#%").as_deref(), Some("skill://a/%C3%BC%3F%23%25"));
        for path in ["", "/b", "b/", "b//c", "../b", "b/../c", "./b", "b\\c", "b\0"] {
            assert_eq!(joined(path), None, "{path:?}");
        }
    }
}
