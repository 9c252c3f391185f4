//! `diglot read`: what a resource holds.
//!
//! Text goes out as text. Bytes go to a file, or to a stdout that is no terminal, exactly as they are.

use std::io::IsTerminal;
use std::path::Path;

use anstream::ColorChoice;
use diglot::types::{ReadResourceResult, ResourceContents};

use crate::args::Read;
use crate::closest::closest;
use crate::connect::{Connected, Session, open_asking};
use crate::content::{Graphics, Teller, decoded, headline, kind_of, save};
use crate::failure::{Failure, Kind};
use crate::output::{Ending, Stdout, note, raw_line};

/// Reads a resource and tells or saves what it holds.
pub(crate) async fn run(read: &Read, session: &Session) -> Result<Ending, Failure> {
    let (target, uri) = read_words(&read.words, !read.options.child.is_empty())?;
    let connected = open_asking(session, target, &read.options, &read.asking).await?;
    let result = match connected.client.read_resource(uri).await {
        Ok(result) => result,
        Err(error) => {
            let failure = connected.failure(&error);
            return Err(match (&error, failure.hint.is_some()) {
                (diglot::Error::Rpc(_), false) => advised(failure, &connected, uri).await,
                _ => failure,
            });
        }
    };
    let look = &read.options.look;
    if look.json {
        return Ok(Ending::good(raw_line(result.raw.as_deref())));
    }
    match read.output.as_deref() {
        Some(path) if path != Path::new("-") => saved(&result, path, look.color),
        output => told(&result, output.is_some() || !std::io::stdout().is_terminal(), look.color),
    }
    .map_err(|failure| failure.with(&connected.target))
}

/// Reads `[TARGET] URI`; with a child process there is no TARGET.
fn read_words(words: &[String], has_child: bool) -> Result<(Option<&str>, &str), Failure> {
    let mut words = words.iter().map(String::as_str);
    let target = if has_child { None } else { words.next() };
    match (words.next(), words.next()) {
        (Some(uri), None) => Ok((target, uri)),
        (Some(_), Some(extra)) => Err(Failure::usage(format!("{extra:?} is one word too many"))),
        (None, _) if target.is_none() && !has_child => {
            Err(Failure::usage("there is no target and no address of a resource"))
        }
        (None, _) => Err(Failure::usage("there is no address of a resource to read")
            .hint("diglot list TARGET resources shows them")),
    }
}

/// Prints the contents; bytes go to a terminal only as a picture that it can show.
fn told(result: &ReadResourceResult, takes_bytes: bool, color: ColorChoice) -> Result<Ending, Failure> {
    if takes_bytes {
        let all = result.contents.iter().map(bytes_of).collect::<Result<Vec<_>, _>>()?;
        return Ok(Ending::good(Stdout::Exact(all.concat())));
    }
    if let Some(blob) = result.contents.iter().find(|contents| !is_shown(contents)) {
        let mime_type = mime_type(blob).unwrap_or_default();
        let size = bytes_of(blob)?.len();
        return Err(Failure::usage(format!(
            "{} is {}, {size} bytes, which would spoil a terminal",
            blob.uri(),
            kind_of(mime_type)
        ))
        .hint("--output FILE saves it; into a file or a pipe it goes as it is"));
    }
    let mut teller = Teller::new("resource", None, color);
    let has_several = result.contents.len() > 1;
    for contents in &result.contents {
        if has_several {
            teller.line(&headline(contents));
        }
        teller.contents(contents);
    }
    Ok(Ending { stdout: teller.end().0, failure: None, exit: 0 })
}

/// Tells whether a terminal can show it: text, or a picture where it takes pictures.
fn is_shown(contents: &ResourceContents) -> bool {
    let is_image = mime_type(contents).is_some_and(|kind| kind.starts_with("image/"));
    contents.as_text().is_some() || (is_image && Graphics::of_environment() != Graphics::None)
}

/// Writes the contents to a file, or each to a file of its own in a folder that is there.
fn saved(result: &ReadResourceResult, path: &Path, color: ColorChoice) -> Result<Ending, Failure> {
    let failed = |error| Failure::new(Kind::Usage, format!("{} cannot be written: {error}", path.display()));
    let tell = |path: &Path, contents: &ResourceContents| {
        let kind = mime_type(contents).map_or_else(|| "it".to_owned(), kind_of);
        note(color, &format!("saved {kind} to {}\n", path.display()));
    };
    match result.contents.as_slice() {
        contents if path.is_dir() => {
            for contents in contents {
                let stem = stem(contents.uri());
                let saved = save(path, stem, mime_type(contents).unwrap_or_default(), &bytes_of(contents)?);
                tell(&saved.map_err(failed)?, contents);
            }
        }
        [contents] => {
            std::fs::write(path, bytes_of(contents)?).map_err(failed)?;
            tell(path, contents);
        }
        several => {
            let wrong =
                format!("the resource has {} contents, and {} is one file", several.len(), path.display());
            return Err(
                Failure::usage(wrong).hint("name a folder that is there, and each goes to a file of its own")
            );
        }
    }
    Ok(Ending::good(String::new()))
}

