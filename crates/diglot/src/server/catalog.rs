//! What a server offers, and how each kind of it is listed.

use std::collections::HashMap;
use std::sync::Arc;

use diglot_proto::http::param::ParamHeaders;
use diglot_proto::types;
use diglot_proto::version::Era;

use crate::schema::Checker;
use crate::server::completion::AnyCompletion;
use crate::server::skill::shelf::SkillShelf;
use crate::server::table::{Listed, Table};
use crate::server::{Prompt, Resource, ResourceTemplate, Tool};

/// Everything that a server offers, at one time. A change makes a new one.
#[derive(Clone, Default)]
pub(crate) struct Catalog {
    pub(crate) tools: Table<ToolEntry>,
    pub(crate) resources: Table<Resource>,
    pub(crate) templates: Table<ResourceTemplate>,
    pub(crate) prompts: Table<Prompt>,
    pub(crate) skills: SkillShelf,
    /// Completions by what they complete: `prompt:NAME` or `template:URI`.
    pub(crate) completions: HashMap<String, Arc<dyn AnyCompletion>>,
}

/// A tool with what is compiled of its schemas.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) checker: Checker,
    pub(crate) headers: ParamHeaders,
}

impl Listed for ToolEntry {
    type Definition = diglot_proto::types::Tool;

    fn key(&self) -> &str {
        self.tool.name()
    }

    fn definition(&self, era: Era) -> std::borrow::Cow<'_, Self::Definition> {
        let definition = &self.tool.definition;
        let is_object = |schema: &serde_json::value::RawValue| {
            let schema = diglot_proto::object::Object::read(schema);
            schema.and_then(|schema| schema.string("type")).is_some_and(|kind| kind == "object")
        };
        // Before the modern era a structured result is an object, and so is what its schema describes.
        let hides_schema = definition.output_schema.as_ref().is_some_and(|schema| !is_object(schema));
        let is_task = self.tool.plan.is_possible();
        if era != Era::Legacy || !(hides_schema || is_task) {
            return std::borrow::Cow::Borrowed(definition);
        }
        let mut legacy = definition.clone();
        if hides_schema {
            legacy.output_schema = None;
        }
        if is_task {
            legacy.execution = Some(types::ToolExecution::new().task_support(self.tool.plan.support.clone()));
        }
        std::borrow::Cow::Owned(legacy)
    }
}

/// Items that both eras spell in the same way.
macro_rules! listed {
    ($item:ty, $definition:ty, $key:ident) => {
        impl Listed for $item {
            type Definition = $definition;

            fn key(&self) -> &str {
                &self.definition.$key
            }

            fn definition(&self, _era: Era) -> std::borrow::Cow<'_, Self::Definition> {
                std::borrow::Cow::Borrowed(&self.definition)
            }
        }
    };
}

listed!(Resource, diglot_proto::types::Resource, uri);
listed!(ResourceTemplate, diglot_proto::types::ResourceTemplate, uri_template);
listed!(Prompt, diglot_proto::types::Prompt, name);
