//! What a function takes: its state, its arguments, the context of the request.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Error, FnArg, Ident, Pat, PatType, PathArguments, Receiver, ReceiverKind, Result, ReturnType,
    Safety, Signature, Type,
};

use crate::docs;
use crate::keys::Kind;

/// How a method takes the state that all calls share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// `&self`.
    Borrowed,
    /// `self: Arc<Self>`.
    Shared,
}

/// One parameter after the receiver.
pub(crate) enum Parameter {
    /// The context of the request.
    Context,
    /// The arguments as one value.
    Whole(Type),
    /// One argument.
    Argument(Argument),
}

/// An argument that is a parameter of its own.
pub(crate) struct Argument {
    pub(crate) name: Ident,
    pub(crate) of: Type,
    /// Its doc comment, and what it says to serde and schemars.
    pub(crate) attributes: Vec<Attribute>,
}

/// All that a function takes.
pub(crate) struct Parameters {
    pub(crate) state: Option<State>,
    pub(crate) list: Vec<Parameter>,
}

/// The attributes of parameters that are rustc's, and stay where they are.
const LINTS: &[&str] = &["allow", "deny", "expect", "forbid", "warn"];

impl Parameters {
    /// Reads what the function takes, and takes off the attributes that rustc does not admit there.
    pub(crate) fn take(kind: Kind, signature: &mut Signature) -> Result<Self> {
        let mut faults = Faults::default();
        refuse_signature(kind, signature, &mut faults);
        let (mut state, mut list) = (None, Vec::new());
        for input in &mut signature.inputs {
            match input {
                FnArg::Receiver(receiver) => state = faults.keep(read_receiver(kind, receiver)),
                FnArg::Typed(typed) => {
                    let taken = take_attributes(typed);
                    let span = typed
                        .pat
                        .to_token_stream()
                        .into_iter()
                        .next()
                        .map_or(Span::call_site(), |t| t.span());
                    let read = read_parameter(kind, typed, taken);
                    list.extend(faults.keep(read).map(|parameter| (span, parameter)));
                }
            }
        }
        refuse_list(kind, &list, &mut faults);
        faults.none()?;
        Ok(Self { state, list: list.into_iter().map(|(_, parameter)| parameter).collect() })
    }

    /// Whether the function wants the context.
    pub(crate) fn has_context(&self) -> bool {
        self.list.iter().any(|parameter| matches!(parameter, Parameter::Context))
    }

    /// The arguments that are parameters of their own.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.list.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(argument),
            _ => None,
        })
    }

    /// The type of the arguments where they are one value.
    pub(crate) fn whole(&self) -> Option<&Type> {
        self.list.iter().find_map(|parameter| match parameter {
            Parameter::Whole(of) => Some(of),
            _ => None,
        })
    }
}

/// Faults, gathered so that all are told at once.
#[derive(Default)]
pub(crate) struct Faults(Option<Error>);

