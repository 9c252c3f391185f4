//! How a question is spelt at the revision of the client, which did not always have every kind of field.

use diglot_proto::types::{
    ElicitFormParams, ElicitUrlParams, LegacyTitledEnum, PrimitiveSchema, RequestedSchema, TitledSingleSelect,
};
use diglot_proto::version::{Era, Revision};
use ring::rand::{SecureRandom, SystemRandom};

use crate::server::form::{BadForm, FormFault};

/// Spells a form as a revision has it; those before 2025-06-18 have none, and get its spelling.
///
/// # Errors
///
/// A field is of no kind that a client could show, or of none that the revision has.
pub(crate) fn form(mut params: ElicitFormParams, revision: Revision) -> Result<ElicitFormParams, BadForm> {
    let form = RequestedSchema::read(&params.requested_schema)
        .map_err(|_| BadForm::by_hand(None, FormFault::NoStruct))?;
    for (name, field) in form.properties.iter() {
        if matches!(field, PrimitiveSchema::Other(_)) {
            return Err(BadForm::by_hand(Some(name), FormFault::OtherKind));
        }
    }
    if revision <= Revision::V2025_06_18 {
        params.mode = None;
        params.task = None;
        params.requested_schema = plain(form)?.to_raw();
    }
    Ok(params)
}

/// Spells a form as revision 2025-06-18 has it: defaults for yes and no alone, names of choices apart, one choice a field.
fn plain(form: RequestedSchema) -> Result<RequestedSchema, BadForm> {
    let mut plain = RequestedSchema::form();
    plain.required = form.required;
    for (name, field) in form.properties.iter() {
        let field = match field.clone() {
            PrimitiveSchema::String(mut field) => {
                field.default = None;
                field.into()
            }
            PrimitiveSchema::Number(mut field) => {
                field.default = None;
                field.into()
            }
            PrimitiveSchema::Select(mut field) => {
                field.default = None;
                field.into()
            }
            PrimitiveSchema::LegacySelect(mut field) => {
                field.default = None;
                field.into()
            }
            PrimitiveSchema::TitledSelect(field) => names_apart(field).into(),
            field @ PrimitiveSchema::Boolean(_) => field,
            _ => return Err(BadForm::by_hand(Some(name), FormFault::ManyChoices)),
        };
        plain.properties.push(name, field);
    }
    Ok(plain)
}

fn names_apart(field: TitledSingleSelect) -> LegacyTitledEnum {
    let (words, names): (Vec<_>, Vec<_>) =
        field.options.into_iter().map(|option| (option.value, option.title)).unzip();
    let mut plain = LegacyTitledEnum::new(words).names(names);
    (plain.title, plain.description) = (field.title, field.description);
    plain
}

/// Spells the question to open an address: only revision 2025-11-25 has a name for it, and demands one.
pub(crate) fn url(mut params: ElicitUrlParams, revision: Revision) -> ElicitUrlParams {
    match revision.era() {
        Era::Legacy => {
            params.elicitation_id.get_or_insert_with(drawn);
        }
        _ => params.elicitation_id = None,
    }
    params
}

/// Draws a name of 128 bits, which no two elicitations share.
fn drawn() -> String {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).expect("the system has randomness");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
