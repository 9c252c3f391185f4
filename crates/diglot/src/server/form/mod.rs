//! The form that asks the user for a type: its schema, brought down to the few kinds of fields that a client can show.
//!
//! A form is flat (`client/elicitation`): texts, numbers, yes or no, and choices. What is nested has no place in it, and is
//! refused before anything is asked.

pub(super) mod spelling;

use std::fmt;

use diglot_proto::types::{
    BooleanSchema, EnumOption, NumberKind, NumberSchema, PrimitiveSchema, RequestedSchema, StringFormat,
    StringSchema, TitledMultiSelect, TitledSingleSelect, UntitledMultiSelect, UntitledSingleSelect,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Makes the form whose fields are those of a type, as [`Context::elicit`](crate::Context::elicit) sends it.
///
/// The names, kinds, limits, defaults and choices are those of the type's schema; doc comments become descriptions, and
/// those of an enum's variants the names of the choices unless they have a `title`. Fields that must be filled come
/// first, in the order of the type. Two formats of text are kept besides `email` and `uri`: `date` and `date-time`.
///
/// A test that calls this finds out early whether a type can be asked for.
///
/// ```
/// #[derive(diglot::schemars::JsonSchema)]
/// #[schemars(crate = "diglot::schemars")]
/// struct Order {
///     dish: String,
///     spicy: Option<bool>,
/// }
///
/// let form = diglot::server::form_of::<Order>()?;
/// assert_eq!(form.required, ["dish"]);
/// # Ok::<(), diglot::server::BadForm>(())
/// ```
///
/// # Errors
///
/// The type is no struct of texts, numbers, booleans and choices: [`BadForm`] names the field that does not fit.
pub fn form_of<T: JsonSchema>() -> Result<RequestedSchema, BadForm> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    of_schema(schema.as_value()).map_err(|(field, fault)| BadForm {
        type_name: Some(T::schema_name().into_owned()),
        field,
        fault,
    })
}

/// A form that no client could show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadForm {
    /// The name of the type that was asked for; nothing where the form was made by hand.
    pub type_name: Option<String>,
    /// The field that does not fit; nothing where the whole does not.
    pub field: Option<String>,
    fault: FormFault,
}

impl BadForm {
    /// Says what is wrong with a form that was made by hand.
    pub(crate) fn by_hand(field: Option<&str>, fault: FormFault) -> Self {
        Self { type_name: None, field: field.map(str::to_owned), fault }
    }
}

/// What is wrong with a form or with one of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormFault {
    NoStruct,
    Nested,
    List,
    Recursive,
    OtherKind,
    ManyChoices,
}

impl fmt::Display for BadForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.type_name {
            Some(name) => write!(f, "the type {name} cannot be asked for as a form: ")?,
            None => f.write_str("the form cannot be shown: ")?,
        }
        match &self.field {
            Some(field) => write!(f, "its field {field:?} ")?,
            None => f.write_str("it ")?,
        }
        f.write_str(match self.fault {
            FormFault::NoStruct => "is no struct with named fields",
            FormFault::Nested => "is an object, and a form is flat",
            FormFault::List => "is a list of something other than choices",
            FormFault::Recursive => "refers to a type that contains itself",
            FormFault::OtherKind => "is neither a text, a number, a boolean nor a choice",
            FormFault::ManyChoices => "takes several choices, which revision 2025-06-18 cannot ask for",
        })
    }
}

impl std::error::Error for BadForm {}

type Misfit = (Option<String>, FormFault);

fn of_schema(schema: &Value) -> Result<RequestedSchema, Misfit> {
    let no_struct = || (None, FormFault::NoStruct);
    let whole = schema.as_object().ok_or_else(no_struct)?;
    let is_split = ["oneOf", "anyOf", "allOf", "$ref"].iter().any(|word| whole.contains_key(*word));
    if whole.get("type").and_then(Value::as_str) != Some("object") || is_split {
        return Err(no_struct());
    }
    let required: Vec<&str> = words(whole.get("required"));
    let fields = whole.get("properties").and_then(Value::as_object);
    let fields = || fields.into_iter().flatten().map(|(name, field)| (name.as_str(), field));
    let mut form = RequestedSchema::form();
    let field = |field: &Value, name: &str| of_field(field).map_err(|fault| (Some(name.to_owned()), fault));
    for name in &required {
        if let Some((_, schema)) = fields().find(|(own, _)| own == name) {
            form = form.field(name, field(schema, name)?);
        }
    }
    for (name, schema) in fields().filter(|(name, _)| !required.contains(name)) {
        form = form.optional_field(name, field(schema, name)?);
    }
    Ok(form)
}

fn of_field(schema: &Value) -> Result<PrimitiveSchema, FormFault> {
    let field = Field(schema.as_object().ok_or(FormFault::OtherKind)?);
    if field.has("$ref") {
        return Err(FormFault::Recursive);
    }
    if let Some(inside) = field.inside_of_optional() {
        return of_optional(field, inside);
    }
    if let Some(choices) = Choices::of(field) {
        return Ok(choices.single(field));
    }
    match field.kind() {
        Some("string") => Ok(field.string().into()),
        Some("integer") => Ok(field.number(NumberKind::Integer).into()),
        Some("number") => Ok(field.number(NumberKind::Number).into()),
        Some("boolean") => {
            let mut boolean = BooleanSchema::new();
            (boolean.title, boolean.description) = (field.text("title"), field.text("description"));
            boolean.default = field.0.get("default").and_then(Value::as_bool);
            Ok(boolean.into())
        }
        Some("array") => {
            let items = field.0.get("items").and_then(Value::as_object).map(Field);
            let choices = items.and_then(Choices::of).ok_or(FormFault::List)?;
            Ok(choices.multiple(field))
        }
        Some("object") => Err(FormFault::Nested),
        _ => Err(FormFault::OtherKind),
    }
}

