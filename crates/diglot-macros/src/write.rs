//! The expression that makes a tool or a prompt of a function.
//!
//! Locals have spans of their own, so that no name of the author's meets them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ReturnType;
use syn::spanned::Spanned as _;

use crate::docs;
use crate::function::{Function, plain_name};
use crate::keys::{Keys, Kind};
use crate::parameters::{Argument, Parameter, Parameters, State, inside_option};

/// A function with all that was read of it.
pub(crate) struct Handler<'a> {
    pub(crate) kind: Kind,
    pub(crate) keys: &'a Keys,
    pub(crate) function: &'a Function,
    pub(crate) parameters: &'a Parameters,
}

/// The name of the struct that a tool's arguments are read as; the code that it stands in has no other.
const ARGUMENTS: &str = "__Arguments";

impl Handler<'_> {
    /// Writes the expression. The state of a method is an `Arc` that `self` holds.
    pub(crate) fn expression(&self) -> TokenStream {
        let made = match self.kind {
            Kind::Tool => self.tool(),
            Kind::Prompt => self.prompt(),
        };
        let span = self.function.span();
        let state = self.parameters.state.map(|_| {
            let state = local("state");
            quote_spanned!(span=> let #state = ::core::clone::Clone::clone(&self);)
        });
        quote_spanned!(span=> { #state #made })
    }

    fn tool(&self) -> TokenStream {
        let span = self.function.span();
        let arguments = local("arguments");
        let structure = self.structure();
        let of = match self.parameters.whole() {
            Some(whole) => Some(whole.to_token_stream()),
            None => structure.as_ref().map(|_| format_ident!("{ARGUMENTS}", span = span).into_token_stream()),
        };
        let values = self.parameters.list.iter().map(|parameter| match parameter {
            Parameter::Context => local("cx").into_token_stream(),
            Parameter::Whole(_) => arguments.to_token_stream(),
            Parameter::Argument(Argument { name, .. }) => quote!(#arguments.#name),
        });
        let call = self.call(values);
        let cx = self.context();
        let (marker, taken) = match of {
            Some(of) => {
                let marker = quote_spanned!(span=> (#of, ::diglot::Context));
                (marker, quote_spanned!(span=> #arguments: #of, #cx))
            }
            None => (quote_spanned!(span=> ::diglot::Context), cx),
        };
        let result = checked(call, &self.function.signature.output, "tool_result", span);
        let closure = self.closure(taken, result);
        let name = self.name();
        let (description, title) = (self.description(), self.title());
        let hints = self.keys.hints(span);
        let annotations = (!hints.is_empty())
            .then(|| quote_spanned!(span=> .annotations(::diglot::types::ToolAnnotations::new() #hints)));
        quote_spanned! {span=>
            #structure
            ::diglot::Tool::new::<#marker, _>(#name, #closure) #title #description #annotations
        }
    }

    /// The struct that the arguments are read as, where they are parameters of their own.
    fn structure(&self) -> Option<TokenStream> {
        let fields: Vec<TokenStream> = self
            .parameters
            .arguments()
            .map(|Argument { name, of, attributes }| quote!(#(#attributes)* #name: #of))
            .collect();
        let span = self.function.span();
        let structure = format_ident!("{ARGUMENTS}", span = span);
        let name = self.function.name();
        (!fields.is_empty()).then(|| {
            quote_spanned! {span=>
                #[derive(::diglot::__private::serde::Deserialize, ::diglot::__private::schemars::JsonSchema)]
                #[serde(crate = "::diglot::__private::serde", rename = #name)]
                #[schemars(crate = "::diglot::__private::schemars")]
                struct #structure { #(#fields),* }
            }
        })
    }

    fn prompt(&self) -> TokenStream {
        let span = self.function.span();
        let arguments = local("arguments");
        let values = self.parameters.list.iter().map(|parameter| match parameter {
            Parameter::Argument(Argument { name, of, .. }) => {
                let wire = plain_name(name);
                let span = Span::call_site().located_at(of.span());
                match inside_option(of) {
                    Some(of) => quote_spanned!(span=> #arguments.parse_optional::<#of>(#wire)?),
                    None => quote_spanned!(span=> #arguments.parse::<#of>(#wire)?),
                }
            }
            Parameter::Context | Parameter::Whole(_) => local("cx").into_token_stream(),
        });
        let call = self.call(values);
        let cx = self.context();
        let result = checked(call, &self.function.signature.output, "prompt", span);
        let taken = quote_spanned!(span=> #arguments: ::diglot::server::PromptArguments, #cx);
        let closure = self.closure(taken, result);
        let name = self.name();
        let (description, title) = (self.description(), self.title());
        let declared = self.parameters.arguments().map(|Argument { name, of, attributes }| {
            let name = plain_name(name);
            let is_required = inside_option(of).is_none();
            let description = docs::text(attributes).map(|text| quote_spanned!(span=> .description(#text)));
            quote_spanned! {span=>
                .declare(::diglot::types::PromptArgument::new(#name) #description .required(#is_required))
            }
        });
        quote_spanned! {span=>
            ::diglot::server::Prompt::new(#name, #closure) #title #description #(#declared)*
        }
    }

    /// The closure that is the handler: it takes hold of the state anew for each call.
    fn closure(&self, taken: TokenStream, result: TokenStream) -> TokenStream {
        let span = self.function.span();
        match self.parameters.state {
            Some(_) => {
                let state = local("state");
                quote_spanned! {span=>
                    move |#taken| {
                        let #state = ::core::clone::Clone::clone(&#state);
                        async move { #result }
                    }
                }
            }
            None => quote_spanned!(span=> |#taken| async move { #result }),
        }
    }

    /// The call of the author's function.
    fn call(&self, values: impl Iterator<Item = TokenStream>) -> TokenStream {
        let span = self.function.span();
        let state = local("state");
        let name = &self.function.signature.ident;
        let (target, state) = match self.parameters.state {
            Some(State::Borrowed) => (quote_spanned!(span=> Self::#name), Some(quote!(&#state,))),
            Some(State::Shared) => (quote_spanned!(span=> Self::#name), Some(quote!(#state,))),
            None => (name.to_token_stream(), None),
        };
        let wait = self.function.signature.asyncness.map(|_| quote_spanned!(span=> .await));
        quote_spanned!(span=> #target(#state #(#values),*) #wait)
    }

    /// The parameter of the closure that is the context.
    fn context(&self) -> TokenStream {
        let span = self.function.span();
        let name = match self.parameters.has_context() {
            true => local("cx").into_token_stream(),
            false => quote_spanned!(span=> _),
        };
        quote_spanned!(span=> #name: ::diglot::Context)
    }

    fn name(&self) -> TokenStream {
        self.keys
            .text("name")
            .map_or_else(|| self.function.name().to_token_stream(), ToTokens::to_token_stream)
    }

    fn title(&self) -> Option<TokenStream> {
        let span = self.function.span();
        self.keys.text("title").map(|title| quote_spanned!(span=> .title(#title)))
    }

    fn description(&self) -> Option<TokenStream> {
        let span = self.function.span();
        let given = self.keys.text("description").map(ToTokens::to_token_stream);
        let text = given.or_else(|| docs::text(&self.function.attributes))?;
        Some(quote_spanned!(span=> .description(#text)))
    }
}

/// Passes a result through a function that says, at the place of its type, that it is none for this kind of handler.
fn checked(call: TokenStream, output: &ReturnType, kind: &str, name: Span) -> TokenStream {
    let span = match output {
        ReturnType::Type(_, of) => Span::call_site().located_at(of.span()),
        ReturnType::Default => name,
    };
    let check = Ident::new(kind, span);
    quote_spanned!(span=> ::diglot::__private::#check(#call))
}

/// A name that is seen only by the code that is written here.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