fn bytes_of(contents: &ResourceContents) -> Result<Vec<u8>, Failure> {
    match (contents.as_text(), contents.as_blob()) {
        (Some(text), _) => Ok(text.as_bytes().to_vec()),
        (None, Some(blob)) => decoded(blob).map_err(|error| {
            Failure::new(
                Kind::ProtocolError,
                format!("the bytes of {} are not in Base64: {error}", contents.uri()),
            )
        }),
        (None, None) => Ok(Vec::new()),
    }
}

fn mime_type(contents: &ResourceContents) -> Option<&str> {
    match contents {
        ResourceContents::Text(text) => text.mime_type.as_deref(),
        ResourceContents::Blob(blob) => blob.mime_type.as_deref(),
        _ => None,
    }
}

/// Returns the last segment of an address, without its extension, to name a file by.
fn stem(uri: &str) -> &str {
    let path = uri.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    last.rsplit_once('.').map_or(last, |(stem, _)| stem)
}

/// Asks whether the server lists the resource, and says what may have been meant.
async fn advised(failure: Failure, connected: &Connected, uri: &str) -> Failure {
    let Ok(resources) = connected.client.list_resources().await else { return failure };
    if resources.find(uri).is_some() {
        return failure;
    }
    let uris: Vec<&str> = resources.iter().map(|resource| resource.uri.as_str()).collect();
    let by_name =
        resources.iter().find(|resource| resource.name == uri).map(|resource| resource.uri.as_str());
    let close = by_name.map_or_else(|| closest(uri, &uris), |uri| vec![uri]);
    match close.as_slice() {
        [] => failure
            .hint("diglot list TARGET resources shows what there is, and templates what may be filled in"),
        close => {
            failure.hint(format!("the server lists no such resource; did you mean {}?", close.join(" or ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result<const N: usize>(contents: [ResourceContents; N]) -> ReadResourceResult {
        ReadResourceResult::new(contents)
    }

    fn blob() -> ResourceContents {
        ResourceContents::blob("file:///a/b.png", "AP8=").mime_type("image/png")
    }

    #[test]
    fn bytes_are_kept_from_a_terminal_and_go_into_a_pipe_as_they_are() {
        let refused = told(&result([blob()]), false, ColorChoice::Never).unwrap_err();
        assert_eq!(refused.message, "file:///a/b.png is image/png, 2 bytes, which would spoil a terminal");
        let ending =
            told(&result([blob(), ResourceContents::text("b", "x")]), true, ColorChoice::Never).unwrap();
        assert_eq!(ending.stdout, Stdout::Exact(vec![0, 255, b'x']));
    }

    #[test]
    fn several_contents_are_told_apart() {
        let contents = [ResourceContents::text("a:1", "one"), ResourceContents::text("a:2", "two\n")];
        let ending = told(&result(contents), false, ColorChoice::Never).unwrap();
        assert_eq!(ending.stdout, Stdout::Exact(b"[resource a:1]\none\n[resource a:2]\ntwo\n".to_vec()));
    }

    #[test]
    fn several_contents_need_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all");
        let contents =
            || result([blob(), ResourceContents::text("x://h/notes.txt", "n").mime_type("text/plain")]);
        assert!(saved(&contents(), &file, ColorChoice::Never).is_err());
        assert!(!file.exists());
        saved(&contents(), folder.path(), ColorChoice::Never).unwrap();
        assert_eq!(std::fs::read(folder.path().join("b-1.png")).unwrap(), [0, 255]);
        assert_eq!(std::fs::read(folder.path().join("notes-1.txt")).unwrap(), b"n");
    }

    #[test]
    fn the_words_are_a_target_and_an_address() {
        let words = ["http://a", "file:///b"].map(str::to_owned);
        assert_eq!(read_words(&words, false).unwrap(), (Some("http://a"), "file:///b"));
        assert!(read_words(&words, true).is_err());
        assert!(read_words(&words[..1], false).is_err());
    }
}
