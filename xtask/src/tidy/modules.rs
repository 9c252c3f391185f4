//! The modules of a crate, and which of them a path means.

use std::collections::BTreeMap;

use super::source::Source;
use super::tokens::{self, Named, Place, Token};

/// How many re-exports a path is followed through.
const HOPS: usize = 8;

/// A file as a module of its crate.
pub struct Module<'a> {
    /// The file.
    pub source: &'a Source,
    /// The paths that it names outside tests, each with the module that it stands in.
    pub paths: Vec<(String, Named<'a>)>,
    declared: Vec<&'a str>,
}

/// The modules of one crate by name (`http::sse`); the root has the empty name.
pub struct Modules<'a>(pub BTreeMap<String, Module<'a>>);

impl<'a> Modules<'a> {
    /// Sorts files into crates, by the folder of their sources.
    pub fn of_each_crate(sources: &'a [Source]) -> BTreeMap<String, Self> {
        let mut crates: BTreeMap<String, Self> = BTreeMap::new();
        for source in sources.iter().filter(|source| !source.is_test_file()) {
            let Some((folder, name)) = place(&source.path) else {
                continue;
            };
            let modules = crates.entry(folder).or_insert_with(|| Self(BTreeMap::new()));
            modules.0.insert(name.clone(), Module::read(source, &name));
        }
        crates
    }

    /// Finds the module that the path means where `module` names it; none where it leaves the crate.
    pub fn resolve(&self, module: &str, segments: &[&str]) -> Option<&str> {
        self.follow(module, segments, HOPS)
    }

    fn follow(&self, module: &str, segments: &[&str], hops: usize) -> Option<&str> {
        let (first, rest) = segments.split_first()?;
        let child = join(module, first);
        match *first {
            "crate" => self.descend("", rest, hops),
            "self" => self.descend(module, rest, hops),
            "super" => self.descend_from_parent(module, rest, hops),
            _ if self.0.contains_key(&child) => self.descend(&child, rest, hops),
            _ => None,
        }
    }

    fn descend_from_parent(&self, module: &str, rest: &[&str], hops: usize) -> Option<&str> {
        let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
        match rest.split_first() {
            Some((&"super", rest)) => self.descend_from_parent(parent, rest, hops),
            _ => self.descend(parent, rest, hops),
        }
    }

    fn descend(&self, module: &str, segments: &[&str], hops: usize) -> Option<&str> {
        let Some((first, rest)) = segments.split_first() else {
            return self.nearest(module);
        };
        let child = join(module, first);
        if self.0.contains_key(&child) {
            return self.descend(&child, rest, hops);
        }
        self.reexported(module, first, rest, hops).or_else(|| self.nearest(module))
    }

    /// Follows the name through the imports of the module, unless the module declares it.
    fn reexported(&self, module: &str, name: &str, rest: &[&str], hops: usize) -> Option<&str> {
        let found = self.0.get(module)?;
        if hops == 0 || found.declared.contains(&name) {
            return None;
        }
        let imports = || found.paths.iter().filter(|(from, path)| from == module && is_import(path.place));
        if let Some((_, path)) = imports().find(|(_, path)| path.name == Some(name)) {
            let segments: Vec<&str> = path.segments.iter().chain(rest).copied().collect();
            return self.follow(module, &segments, hops - 1);
        }
        let globs = imports().filter(|(_, path)| path.name.is_none());
        let targets = globs.filter_map(|(_, path)| self.follow(module, &path.segments, hops - 1));
        targets.filter(|target| *target != module).find_map(|target| self.declares(target, name, rest, hops))
    }

    fn declares(&self, target: &str, name: &str, rest: &[&str], hops: usize) -> Option<&str> {
        let found = self.0.get_key_value(target)?;
        if found.1.declared.contains(&name) || self.0.contains_key(&join(target, name)) {
            let segments: Vec<&str> = [name].iter().chain(rest).copied().collect();
            return self.descend(found.0, &segments, hops - 1);
        }
        self.reexported(found.0, name, rest, hops - 1)
    }

    /// The module of this name, or the file that has it inline.
    fn nearest(&self, module: &str) -> Option<&str> {
        match (self.0.get_key_value(module), module.rsplit_once("::")) {
            (Some((name, _)), _) => Some(name),
            (None, Some((parent, _))) => self.nearest(parent),
            (None, None) => self.0.get_key_value("").map(|(name, _)| name.as_str()),
        }
    }
}

