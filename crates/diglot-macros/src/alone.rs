//! `#[tool]` and `#[prompt]` on a function that stands alone.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Error, FnArg, Result};

use crate::function::Function;
use crate::keys::{Keys, Kind};
use crate::parameters::Parameters;
use crate::write::Handler;

/// Writes the function as it was, and beside it a type of the same name that makes the tool or the prompt.
pub(crate) fn expand(kind: Kind, keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match Function::alone(kind, item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    if let Some(FnArg::Receiver(receiver)) = function.signature.inputs.first() {
        let what = format!("a method is a {} of its type: put `#[tools]` on the impl block", kind.word());
        let error = Error::new_spanned(receiver, what).to_compile_error();
        // Nothing but the error: what else could stand in an impl block would only hide it.
        let _ = Parameters::take(kind, &mut function.signature);
        return quote!(#function #error);
    }
    let made = match expression(kind, keys, &mut function) {
        Ok(expression) => expression,
        Err(error) => {
            let error = error.to_compile_error();
            quote!({ #error loop {} })
        }
    };
    maker(kind, &function, &made)
}

fn expression(kind: Kind, keys: TokenStream, function: &mut Function) -> Result<TokenStream> {
    let keys = Keys::read(kind, keys);
    let parameters = Parameters::take(kind, &mut function.signature)?;
    Ok(Handler { kind, keys: &keys?, function, parameters: &parameters }.expression())
}

/// The type that makes it. A function is a value, so a type may have its name; an enum without variants is never one.
fn maker(kind: Kind, function: &Function, made: &TokenStream) -> TokenStream {
    let span = function.span();
    let visibility = &function.visibility;
    let (conditions, licence) = (function.conditions(), function.licence());
    let word = kind.word();
    let method = Ident::new(word, span);
    let of = of(kind);
    let mut maker = function.signature.ident.clone();
    maker.set_span(span);
    let about = format!("Makes a {word} of the function [`{maker}`](fn@{maker}).");
    quote_spanned! {span=>
        #function

        #(#conditions)*
        #[doc = #about]
        #visibility enum #maker {}

        #(#conditions)*
        #licence
        impl #maker {
            #[doc = #about]
            #[must_use]
            #visibility fn #method() -> #of #made
        }
    }
}

fn of(kind: Kind) -> TokenStream {
    match kind {
        Kind::Tool => quote!(::diglot::Tool),
        Kind::Prompt => quote!(::diglot::server::Prompt),
    }
}
