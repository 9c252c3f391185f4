//! Resources and templates: what clients are told of them, and the functions behind them.

use std::future::Future;
use std::sync::Arc;

use diglot_proto::types::{self, Annotations, Icon, ReadResourceResult};

use crate::future::BoxFuture;
use crate::server::settings::CacheHint;
use crate::server::{Context, IntoResource, ToolError};

/// A resource of a server.
#[derive(Clone)]
pub struct Resource {
    pub(crate) definition: types::Resource,
    pub(crate) handler: Arc<dyn AnyResource>,
    pub(crate) cache: Option<CacheHint>,
}

/// A family of resources whose addresses follow a template (RFC 6570, level 1).
#[derive(Clone)]
pub struct ResourceTemplate {
    pub(crate) definition: types::ResourceTemplate,
    pub(crate) handler: Arc<dyn AnyResource>,
    pub(crate) cache: Option<CacheHint>,
}

/// The function behind a resource, its types forgotten.
pub(crate) trait AnyResource: Send + Sync {
    fn read(
        &self,
        uri: String,
        mime_type: Option<&str>,
        cx: Context,
    ) -> BoxFuture<'static, Result<ReadResourceResult, ToolError>>;
}

/// A function that can be a resource: `async fn(uri: String, Context) -> impl IntoResource`.
pub trait ResourceHandler: Send + Sync + 'static {
    /// What is read.
    type Output: IntoResource + 'static;

    /// Reads the resource.
    fn run(&self, uri: String, cx: Context) -> impl Future<Output = Self::Output> + Send + 'static;
}

impl<F, R, Answer> ResourceHandler for F
where
    F: Fn(String, Context) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = R> + Send + 'static,
    R: IntoResource + 'static,
{
    type Output = R;

    fn run(&self, uri: String, cx: Context) -> impl Future<Output = R> + Send + 'static {
        self(uri, cx)
    }
}

struct Typed<H>(H);

impl<H: ResourceHandler> AnyResource for Typed<H> {
    fn read(
        &self,
        uri: String,
        mime_type: Option<&str>,
        cx: Context,
    ) -> BoxFuture<'static, Result<ReadResourceResult, ToolError>> {
        let running = self.0.run(uri.clone(), cx);
        let mime_type = mime_type.map(str::to_owned);
        Box::pin(async move { running.await.into_resource(&uri, mime_type.as_deref()) })
    }
}

/// The methods that resources and templates share.
macro_rules! described {
    ($type:ty) => {
        impl $type {
            /// Says what it is, for the model.
            #[must_use]
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.definition.description = Some(description.into());
                self
            }

            /// Sets a name for people.
            #[must_use]
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.definition.title = Some(title.into());
                self
            }

            /// Sets the media type.
            #[must_use]
            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.definition.mime_type = Some(mime_type.into());
                self
            }

            /// Sets how to treat it.
            #[must_use]
            pub fn annotations(mut self, annotations: Annotations) -> Self {
                self.definition.annotations = Some(annotations);
                self
            }

            /// Sets pictures of it.
            #[must_use]
            pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
                self.definition.icons = icons.into();
                self
            }

            /// Sets how its contents may be cached, in place of the server's setting.
            #[must_use]
            pub fn cache(mut self, hint: CacheHint) -> Self {
                self.cache = Some(hint);
                self
            }
        }
    };
}

described!(Resource);
described!(ResourceTemplate);

impl Resource {
    /// Makes a resource of its address, its name and an async function or closure.
    pub fn new(uri: impl Into<String>, name: impl Into<String>, handler: impl ResourceHandler) -> Self {
        let definition = types::Resource::new(uri, name);
        Self { definition, handler: Arc::new(Typed(handler)), cache: None }
    }

    /// Makes a resource of a text that never changes.
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text: Arc<str> = text.into().into();
        Self::new(uri, name, move |_: String, _: Context| std::future::ready(text.to_string()))
    }
}

impl ResourceTemplate {
    /// Makes a family of resources of its template, its name and an async function or closure.
    ///
    /// The function gets the whole address that is read; [`Context::variable`] has the parts that the template names.
    pub fn new(template: impl Into<String>, name: impl Into<String>, handler: impl ResourceHandler) -> Self {
        let definition = types::ResourceTemplate::new(template, name);
        Self { definition, handler: Arc::new(Typed(handler)), cache: None }
    }

    /// Matches an address and returns the values of the template's variables, or nothing where it does not match.
    pub(crate) fn matches(&self, uri: &str) -> Option<Vec<(String, String)>> {
        matches(&self.definition.uri_template, uri)
    }
}

/// Matches an address against a template: `{name}` takes one or more characters up to the next literal, without `/`;
/// `{+name}` takes slashes too.
fn matches(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
    let mut variables = Vec::new();
    let (mut template, mut uri) = (template, uri);
    while let Some((literal, rest)) = template.split_once('{') {
        uri = uri.strip_prefix(literal)?;
        let (name, rest) = rest.split_once('}')?;
        let (name, takes_slashes) = match name.strip_prefix('+') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let literal = rest.split('{').next().unwrap_or_default();
        let end = match literal.is_empty() {
            true => uri.len(),
            false => uri.find(literal)?,
        };
        let (value, after) = uri.split_at(end);
        if value.is_empty() || (!takes_slashes && value.contains('/')) {
            return None;
        }
        variables.push((name.to_owned(), value.to_owned()));
        (template, uri) = (rest, after);
    }
    (template == uri).then_some(variables)
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resource").field("uri", &self.definition.uri).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("template", &self.definition.uri_template)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_template_matches_by_its_literals() {
        let found = |template, uri| matches(template, uri).map(|found| format!("{found:?}"));
        assert_eq!(found("demo://notes/{name}", "demo://notes/a").as_deref(), Some(r#"[("name", "a")]"#));
        assert_eq!(found("t://{id}/data", "t://7/data").as_deref(), Some(r#"[("id", "7")]"#));
        assert_eq!(found("file:///{+path}", "file:///a/b").as_deref(), Some(r#"[("path", "a/b")]"#));
        assert_eq!(found("t://x", "t://x").as_deref(), Some("[]"));
        for (template, uri) in [
            ("t://{id}/data", "t://a/b/data"),
            ("t://{id}", "t://"),
            ("t://x", "t://y"),
            ("t://{id", "t://a"),
        ] {
            assert_eq!(found(template, uri), None, "{template} {uri}");
        }
    }
}