impl<'a> Module<'a> {
    fn read(source: &'a Source, name: &str) -> Self {
        let tokens = source.tokens();
        let inline = inline_modules(&tokens);
        let paths = tokens::paths(&tokens).into_iter().filter(|path| !source.is_test(path.at)).map(|path| {
            let within = inline.iter().filter(|(range, _)| range.contains(&path.at));
            (within.fold(name.to_owned(), |module, (_, inner)| join(&module, inner)), path)
        });
        Self { source, paths: paths.collect(), declared: declared(&tokens) }
    }
}

/// The folder of the sources and the name of the module that a file is; none for what is no module of a crate.
fn place(path: &str) -> Option<(String, String)> {
    let at = path.find("/src/")? + "/src/".len();
    let (folder, file) = path.split_at(at);
    let file = file.strip_suffix(".rs")?;
    if file.starts_with("bin/") {
        return None;
    }
    let name = match file {
        "lib" | "main" => "",
        _ => file.strip_suffix("/mod").unwrap_or(file),
    };
    Some((folder.to_owned(), name.replace('/', "::")))
}

/// Each `mod name { … }`: where it reaches, and its name; outer ones first.
fn inline_modules<'a>(tokens: &[Token<'a>]) -> Vec<(std::ops::Range<usize>, &'a str)> {
    let named =
        tokens.windows(3).enumerate().filter(|(_, window)| window[0].text == "mod" && window[2].text == "{");
    let ranges = named.map(|(index, window)| {
        let close = tokens::closing(tokens, index + 2);
        (window[0].at..tokens[close].at, window[1].text)
    });
    ranges.collect()
}

/// The names of the items, without regard to where they stand.
fn declared<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let keywords = ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];
    let pairs = tokens.windows(2).filter(|pair| keywords.contains(&pair[0].text));
    pairs.map(|pair| pair[1].text).collect()
}

fn is_import(place: Place) -> bool {
    matches!(place, Place::Import | Place::Reexport)
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(files: &[(&str, &str)], module: &str, path: &str) -> Option<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::new(&format!("crates/x/src/{path}"), text)).collect();
        let crates = Modules::of_each_crate(&sources);
        let segments: Vec<&str> = path.split("::").collect();
        crates["crates/x/src/"].resolve(module, &segments).map(str::to_owned)
    }

    const FILES: &[(&str, &str)] = &[
        ("lib.rs", "mod a; mod b; pub use a::inner::Deep; pub use b::*; pub use a::inner as renamed;"),
        ("a/mod.rs", "pub mod inner; pub struct Shallow; mod inline { use super::Shallow; }"),
        ("a/inner.rs", "pub struct Deep;"),
        ("b.rs", "pub enum Wide { One }"),
    ];

    #[test]
    fn a_path_means_the_module_of_its_item() {
        for (module, path, expected) in [
            ("b", "crate::a::Shallow", Some("a")),
            ("b", "crate::a::inner::Deep", Some("a::inner")),
            ("a::inner", "super::Shallow", Some("a")),
            ("a::inner", "super::super::b::Wide", Some("b")),
            ("a", "self::inner::Deep", Some("a::inner")),
            ("a", "inner::Deep", Some("a::inner")),
            ("b", "inner::Deep", None),
            ("b", "std::fmt", None),
        ] {
            assert_eq!(resolved(FILES, module, path).as_deref(), expected, "{path} in {module}");
        }
    }

    #[test]
    fn a_reexport_is_followed() {
        for (path, expected) in [
            ("crate::Deep", "a::inner"),
            ("crate::renamed::Deep", "a::inner"),
            ("crate::Wide::One", "b"),
            ("crate::Unknown", ""),
        ] {
            assert_eq!(resolved(FILES, "b", path).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn an_inline_module_belongs_to_its_file() {
        assert_eq!(resolved(FILES, "a::inline", "super::Shallow").as_deref(), Some("a"));
        assert_eq!(resolved(FILES, "b", "crate::a::inline::Shallow").as_deref(), Some("a"));
    }

    #[test]
    fn a_circle_of_reexports_ends() {
        let files = [("lib.rs", "pub use a::*;"), ("a.rs", "pub use crate::*;")];
        assert_eq!(resolved(&files, "a", "crate::Nothing").as_deref(), Some(""));
    }
}
