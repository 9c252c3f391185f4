//! What a doc comment says, as the text of a description.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Whether the attribute is a line of a doc comment.
pub(crate) fn is_line(attribute: &Attribute) -> bool {
    line(attribute).is_some()
}

/// Writes the doc comment as one text; nothing where there is none.
///
/// A line that is made by a macro, as by `#[doc = include_str!("…")]`, stays a macro in the text.
pub(crate) fn text(attributes: &[Attribute]) -> Option<TokenStream> {
    let lines: Vec<&Expr> = attributes.iter().filter_map(line).collect();
    let plain: Option<Vec<String>> = lines.iter().copied().map(literal).collect();
    match plain {
        Some(lines) => {
            let text = lines.join("\n");
            let text = text.trim();
            (!text.is_empty()).then(|| quote!(#text))
        }
        None => {
            let lines = lines.iter().enumerate().map(|(at, line)| {
                let end = if at == 0 { "" } else { "\n" };
                match literal(line) {
                    Some(line) => quote!(#end, #line),
                    None => quote!(#end, #line),
                }
            });
            Some(quote!(::core::concat!(#(#lines),*)))
        }
    }
}

fn line(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => Some(&meta.value),
        _ => None,
    }
}

/// The text of a literal line, without the space that sets it off from the slashes.
fn literal(line: &Expr) -> Option<String> {
    match line {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            let text = text.value();
            Some(text.strip_prefix(' ').unwrap_or(&text).trim_end().to_owned())
        }
        _ => None,
    }
}
