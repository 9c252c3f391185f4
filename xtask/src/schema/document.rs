//! One revision's schema: its definitions, their members, and validators of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use diglot_proto::version::Revision;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// How many references a definition may lead through.
const HOPS: usize = 16;

/// A schema that is no reference to another.
type Node = Map<String, Value>;

/// The schema of one revision.
pub struct Document {
    pub revision: String,
    root: Value,
    validators: RefCell<BTreeMap<String, Rc<Validator>>>,
}

impl Document {
    pub fn new(revision: &str, root: Value) -> Self {
        Self { revision: revision.to_owned(), root, validators: RefCell::default() }
    }

    /// Reads the schemas of all revisions.
    pub fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let read = |revision: &Revision| {
            let path = folder.join(format!("{revision}.json"));
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let root = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(Self::new(revision.as_str(), root))
        };
        Revision::ALL.iter().map(read).collect()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions().map(|(name, _)| name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    pub fn definitions(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.root[self.keyword()].as_object();
        all.into_iter().flatten().map(|(name, definition)| (name.as_str(), definition))
    }

    pub fn definition(&self, name: &str) -> &Value {
        &self.root[self.keyword()][name]
    }

    fn keyword(&self) -> &'static str {
        if self.root.get("$defs").is_some() { "$defs" } else { "definitions" }
    }

    /// Follows a reference to its end, and an array to its items.
    fn resolve<'a>(&'a self, mut node: &'a Value) -> &'a Value {
        for _ in 0..HOPS {
            node = match (&node["$ref"], &node["items"]) {
                (Value::String(reference), _) => self.definition(reference.rsplit('/').next().unwrap_or("")),
                (_, items @ Value::Object(_)) => items,
                _ => return node,
            };
        }
        node
    }

    /// Returns the members of an object, those of `allOf` too, with their schemas.
    pub fn members<'a>(&'a self, node: &'a Value) -> Vec<(&'a str, &'a Value)> {
        let node = self.resolve(node);
        let own = node["properties"].as_object().into_iter().flatten();
        let mut members: Vec<(&str, &Value)> = own.map(|(name, value)| (name.as_str(), value)).collect();
        for part in node["allOf"].as_array().into_iter().flatten() {
            for member in self.members(part) {
                match members.iter_mut().find(|(name, _)| *name == member.0) {
                    // The later part says more about the member than the one that it extends.
                    Some(old) => *old = member,
                    None => members.push(member),
                }
            }
        }
        members
    }

    /// Returns what a path of members leads to.
    pub fn descend<'a>(&'a self, node: &'a Value, path: &[String]) -> Option<&'a Value> {
        path.iter().try_fold(node, |node, name| {
            self.members(node).into_iter().find(|(own, _)| own == name).map(|(_, value)| value)
        })
    }

    /// Tells whether a schema is an object that is written out in place, and so belongs to who holds it.
    pub fn is_inline(node: &Value) -> bool {
        let node = if node["items"].is_object() { &node["items"] } else { node };
        node["properties"].is_object()
    }

    /// Says what is wrong with a value by a definition; nothing where it is valid.
    pub fn faults(&self, name: &str, value: &Value) -> Vec<String> {
        match self.validator(name) {
            Ok(validator) => validator
                .iter_errors(value)
                .map(|error| format!("{error} at `{}`", error.instance_path()))
                .collect(),
            Err(error) => vec![error],
        }
    }

    fn validator(&self, name: &str) -> Result<Rc<Validator>, String> {
        if let Some(validator) = self.validators.borrow().get(name) {
            return Ok(Rc::clone(validator));
        }
        if !self.has(name) {
            return Err(format!("revision {} has no definition {name}", self.revision));
        }
        let keyword = self.keyword();
        let mut root = Node::new();
        let dialect = self.root.get("$schema").cloned();
        root.extend(dialect.map(|dialect| ("$schema".to_owned(), dialect)));
        root.insert("$ref".into(), json!(format!("#/{keyword}/{name}")));
        root.insert(keyword.into(), self.root[keyword].clone());
        let validator = jsonschema::validator_for(&Value::Object(root)).map_err(|error| error.to_string())?;
        let validator = Rc::new(validator);
        self.validators.borrow_mut().insert(name.to_owned(), Rc::clone(&validator));
        Ok(validator)
    }
}
