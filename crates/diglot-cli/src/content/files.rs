//! Images, sounds and other bytes of a result, as files that never take the place of others.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// How many files of one name a folder may have.
const MOST: usize = 100_000;

/// Reads Base64 with or without its padding, and writes it with.
pub(super) const STANDARD_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads bytes that came in Base64, which may be broken into lines.
pub(crate) fn decoded(data: &str) -> io::Result<Vec<u8>> {
    let data: String = data.split_ascii_whitespace().collect();
    STANDARD_BASE64.decode(data).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Saves bytes under a name of the server's, in a folder that is made if need be.
pub(crate) fn save(folder: &Path, name: &str, mime_type: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let (mut file, path) = create(folder, &stem(name), extension(mime_type))?;
    file.write_all(bytes)?;
    Ok(path)
}

/// Returns how many bytes a text in Base64 stands for, about.
pub(super) fn decoded_length(data: &str) -> usize {
    data.trim_end_matches(['=', '\n', '\r']).len() * 3 / 4
}

/// Creates a file under the first number that is free.
fn create(folder: &Path, stem: &str, extension: &str) -> io::Result<(File, PathBuf)> {
    for number in 1..=MOST {
        let path = folder.join(format!("{stem}-{number}.{extension}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("the folder is full of earlier ones"))
}

/// Makes a file's name of a server's word, which may hold anything.
fn stem(name: &str) -> String {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let stem: String = name.chars().map(|c| if is_fit(c) { c } else { '_' }).take(80).collect();
    if stem.is_empty() { "result".to_owned() } else { stem }
}

#[rustfmt::skip]
fn extension(mime_type: &str) -> &'static str {
    match mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "image/png"                     => "png",
        "image/jpeg" | "image/jpg"      => "jpg",
        "image/gif"                     => "gif",
        "image/webp"                    => "webp",
        "image/svg+xml"                 => "svg",
        "image/avif"                    => "avif",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3"      => "mp3",
        "audio/ogg"                     => "ogg",
        "audio/flac"                    => "flac",
        "audio/mp4" | "audio/aac"       => "m4a",
        "video/mp4"                     => "mp4",
        "application/pdf"               => "pdf",
        "application/json"              => "json",
        "application/zip"               => "zip",
        "text/plain"                    => "txt",
        "text/html"                     => "html",
        "text/csv"                      => "csv",
        _                               => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_never_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let first = save(folder.path(), "a/../b", "image/png", b"hi").unwrap();
        let second = save(folder.path(), "a/../b", "image/png", &decoded("aG\nk").unwrap()).unwrap();
        assert_eq!(first, folder.path().join("a____b-1.png"));
        assert_eq!(second, folder.path().join("a____b-2.png"));
        assert_eq!(std::fs::read(second).unwrap(), b"hi");
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        assert!(decoded("!!!").is_err());
    }
}
