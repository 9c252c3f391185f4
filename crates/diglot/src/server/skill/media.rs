//! The media types of a skill's files, by their names and by what they hold.

/// Returns the media type of a file.
pub(super) fn media_type(path: &str, bytes: &[u8]) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
    match end.as_str() {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" => "text/javascript",
        "py" => "text/x-python",
        "sh" => "application/x-sh",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        _ if std::str::from_utf8(bytes).is_ok() => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn a_name_tells_the_type_and_else_the_bytes_do() {
        assert_eq!(media_type("a/SKILL.md", b""), "text/markdown");
        assert_eq!(media_type("LICENSE", b"text"), "text/plain");
        assert_eq!(media_type("a.md/data", b"\xff\xfe"), "application/octet-stream");
        assert_eq!(media_type("x.PNG", b""), "image/png");
    }
}
