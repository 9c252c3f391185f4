//! What client and server both need of skills: frontmatter as JSON, and digests.

mod frontmatter;
mod yaml;

use std::fmt::Write;

pub(crate) use frontmatter::read;

/// The last part of the address of a skill.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Returns the digest of a file's bytes, as skills are described by it.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, bytes);
    let mut text = String::from("sha256:");
    for byte in hash.as_ref() {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_digest_is_sha_256_in_lower_case() {
        assert_eq!(
            super::digest(b"abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
