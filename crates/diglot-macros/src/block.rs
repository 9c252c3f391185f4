//! `#[tools]` on an impl block: its methods with `#[tool]` or `#[prompt]` share one state.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Generics, ImplItem, Meta, Result, Token, Type, Visibility, WhereClause, braced};

use crate::function::Function;
use crate::keys::{Keys, Kind};
use crate::parameters::{Faults, Parameters, has_lifetime};
use crate::write::Handler;

/// An impl block of a type.
struct Block {
    attributes: Vec<Attribute>,
    impl_token: Token![impl],
    generics: Generics,
    of: Type,
    inner: Vec<Attribute>,
    items: Vec<Item>,
}

/// What stands in the block.
enum Item {
    Function(Box<Function>),
    Other(Box<ImplItem>),
}

/// Writes the block as it was, and an implementation of `Tools` that registers what is marked in it.
pub(crate) fn expand(keys: &TokenStream, item: TokenStream) -> TokenStream {
    let mut block: Block = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    let mut faults = Faults::default();
    if !keys.is_empty() {
        faults.at(keys, "`#[tools]` has no keys; those of a tool stand on its own `#[tool]`");
    }
    let registered = block.register(&mut faults);
    let lends = has_lifetime(&block.of);
    if lends {
        let what = "calls outlive what lends to a type with a lifetime; own it, or share it by an `Arc`";
        faults.at(&block.of, what);
    }
    let implementation = (!lends).then(|| block.implementation(&registered));
    let errors = faults.none().map_err(Error::into_compile_error).err();
    quote!(#block #implementation #errors)
}

impl Block {
    /// Writes a statement for each marked method, and takes off the marks.
    fn register(&mut self, faults: &mut Faults) -> Vec<TokenStream> {
        let mut names = HashSet::new();
        let mut statements = Vec::new();
        let mut is_marked = false;
        for item in &mut self.items {
            let Item::Function(function) = item else { continue };
            let Some(mark) = take_mark(&mut function.attributes) else { continue };
            is_marked = true;
            let made = mark.and_then(|(kind, keys)| made(kind, keys, function, &mut names));
            statements.extend(faults.keep(made));
        }
        if !is_marked {
            faults.at(self.impl_token, "no method of the block is marked with `#[tool]` or `#[prompt]`");
        }
        statements
    }

    fn implementation(&self, statements: &[TokenStream]) -> TokenStream {
        let (generics, of) = (&self.generics, &self.of);
        let own = generics.where_clause.as_ref().map(|clause| clause.predicates.to_token_stream());
        let own = own.filter(|predicates| !predicates.is_empty()).map(|predicates| {
            let ends_with_comma =
                generics.where_clause.as_ref().is_some_and(|own| own.predicates.trailing_punct());
            if ends_with_comma { predicates } else { quote!(#predicates,) }
        });
        // The trait asks for the same. Said here, it is told once where it does not hold, and not of each method.
        let span = Span::call_site().located_at(of.span());
        let shared = quote_spanned!(span=> #of: ::core::marker::Send + ::core::marker::Sync + 'static);
        let parameters = bare(generics);
        let server = proc_macro2::Ident::new("server", Span::mixed_site());
        let conditions = self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        quote! {
            #(#conditions)*
            #[automatically_derived]
            impl #parameters ::diglot::server::Tools for #of where #own #shared {
                fn register(self: ::std::sync::Arc<Self>, #server: ::diglot::Server) -> ::diglot::Server {
                    #(#statements)*
                    #server
                }
            }
        }
    }
}

/// The parameters of generics in their brackets, without the `where` clause.
fn bare(generics: &Generics) -> TokenStream {
    let Generics { params, .. } = generics;
    if params.is_empty() { TokenStream::new() } else { quote!(<#params>) }
}

/// Reads a marked method and writes the statement that registers it.
fn made(
    kind: Kind,
    keys: TokenStream,
    function: &mut Function,
    names: &mut HashSet<(&'static str, String)>,
) -> Result<TokenStream> {
    let keys = Keys::read(kind, keys);
    let parameters = Parameters::take(kind, &mut function.signature)?;
    let keys = keys?;
    let word = kind.word();
    if parameters.state.is_none() {
        let what =
            format!("a {word} of an impl block takes `&self`; one without state is a function of its own");
        return Err(Error::new_spanned(&function.signature.ident, what));
    }
    let own = || Some((function.name(), function.signature.ident.span()));
    let name = if keys.text("name").is_some() { keys.literal("name") } else { own() };
    let conditions = function.conditions();
    if let Some((name, span)) = name.filter(|_| conditions.is_empty())
        && !names.insert((word, name.clone()))
    {
        return Err(Error::new(span, format!("the block has a {word} called `{name}` already")));
    }
    let expression = Handler { kind, keys: &keys, function, parameters: &parameters }.expression();
    let span = function.span();
    let method = proc_macro2::Ident::new(word, span);
    let server = proc_macro2::Ident::new("server", Span::mixed_site());
    let licence = function.licence();
    Ok(quote_spanned! {span=> #(#conditions)* #licence let #server = #server.#method(#expression); })
}

/// Takes off the mark that makes a method a tool or a prompt, with its keys.
fn take_mark(attributes: &mut Vec<Attribute>) -> Option<Result<(Kind, TokenStream)>> {
    let kind = |attribute: &Attribute| {
        let last = attribute.path().segments.last()?;
        [Kind::Tool, Kind::Prompt].into_iter().find(|kind| last.ident == kind.word())
    };
    let at = attributes.iter().position(|attribute| kind(attribute).is_some())?;
    let mark = attributes.remove(at);
    let kind = kind(&mark)?;
    Some(match mark.meta {
        Meta::Path(_) => Ok((kind, TokenStream::new())),
        Meta::List(list) => Ok((kind, list.tokens)),
        Meta::NameValue(meta) => {
            let word = kind.word();
            Err(Error::new_spanned(meta, format!("the keys stand in parentheses: `#[{word}(name = \"…\")]`")))
        }
    })
}

impl Parse for Block {
    fn parse(input: ParseStream) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            return Err(Error::new(input.span(), "`#[tools]` belongs on an impl block"));
        }
        let impl_token = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let of: Type = input.parse()?;
        if input.peek(Token![for]) {
            let what = "`#[tools]` belongs on an impl block of the type itself, not on one of a trait";
            return Err(Error::new_spanned(of, what));
        }
        generics.where_clause = input.parse::<Option<WhereClause>>()?;
        let content;
        braced!(content in input);
        let inner = content.call(Attribute::parse_inner)?;
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(content.parse()?);
        }
        Ok(Self { attributes, impl_token, generics, of, inner, items })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream) -> Result<Self> {
        let ahead = input.fork();
        ahead.call(Attribute::parse_outer)?;
        ahead.parse::<Visibility>()?;
        if !Function::is_next(&ahead)? {
            return input.parse().map(|item| Self::Other(Box::new(item)));
        }
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        Function::read(attributes, visibility, input).map(|function| Self::Function(Box::new(function)))
    }
}

impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, impl_token, generics, of, inner, items } = self;
        let (parameters, clause) = (bare(generics), &generics.where_clause);
        let items = items.iter().map(|item| match item {
            Item::Function(function) => function.to_token_stream(),
            Item::Other(item) => item.to_token_stream(),
        });
        tokens.extend(quote!(#(#attributes)* #impl_token #parameters #of #clause { #(#inner)* #(#items)* }));
    }
}
