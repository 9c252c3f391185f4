//! A function as its author wrote it: everything is kept, and only the signature is looked into.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{Abi, Attribute, Error, Ident, Result, Signature, Token, Visibility, braced};

use crate::keys::Kind;

/// A function, or a method. The body is not read: what is in it is rustc's concern.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    body: TokenStream,
}

impl Function {
    /// Reads a function that stands alone.
    pub(crate) fn alone(kind: Kind, item: TokenStream) -> Result<Self> {
        let read = |input: ParseStream| {
            let attributes = input.call(Attribute::parse_outer)?;
            let visibility = input.parse()?;
            if !Self::is_next(input)? {
                let what = format!("`#[{}]` belongs on a function", kind.word());
                return Err(Error::new(input.span(), what));
            }
            Self::read(attributes, visibility, input)
        };
        read.parse2(item)
    }

    /// Whether what comes is a function, after its attributes and its visibility.
    pub(crate) fn is_next(input: ParseStream) -> Result<bool> {
        let ahead = input.fork();
        ahead.parse::<Option<Token![const]>>()?;
        ahead.parse::<Option<Token![async]>>()?;
        ahead.parse::<Option<Token![unsafe]>>()?;
        ahead.parse::<Option<Abi>>()?;
        Ok(ahead.peek(Token![fn]))
    }

    /// Reads the rest of a function, after its attributes and its visibility.
    pub(crate) fn read(
        attributes: Vec<Attribute>,
        visibility: Visibility,
        input: ParseStream,
    ) -> Result<Self> {
        let signature = input.parse()?;
        let content;
        let braces = braced!(content in input);
        let inside: TokenStream = content.parse()?;
        let mut body = TokenStream::new();
        braces.surround(&mut body, |tokens| tokens.extend(inside));
        Ok(Self { attributes, visibility, signature, body })
    }

    /// The name as it is called over the wire: without the mark of a raw identifier.
    pub(crate) fn name(&self) -> String {
        plain_name(&self.signature.ident)
    }

    /// The place of the function's name, for code that is written here: its faults are shown there.
    pub(crate) fn span(&self) -> Span {
        Span::call_site().located_at(self.signature.ident.span())
    }

    /// The conditions under which the function exists.
    pub(crate) fn conditions(&self) -> Vec<&Attribute> {
        self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
    }

    /// Says of code that calls the function that it may, even where the author warns others of it.
    pub(crate) fn licence(&self) -> Option<TokenStream> {
        let is_deprecated = self.attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"));
        is_deprecated.then(|| quote!(#[expect(deprecated, reason = "what makes it a handler calls it")]))
    }
}

/// The name of an identifier without the mark of a raw one.
pub(crate) fn plain_name(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        self.visibility.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
