//! Which server the command line means.
//!
//! Everything here is decided before anything is sent. What is wrong is a usage failure, and never repeats a secret.

use std::path::Path;

use crate::args::{HttpWire, Options};
use crate::config;
use crate::failure::Failure;
use crate::target::{Child, Found, Http, Place, Target, shown};

/// Finds the server that a word, or the command after `--`, means.
pub(crate) fn find(word: Option<&str>, options: &Options) -> Result<Found, Failure> {
    let mut found = match (word, options.child.as_slice()) {
        (None, [program, args @ ..]) => Found::of(Target::Child(Child {
            program: program.clone(),
            args: args.to_vec(),
            ..Child::default()
        })),
        (Some(word), []) => named(word, options)?,
        (Some(word), [..]) => {
            return Err(Failure::usage(format!(
                "{:?} and the command after -- are two targets; give one",
                shown(word)
            )));
        }
        (None, []) => {
            return Err(Failure::usage("there is no target")
                .hint("give an address, the name of a configured server, or a command after --"));
        }
    };
    match &mut found.target {
        Target::Http(http) => complete(http, options)?,
        Target::Child(_) => check_child(options)?,
    }
    Ok(found)
}

/// Reads a word as an address or a socket, or else as a configured server's name.
fn named(word: &str, options: &Options) -> Result<Found, Failure> {
    let place = match word.split_once("://") {
        Some(("http" | "https" | "HTTP" | "HTTPS", _)) => Place::Address(word.to_owned()),
        Some(("unix", rest)) => socket(rest)?,
        Some((scheme, _)) => {
            return Err(Failure::usage(format!(
                "{scheme:?} is no scheme of a target; use http, https or unix"
            )));
        }
        None => return config::find(word, options.config.as_deref()),
    };
    if options.config.is_some() {
        return Err(Failure::usage("--config goes with the name of a server, and the target is an address"));
    }
    Ok(Found::of(Target::Http(Http { place, headers: Vec::new(), bearer: None, wire: HttpWire::Auto })))
}

/// Reads `/path.sock[:/http/path]`; the path of HTTP is `/mcp` unless it is given.
fn socket(rest: &str) -> Result<Place, Failure> {
    let (path, http_path) = match rest.rsplit_once(":/") {
        Some((path, http_path)) => (path, format!("/{http_path}")),
        None => (rest, "/mcp".to_owned()),
    };
    if !Path::new(path).is_absolute() {
        return Err(Failure::usage("a Unix socket has an absolute path: unix:///path.sock[:/http/path]"));
    }
    if cfg!(not(unix)) {
        return Err(Failure::usage("this system has no Unix sockets"));
    }
    Ok(Place::Socket(path.into(), http_path))
}

/// Adds what the options say of HTTP.
fn complete(http: &mut Http, options: &Options) -> Result<(), Failure> {
    if options.transport != HttpWire::Auto {
        http.wire = options.transport;
    }
    if http.wire == HttpWire::Sse && matches!(http.place, Place::Socket(..)) {
        return Err(Failure::usage("HTTP+SSE over a Unix socket is not supported"));
    }
    for header in &options.header {
        let (name, value) = read_header(header)?;
        http.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
        http.headers.push((name, value));
    }
    if let Some(variable) = &options.bearer_env {
        http.bearer = Some(bearer(variable)?);
        http.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
    }
    Ok(())
}

fn read_header(header: &str) -> Result<(String, String), Failure> {
    // The text may be a secret without its name, so that it is not repeated.
    let malformed = || Failure::usage("a --header is not of the form 'Name: value'");
    let (name, value) = header.split_once(':').ok_or_else(malformed)?;
    let name = name.trim();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match !name.is_empty() && name.bytes().all(is_token) {
        true => Ok((name.to_owned(), value.trim().to_owned())),
        false => Err(malformed()),
    }
}

fn bearer(variable: &str) -> Result<String, Failure> {
    let token = std::env::var(variable).unwrap_or_default();
    match token.trim() {
        "" => Err(Failure::usage(format!("--bearer-env: the environment variable {variable} is not set"))),
        token => Ok(token.to_owned()),
    }
}

/// Refuses what only HTTP has.
fn check_child(options: &Options) -> Result<(), Failure> {
    let flag = match options {
        Options { transport: HttpWire::Streamable | HttpWire::Sse, .. } => "--transport",
        Options { header, .. } if !header.is_empty() => "--header",
        Options { bearer_env: Some(_), .. } => "--bearer-env",
        Options { config: Some(_), child, .. } if !child.is_empty() => "--config",
        _ => return Ok(()),
    };
    Err(Failure::usage(format!("{flag} has no meaning for a child process")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn probe(words: &[&str]) -> Result<Target, String> {
        let words = ["diglot", "probe"].iter().chain(words);
        let Command::Probe(probe) = Args::try_parse_from(words).expect("the line is well formed").command
        else {
            panic!("it is a probe");
        };
        find(probe.target.as_deref(), &probe.options)
            .map(|found| found.target)
            .map_err(|failure| failure.message)
    }

    fn http(words: &[&str]) -> Http {
        match probe(words) {
            Ok(Target::Http(http)) => http,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_address_is_a_target_with_its_headers() {
        let http = http(&[
            "https://a.example/mcp",
            "--header",
            "X-Key: a:b ",
            "--header",
            "x-key:c",
            "--transport",
            "sse",
        ]);
        assert_eq!(http.place, Place::Address("https://a.example/mcp".into()));
        assert_eq!(http.headers, [("x-key".to_owned(), "c".to_owned())]);
        assert_eq!(http.wire, HttpWire::Sse);
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_may_name_its_path_of_http() {
        let place = |word| http(&[word]).place;
        assert_eq!(place("unix:///run/a.sock"), Place::Socket("/run/a.sock".into(), "/mcp".into()));
        assert_eq!(
            place("unix:///run/a:1.sock:/v1/mcp"),
            Place::Socket("/run/a:1.sock".into(), "/v1/mcp".into())
        );
    }

    #[test]
    fn a_command_is_a_target() {
        let Ok(Target::Child(child)) = probe(&["--", "npx", "-y", "server"]) else { panic!("it is a child") };
        assert_eq!((child.program, child.args), ("npx".into(), vec!["-y".into(), "server".into()]));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_without_its_secrets() {
        for words in [
            &[][..],
            &["http://a/?key=secret", "--", "server"],
            &["ftp://user:secret@a"],
            &["unix://relative.sock"],
            &["--header", "X-Key: secret", "--", "server"],
            &["--header", "secret without a colon", "http://a"],
            &["--header", "se cret: x", "http://a"],
            &["--bearer-env", "NO_SUCH_VARIABLE_IS_SET", "http://a"],
            &["--transport", "sse", "--", "server"],
        ] {
            let message = probe(words).expect_err("it is refused");
            assert!(!message.contains("secret"), "{message}");
        }
    }
}
