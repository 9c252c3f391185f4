//! Servers by the names that they have in the configuration files of MCP hosts.
//!
//! A file is read leniently: an entry that cannot be used does not lose the others, and a file that cannot be read
//! does not lose the other files.

mod entry;
mod expand;
mod files;
mod jsonc;

use std::path::{Path, PathBuf};

use crate::closest::closest;
use crate::failure::Failure;
use crate::target::{Found, shown};

use entry::Entry;
use files::Surroundings;

/// The servers of one file, or what is wrong with it.
struct Read {
    path: PathBuf,
    servers: Result<Vec<Entry>, String>,
}

impl Read {
    /// Refuses a file that cannot be used, where it is the only one.
    fn whole(self) -> Result<Self, Failure> {
        match &self.servers {
            Ok(servers) if servers.is_empty() => {
                let wrong = format!("the configuration file {} lists no servers", self.path.display());
                Err(Failure::usage(wrong)
                    .hint("they stand below mcpServers, or servers, each with a command or a url"))
            }
            Ok(_) => Ok(self),
            Err(what) => {
                let wrong = format!("the configuration file {} cannot be used: {what}", self.path.display());
                Err(Failure::usage(wrong))
            }
        }
    }
}

/// Finds a server by its name, in one file or in those of the known hosts.
pub(crate) fn find(name: &str, file: Option<&Path>) -> Result<Found, Failure> {
    let surroundings = Surroundings::of_this_process();
    let files = match file {
        Some(file) => {
            if !file.is_file() {
                return Err(Failure::usage(format!(
                    "the configuration file {} does not exist",
                    file.display()
                )));
            }
            vec![file.to_owned()]
        }
        None => files::known(&surroundings),
    };
    let read = files.into_iter().filter_map(|path| read(path, &surroundings));
    match file {
        Some(_) => {
            look_up(name, read.map(Read::whole).collect::<Result<Vec<_>, _>>()?.into_iter(), &surroundings)
        }
        None => look_up(name, read, &surroundings),
    }
}

/// Reads a file, unless it does not exist.
fn read(path: PathBuf, surroundings: &Surroundings) -> Option<Read> {
    let servers = match std::fs::read_to_string(&path) {
        Ok(text) => entry::servers(&text, &surroundings.folder),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => Err(error.to_string()),
    };
    Some(Read { path, servers })
}

fn look_up(
    name: &str,
    files: impl Iterator<Item = Read>,
    surroundings: &Surroundings,
) -> Result<Found, Failure> {
    let mut searched = Vec::new();
    let mut known: Vec<String> = Vec::new();
    let mut broken = Vec::new();
    for Read { path, servers } in files {
        searched.push(path.display().to_string());
        match servers {
            Err(what) => broken.push(format!("{}: {what}", path.display())),
            Ok(servers) => {
                if let Some(entry) = servers.iter().find(|entry| entry.name == name) {
                    let within = surroundings.within(&path);
                    let wrong = |what| Failure::usage(format!("{name:?} in {}: {what}", path.display()));
                    let target = entry.target(&within).map_err(wrong)?;
                    return Ok(Found { target, warnings: broken });
                }
                known.extend(servers.into_iter().map(|entry| entry.name));
            }
        }
    }
    known.sort();
    known.dedup();
    Err(unknown(name, &known, &searched, &broken))
}

fn unknown(name: &str, known: &[String], searched: &[String], broken: &[String]) -> Failure {
    let mut message = format!("{name:?} names no configured server");
    match known {
        [] => message.push_str("; none is configured"),
        known => message.push_str(&format!("; known are {}", known.join(", "))),
    }
    match searched {
        [] => message.push_str(" (no configuration file was found)"),
        searched => message.push_str(&format!(" (searched: {})", searched.join(", "))),
    }
    for what in broken {
        message.push_str(&format!("\n  {what}"));
    }
    Failure::usage(message).hint(what_may_be_meant(name, known))
}

/// Says what a word may have meant that names no server.
fn what_may_be_meant(name: &str, known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let has_port = name.rsplit_once(':').is_some_and(|(host, rest)| {
        let port = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    match closest(name, &known).as_slice() {
        _ if has_port => format!("an address begins with its scheme, such as http://{}", shown(name)),
        [] if name.contains(['/', '\\', '.', ':']) => {
            format!("a program goes after two dashes: -- {name}; an address begins with http:// or https://")
        }
        [] => "--config FILE looks into another file; a program goes after two dashes".to_owned(),
        close => format!("did you mean {}?", close.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    fn surroundings() -> Surroundings {
        Surroundings { folder: "/project".into(), home: None, variables: Box::new(|_| None) }
    }

    fn file(path: &str, text: &str) -> Read {
        Read { path: path.into(), servers: entry::servers(text, Path::new("/project")) }
    }

    #[test]
    fn the_nearest_file_wins_and_a_broken_one_is_told() {
        let files = [
            file("a.json", "{\n  \"mcpServers\": oops\n}"),
            file("b.json", r#"{"mcpServers": {"one": {"command": "first"}}}"#),
            file("c.json", r#"{"servers": {"one": {"command": "second"}}}"#),
        ];
        let found = look_up("one", files.into_iter(), &surroundings()).unwrap();
        let Target::Child(child) = found.target else { panic!("it is a child") };
        assert_eq!(child.program, "first");
        assert_eq!(found.warnings.len(), 1);
        assert!(found.warnings[0].starts_with("a.json: line 2, column "), "{}", found.warnings[0]);
    }

    #[test]
    fn an_unknown_name_lists_the_known_and_the_files() {
        let files = [file("b.json", r#"{"mcpServers": {"two": {"command": "x"}, "one": {}}}"#)];
        let failure = look_up("three", files.into_iter(), &surroundings()).unwrap_err();
        assert!(failure.message.contains("known are one, two"), "{}", failure.message);
        assert!(failure.message.contains("searched: b.json"), "{}", failure.message);
    }

    #[test]
    fn a_bad_entry_does_not_lose_the_others() {
        let text = r#"{"mcpServers": {"bad": {"command": 5}, "good": {"command": "x"}}}"#;
        assert!(look_up("good", [file("a", text)].into_iter(), &surroundings()).is_ok());
        let failure = look_up("bad", [file("a", text)].into_iter(), &surroundings()).unwrap_err();
        assert!(failure.message.contains("command"), "{}", failure.message);
    }

    #[test]
    fn what_may_be_meant_is_said() {
        let known = ["files".to_owned(), "github".to_owned()];
        assert_eq!(what_may_be_meant("fils", &known), "did you mean files?");
        let address = "an address begins with its scheme, such as http://localhost:8000/mcp";
        assert_eq!(what_may_be_meant("localhost:8000/mcp", &known), address);
        assert!(
            what_may_be_meant("./server", &known).starts_with("a program goes after two dashes: -- ./server")
        );
        assert!(what_may_be_meant("zzzzzz", &known).starts_with("--config FILE"));
    }
}