impl Faults {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn at(&mut self, place: impl ToTokens, what: impl std::fmt::Display) {
        self.add(Error::new_spanned(place, what));
    }

    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    pub(crate) fn none(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

fn refuse_signature(kind: Kind, signature: &Signature, faults: &mut Faults) {
    let word = kind.word();
    if !signature.generics.params.is_empty() {
        let what = format!("a {word} has one type for each argument, so its function is not generic");
        faults.at(&signature.generics, what);
    }
    if let Safety::Unsafe(token) = &signature.safety {
        faults.at(token, format!("clients call a {word}, so its function is not unsafe"));
    }
    if let Some(variadic) = &signature.variadic {
        faults.at(variadic, format!("a {word} takes a known number of arguments"));
    }
    if let (None, ReturnType::Type(_, of)) = (&signature.asyncness, &signature.output)
        && mentions(of, "Future")
        && mentions(of, "impl")
    {
        faults.at(of, "write an `async fn` in the place of one that returns a future");
    }
}

fn read_receiver(kind: Kind, receiver: &Receiver) -> Result<State> {
    match &receiver.kind {
        ReceiverKind::Reference(_, None, None) => return Ok(State::Borrowed),
        ReceiverKind::Typed(_, of) if last_word(of).is_some_and(|word| word == "Arc") => {
            return Ok(State::Shared);
        }
        _ => {}
    }
    let what =
        format!("calls of a {} run at the same time, so it takes `&self` or `self: Arc<Self>`", kind.word());
    Err(Error::new_spanned(receiver, what))
}

/// The attributes of a parameter that are ours.
#[derive(Default)]
struct Taken {
    attributes: Vec<Attribute>,
    is_whole: bool,
    unknown: Option<Attribute>,
}

fn take_attributes(typed: &mut PatType) -> Taken {
    let mut taken = Taken::default();
    for attribute in std::mem::take(&mut typed.attrs) {
        let path = attribute.path();
        if LINTS.iter().any(|lint| path.is_ident(lint)) {
            typed.attrs.push(attribute);
        } else if path.is_ident("args") {
            taken.is_whole = true;
        } else if docs::is_line(&attribute) || path.is_ident("serde") || path.is_ident("schemars") {
            taken.attributes.push(attribute);
        } else {
            taken.unknown = Some(attribute);
        }
    }
    taken
}

fn read_parameter(kind: Kind, typed: &PatType, taken: Taken) -> Result<Parameter> {
    let of = &*typed.ty;
    if let Some(attribute) = taken.unknown {
        let what = "a parameter takes `///`, `#[args]`, `#[serde(…)]` and `#[schemars(…)]`";
        return Err(Error::new_spanned(attribute, what));
    }
    if is_context(of) {
        return Ok(Parameter::Context);
    }
    refuse_type(of)?;
    let has_name = match &*typed.pat {
        Pat::Ident(pattern) => Some(&pattern.ident),
        _ => None,
    };
    let is_whole = taken.is_whole || matches!(&*typed.pat, Pat::Struct(_) | Pat::TupleStruct(_));
    match (is_whole, has_name) {
        (true, _) if kind == Kind::Prompt => Err(Error::new_spanned(
            &typed.pat,
            "a prompt takes its arguments by name, as texts: `name: String`",
        )),
        (true, _) => Ok(Parameter::Whole(of.clone())),
        (false, Some(name)) => {
            let other = |attribute: &&Attribute| !docs::is_line(attribute);
            if let Some(attribute) = taken.attributes.iter().find(other).filter(|_| kind == Kind::Prompt) {
                let what = "the arguments of a prompt are texts, so serde and schemars have no say in them";
                return Err(Error::new_spanned(attribute, what));
            }
            Ok(Parameter::Argument(Argument {
                name: name.clone(),
                of: of.clone(),
                attributes: taken.attributes,
            }))
        }
        (false, None) => {
            let what = "an argument has a name, and only a struct is taken apart here: `a: i64`, `Pair { a, b }: Pair`";
            Err(Error::new_spanned(&typed.pat, what))
        }
    }
}

fn refuse_list(kind: Kind, list: &[(Span, Parameter)], faults: &mut Faults) {
    let mut has_context = false;
    for (span, parameter) in list {
        match parameter {
            Parameter::Context if has_context => {
                faults.add(Error::new(*span, format!("a {} has one context", kind.word())));
            }
            Parameter::Context => has_context = true,
            Parameter::Whole(_) | Parameter::Argument(_) => {}
        }
    }
    let whole = list.iter().find(|(_, parameter)| matches!(parameter, Parameter::Whole(_)));
    let arguments = list.iter().filter(|(_, parameter)| !matches!(parameter, Parameter::Context));
    if let Some((span, _)) = whole.filter(|_| arguments.count() > 1) {
        let what = "this is all the arguments, so there is no other beside it but the context";
        faults.add(Error::new(*span, what));
    }
}

/// Refuses what no arguments can be read as.
fn refuse_type(of: &Type) -> Result<()> {
    let what = match borrow_in(of.to_token_stream()) {
        Some("impl") => "an argument is read as one type, so name it in the place of `impl Trait`",
        Some(_) if matches!(of, Type::Reference(to) if is_context(&to.elem)) => {
            "take the `Context` itself; its clones are the same request"
        }
        Some(_) => "an argument is owned by its call, so it borrows nothing: `String` in the place of `&str`",
        None => return Ok(()),
    };
    Err(Error::new_spanned(of, what))
}

/// The first word in a type that says that it is not a type of its own, or owns not all of its parts.
fn borrow_in(tokens: TokenStream) -> Option<&'static str> {
    let mut after_quote = false;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '&' => return Some("&"),
            TokenTree::Punct(punct) => after_quote = punct.as_char() == '\'',
            TokenTree::Ident(word) if after_quote => {
                after_quote = false;
                if word != "static" {
                    return Some("'");
                }
            }
            TokenTree::Ident(word) if word == "impl" => return Some("impl"),
            TokenTree::Group(group) => {
                if let Some(found) = borrow_in(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a type borrows for a lifetime that it names.
pub(crate) fn has_lifetime(of: &Type) -> bool {
    borrow_in(of.to_token_stream()).is_some_and(|found| found != "impl")
}

/// Whether the type is called `Context`, by whatever path.
fn is_context(of: &Type) -> bool {
    match of {
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| {
            segment.ident == "Context" && matches!(segment.arguments, PathArguments::None)
        }),
        _ => false,
    }
}

/// The last word of the path that a type is, without its parameters.
fn last_word(of: &Type) -> Option<&Ident> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// What is in an `Option` that is called so.
pub(crate) fn inside_option(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    match &segment.arguments {
        PathArguments::AngleBracketed(inside) => inside.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::Type(of) => Some(of),
            _ => None,
        }),
        _ => None,
    }
}

fn mentions(of: &Type, word: &str) -> bool {
    fn search(tokens: TokenStream, word: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == word,
            TokenTree::Group(group) => search(group.stream(), word),
            _ => false,
        })
    }
    search(of.to_token_stream(), word)
}
