//! The fields of a form: what each takes, and whether an answer fits.

use diglot::types::{EnumOption, NumberKind, NumberSchema, PrimitiveSchema, RequestedSchema, StringSchema};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::dialogue::shown;
use super::format;

/// The most fields of a form that are shown.
const MOST_FIELDS: usize = 100;

/// One field of a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    /// The name for people, on one line.
    pub(super) label: String,
    /// What the server says about it, on one line; it may be empty.
    pub(super) about: String,
    pub(super) is_required: bool,
    pub(super) default: Option<Value>,
    pub(super) kind: Kind,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Text within these lengths, of this format.
    Text { least: Option<u64>, most: Option<u64>, format: Option<String> },
    /// A number within these bounds.
    Number { is_whole: bool, minimum: Option<Number>, maximum: Option<Number> },
    /// Yes or no.
    YesOrNo,
    /// One of several choices.
    One(Vec<Choice>),
    /// Some of several choices, in these numbers.
    Some { choices: Vec<Choice>, least: Option<u64>, most: Option<u64> },
    /// What this version does not know; it is entered as JSON.
    Json,
}

/// A choice: the word that goes out, and what people read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
}

/// Reads the fields of a form, in their order.
pub(super) fn read(schema: &RawValue) -> Result<Vec<Field>, String> {
    let schema = RequestedSchema::read(schema).map_err(|fault| fault.reason.to_string())?;
    let fields: Vec<Field> = schema
        .properties
        .iter()
        .map(|(name, field)| one(name, field, schema.required.iter().any(|required| required == name)))
        .collect();
    match fields.len() > MOST_FIELDS {
        true => Err(format!("it has more than {MOST_FIELDS} fields")),
        false => Ok(fields),
    }
}

fn one(name: &str, schema: &PrimitiveSchema, is_required: bool) -> Field {
    /// Takes what all kinds of fields have.
    macro_rules! field {
        ($schema:expr, $default:expr, $kind:expr) => {{
            let label = $schema.title.as_deref().map(shown).filter(|title| !title.trim().is_empty());
            Field {
                name: name.to_owned(),
                label: label.unwrap_or_else(|| shown(name)),
                about: $schema.description.as_deref().map(shown).unwrap_or_default(),
                is_required,
                default: $default,
                kind: $kind,
            }
        }};
    }
    let text = |default: &Option<String>| default.clone().map(Value::String);
    let some = |default: &[String]| (!default.is_empty()).then(|| Value::from(default.to_vec()));
    match schema {
        PrimitiveSchema::String(schema) => field!(schema, text(&schema.default), kind_of_text(schema)),
        PrimitiveSchema::Number(schema) => {
            field!(schema, schema.default.clone().map(Value::Number), kind_of_number(schema))
        }
        PrimitiveSchema::Boolean(schema) => field!(schema, schema.default.map(Value::Bool), Kind::YesOrNo),
        PrimitiveSchema::Select(schema) => {
            field!(schema, text(&schema.default), Kind::One(plain_choices(&schema.values)))
        }
        PrimitiveSchema::TitledSelect(schema) => {
            field!(schema, text(&schema.default), Kind::One(titled_choices(&schema.options)))
        }
        PrimitiveSchema::LegacySelect(schema) => {
            let names = schema.names.iter().map(Some).chain(std::iter::repeat(None));
            let choices = schema.values.iter().zip(names).map(|(value, name)| choice(value, name));
            field!(schema, text(&schema.default), Kind::One(choices.collect()))
        }
        PrimitiveSchema::MultiSelect(schema) => {
            let choices = plain_choices(&schema.items.values);
            let (least, most) = (schema.min_items, schema.max_items);
            field!(schema, some(&schema.default), Kind::Some { choices, least, most })
        }
        PrimitiveSchema::TitledMultiSelect(schema) => {
            let choices = titled_choices(&schema.items.options);
            let (least, most) = (schema.min_items, schema.max_items);
            field!(schema, some(&schema.default), Kind::Some { choices, least, most })
        }
        _ => Field {
            name: name.to_owned(),
            label: shown(name),
            about: "a kind of field that this version does not know".to_owned(),
            is_required,
            default: None,
            kind: Kind::Json,
        },
    }
}

fn kind_of_text(schema: &StringSchema) -> Kind {
    let format = schema.format.as_ref().map(|format| format.as_str().to_owned());
    Kind::Text { least: schema.min_length, most: schema.max_length, format }
}

fn kind_of_number(schema: &NumberSchema) -> Kind {
    Kind::Number {
        is_whole: schema.kind == NumberKind::Integer,
        minimum: schema.minimum.clone(),
        maximum: schema.maximum.clone(),
    }
}

fn plain_choices(values: &[String]) -> Vec<Choice> {
    values.iter().map(|value| choice(value, None)).collect()
}

fn titled_choices(options: &[EnumOption]) -> Vec<Choice> {
    options.iter().map(|option| choice(&option.value, Some(&option.title))).collect()
}

fn choice(value: &str, name: Option<&String>) -> Choice {
    let label = name.filter(|name| !name.trim().is_empty()).map_or(value, String::as_str);
    Choice { value: value.to_owned(), label: shown(label) }
}

