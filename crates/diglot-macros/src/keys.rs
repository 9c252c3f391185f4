//! What stands in the parentheses of an attribute: `name = "…"`, `read_only`.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser as _};
use syn::{Error, Expr, ExprLit, Ident, Lit, LitBool, Result, Token};

/// What an attribute makes of its function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
}

impl Kind {
    /// The word for it, which is also the attribute.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
        }
    }

    /// The keys of the attribute.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Tool => {
                &["name", "title", "description", "read_only", "destructive", "idempotent", "open_world"]
            }
            Self::Prompt => &["name", "title", "description"],
        }
    }
}

/// The keys that were given, each with its value.
#[derive(Default)]
pub(crate) struct Keys(Vec<(Ident, Value)>);

/// The value of a key.
enum Value {
    Text(Expr),
    Flag(bool),
}

impl Keys {
    /// Reads the tokens between the parentheses.
    pub(crate) fn read(kind: Kind, tokens: TokenStream) -> Result<Self> {
        let list = |input: ParseStream| {
            let mut keys = Self::default();
            while !input.is_empty() {
                let key = input.call(Ident::parse_any)?;
                keys.refuse(kind, &key)?;
                let value = read_value(&key, input)?;
                keys.0.push((key, value));
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(keys)
        };
        list.parse2(tokens)
    }

    fn refuse(&self, kind: Kind, key: &Ident) -> Result<()> {
        let word = kind.word();
        let known = kind.keys();
        if !known.iter().any(|known| key == known) {
            let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
            let what = format!("`{key}` is no key of `#[{word}]`; its keys are {}", known.join(", "));
            return Err(Error::new(key.span(), what));
        }
        if self.0.iter().any(|(given, _)| given == key) {
            return Err(Error::new(key.span(), format!("`{key}` is given twice")));
        }
        Ok(())
    }

    /// Returns the text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&Expr> {
        self.0.iter().find(|(given, _)| given == key).and_then(|(_, value)| match value {
            Value::Text(text) => Some(text),
            Value::Flag(_) => None,
        })
    }

    /// Returns the text of a key where it is a plain literal, with its place.
    pub(crate) fn literal(&self, key: &str) -> Option<(String, Span)> {
        match self.text(key)? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some((text.value(), text.span())),
            _ => None,
        }
    }

    /// Writes the calls that set the hints on `ToolAnnotations`; nothing where there are none.
    pub(crate) fn hints(&self, span: Span) -> TokenStream {
        let hints = self.0.iter().filter_map(|(key, value)| match value {
            Value::Flag(flag) => {
                let setter = Ident::new(&format!("{key}_hint"), span);
                Some(quote_spanned!(span=> .#setter(#flag)))
            }
            Value::Text(_) => None,
        });
        hints.collect()
    }
}

fn read_value(key: &Ident, input: ParseStream) -> Result<Value> {
    if matches!(key.to_string().as_str(), "name" | "title" | "description") {
        if !input.peek(Token![=]) {
            return Err(Error::new(key.span(), format!("`{key}` needs a text: `{key} = \"…\"`")));
        }
        input.parse::<Token![=]>()?;
        return input.parse().map(Value::Text);
    }
    if !input.peek(Token![=]) {
        return Ok(Value::Flag(true));
    }
    input.parse::<Token![=]>()?;
    let what = |error: Error| Error::new(error.span(), format!("`{key}` is `true` or `false`"));
    input.parse::<LitBool>().map(|flag| Value::Flag(flag.value)).map_err(what)
}