/// Reads the one alternative of an optional field that is not null; what is said of the field counts for it.
fn of_optional(field: Field<'_>, inside: &Value) -> Result<PrimitiveSchema, FormFault> {
    let mut inside = inside.as_object().cloned().ok_or(FormFault::OtherKind)?;
    for word in ["title", "description", "default"] {
        if let Some(value) = field.0.get(word) {
            inside.insert(word.to_owned(), value.clone());
        }
    }
    of_field(&Value::Object(inside))
}

/// The schema of a field.
#[derive(Clone, Copy)]
struct Field<'s>(&'s Map<String, Value>);

impl<'s> Field<'s> {
    fn has(self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    /// Returns the one type that is not null.
    fn kind(self) -> Option<&'s str> {
        match self.0.get("type")? {
            Value::String(kind) => Some(kind),
            Value::Array(_) => match *words(self.0.get("type")) {
                [kind] | [kind, "null"] | ["null", kind] => Some(kind),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns what the field is when it is there, where the schema has it as one of two alternatives.
    fn inside_of_optional(self) -> Option<&'s Value> {
        let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
        match self.0.get("anyOf")?.as_array()?.as_slice() {
            [inside, null] if is_null(null) => Some(inside),
            [null, inside] if is_null(null) => Some(inside),
            _ => None,
        }
    }

    fn text(self, word: &str) -> Option<String> {
        self.0.get(word).and_then(Value::as_str).map(str::to_owned)
    }

    fn size(self, word: &str) -> Option<u64> {
        self.0.get(word).and_then(Value::as_u64)
    }

    fn string(self) -> StringSchema {
        let mut string = StringSchema::new();
        (string.title, string.description) = (self.text("title"), self.text("description"));
        (string.min_length, string.max_length) = (self.size("minLength"), self.size("maxLength"));
        string.default = self.text("default");
        string.format = self.text("format").and_then(|format| match format.as_str() {
            "email" => Some(StringFormat::Email),
            "uri" => Some(StringFormat::Uri),
            "date" => Some(StringFormat::Date),
            "date-time" => Some(StringFormat::DateTime),
            // Clients know no others; the answer is checked by the type itself.
            _ => None,
        });
        string
    }

    fn number(self, kind: NumberKind) -> NumberSchema {
        let value = |word: &str| self.0.get(word).and_then(Value::as_number).cloned();
        let mut number = NumberSchema::new(kind);
        (number.title, number.description) = (self.text("title"), self.text("description"));
        (number.minimum, number.maximum) = (value("minimum"), value("maximum"));
        number.default = value("default");
        number
    }
}

/// The words that a field offers, each with a name for people.
struct Choices {
    options: Vec<EnumOption>,
    /// Whether any name says more than its word.
    are_titled: bool,
}

impl Choices {
    /// Reads the choices of a schema: words in `enum`, one in `const`, or alternatives that are such words.
    fn of(field: Field<'_>) -> Option<Self> {
        let mut options = Vec::new();
        match field.0.get("oneOf").or(field.0.get("anyOf")) {
            None => add(field, &mut options)?,
            Some(alternatives) => {
                for alternative in alternatives.as_array()? {
                    add(Field(alternative.as_object()?), &mut options)?;
                }
            }
        }
        let are_titled = options.iter().any(|option| option.title != option.value);
        Some(Self { options, are_titled })
    }

    fn into_words(self) -> Vec<String> {
        self.options.into_iter().map(|option| option.value).collect()
    }

    /// Makes the field that takes one of them.
    fn single(self, field: Field<'_>) -> PrimitiveSchema {
        let (title, description) = (field.text("title"), field.text("description"));
        let default = field.text("default");
        if self.are_titled {
            let mut select = TitledSingleSelect::new(self.options);
            (select.title, select.description, select.default) = (title, description, default);
            return select.into();
        }
        let mut select = UntitledSingleSelect::new(self.into_words());
        (select.title, select.description, select.default) = (title, description, default);
        select.into()
    }

    /// Makes the field that takes some of them.
    fn multiple(self, field: Field<'_>) -> PrimitiveSchema {
        let (title, description) = (field.text("title"), field.text("description"));
        let default = words(field.0.get("default")).into_iter().map(str::to_owned).collect();
        let (least, most) = (field.size("minItems"), field.size("maxItems"));
        if self.are_titled {
            let mut select = TitledMultiSelect::new(self.options);
            (select.title, select.description, select.default) = (title, description, default);
            (select.min_items, select.max_items) = (least, most);
            return select.into();
        }
        let mut select = UntitledMultiSelect::new(self.into_words());
        (select.title, select.description, select.default) = (title, description, default);
        (select.min_items, select.max_items) = (least, most);
        select.into()
    }
}

/// Adds the words of one schema; nothing where it is not a schema of words.
fn add(field: Field<'_>, options: &mut Vec<EnumOption>) -> Option<()> {
    if let Some(word) = field.0.get("const") {
        let word = word.as_str()?;
        let title = field.text("title").or_else(|| field.text("description"));
        options.push(EnumOption::new(word, title.unwrap_or_else(|| word.to_owned())));
        return Some(());
    }
    // An optional choice has null among its words.
    for word in field.0.get("enum")?.as_array()?.iter().filter(|word| !word.is_null()) {
        let word = word.as_str()?;
        options.push(EnumOption::new(word, word));
    }
    Some(())
}

fn words(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