impl Field {
    /// Reads what was typed; nothing where the field is left out.
    pub(super) fn parse(&self, text: &str) -> Result<Option<Value>, String> {
        let trimmed = text.trim();
        match &self.kind {
            _ if trimmed.is_empty() && !self.is_required => Ok(None),
            Kind::Text { least: None | Some(0), format: None, .. } if trimmed == "\"\"" => {
                Ok(Some(Value::from("")))
            }
            _ if trimmed.is_empty() => Err("an answer is needed".to_owned()),
            Kind::Text { least, most, format: Some(format) } => {
                let text = format::check(format, trimmed)?;
                length(&text, *least, *most)?;
                Ok(Some(Value::String(text)))
            }
            Kind::Text { least, most, format: None } => {
                length(text, *least, *most)?;
                Ok(Some(Value::from(text)))
            }
            Kind::Number { is_whole, minimum, maximum } => {
                number(trimmed, *is_whole, minimum.as_ref(), maximum.as_ref())
                    .map(|number| Some(Value::Number(number)))
            }
            Kind::Json => {
                serde_json::from_str(trimmed).map(Some).map_err(|error| format!("it must be JSON: {error}"))
            }
            Kind::YesOrNo | Kind::One(_) | Kind::Some { .. } => Err("it is chosen, not typed".to_owned()),
        }
    }

    /// Reads which choices were taken; nothing where the field is left out.
    pub(super) fn take(&self, places: &[usize]) -> Result<Option<Value>, String> {
        let Kind::Some { choices, least, most } = &self.kind else { return Ok(None) };
        let values: Vec<String> = places
            .iter()
            .filter_map(|place| choices.get(*place))
            .map(|choice| choice.value.clone())
            .collect();
        let count = values.len() as u64;
        if values.is_empty() && !self.is_required && self.default.is_none() {
            return Ok(None);
        }
        match (least.filter(|least| count < *least), most.filter(|most| count > *most)) {
            (Some(least), _) => Err(format!("at least {least} must be chosen")),
            (_, Some(most)) => Err(format!("at most {most} may be chosen")),
            (None, None) => Ok(Some(Value::from(values))),
        }
    }

    /// Says what an answer must be, where that is not plain from the prompt itself.
    pub(super) fn bounds(&self) -> Option<String> {
        match &self.kind {
            Kind::Text { least, most, format } => {
                let format = format.as_deref().and_then(format::word).map(str::to_owned);
                joined([format, span(least.as_ref(), most.as_ref(), "characters")])
            }
            Kind::Number { is_whole, minimum, maximum } => {
                let what = if *is_whole { "a whole number" } else { "a number" };
                joined([Some(what.to_owned()), span(minimum.as_ref(), maximum.as_ref(), "")])
            }
            Kind::Some { least, most, .. } => span(least.as_ref(), most.as_ref(), "of them"),
            Kind::Json => Some("JSON".to_owned()),
            Kind::YesOrNo | Kind::One(_) => None,
        }
    }

    /// Returns an answer as people read it, on one line.
    pub(super) fn told(&self, answer: &Value) -> String {
        let label = |choices: &[Choice], value: &Value| {
            let found = choices.iter().find(|choice| value == &choice.value);
            found.map_or_else(|| told_plainly(value), |choice| choice.label.clone())
        };
        match (&self.kind, answer) {
            (Kind::YesOrNo, Value::Bool(answer)) => if *answer { "yes" } else { "no" }.to_owned(),
            (Kind::One(choices), value) => label(choices, value),
            (Kind::Some { choices, .. }, Value::Array(values)) => {
                let labels: Vec<String> = values.iter().map(|value| label(choices, value)).collect();
                if labels.is_empty() { "none".to_owned() } else { labels.join(", ") }
            }
            (_, value) => told_plainly(value),
        }
    }
}

fn told_plainly(value: &Value) -> String {
    value.as_str().map_or_else(|| shown(&value.to_string()), shown)
}

fn length(text: &str, least: Option<u64>, most: Option<u64>) -> Result<(), String> {
    let length = text.chars().count() as u64;
    match (least.filter(|least| length < *least), most.filter(|most| length > *most)) {
        (Some(least), _) => Err(format!("it must have at least {least} characters, and has {length}")),
        (_, Some(most)) => Err(format!("it may have at most {most} characters, and has {length}")),
        (None, None) => Ok(()),
    }
}

fn number(
    text: &str,
    is_whole: bool,
    minimum: Option<&Number>,
    maximum: Option<&Number>,
) -> Result<Number, String> {
    let what = if is_whole { "it must be a whole number" } else { "it must be a number" };
    let number: Number = serde_json::from_str(text.trim_start_matches('+')).map_err(|_| what.to_owned())?;
    let number = match is_whole {
        true => whole(&number).ok_or(what)?,
        false => number,
    };
    let is_below = |bound: &Number| compare(&number, bound) == std::cmp::Ordering::Less;
    let is_above = |bound: &Number| compare(&number, bound) == std::cmp::Ordering::Greater;
    match (minimum.filter(|bound| is_below(bound)), maximum.filter(|bound| is_above(bound))) {
        (Some(bound), _) => Err(format!("it must be at least {bound}")),
        (_, Some(bound)) => Err(format!("it must be at most {bound}")),
        (None, None) => Ok(number),
    }
}

/// Returns a number without a fraction as an integer: `1e3` and `2.0` are ones.
fn whole(number: &Number) -> Option<Number> {
    /// Above this, a float no longer tells one integer from the next.
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= LARGEST)?;
    format!("{float:.0}").parse::<i64>().ok().map(Number::from)
}

fn compare(one: &Number, other: &Number) -> std::cmp::Ordering {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(std::cmp::Ordering::Equal),
    }
}

fn span<T: std::fmt::Display>(least: Option<&T>, most: Option<&T>, what: &str) -> Option<String> {
    let text = match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most} {what}"),
        (Some(least), None) => format!("at least {least} {what}"),
        (None, Some(most)) => format!("at most {most} {what}"),
        (None, None) => return None,
    };
    Some(text.trim_end().to_owned())
}

fn joined(parts: [Option<String>; 2]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests;
