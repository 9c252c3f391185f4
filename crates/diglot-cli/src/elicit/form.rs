//! The conversation about a form: field by field, a look at the whole, and a way out at any time.

use serde_json::{Map, Value};

use super::dialogue::{Answer, Dialogue, Leave, shown};
use super::field::{Choice, Field, Kind};
use crate::output::{BAD, DIM};

/// What ends the conversation, or begins it anew.
enum Way {
    Out(Answer),
    Again,
}

/// What a menu has for those who do not want to answer.
const DECLINE: &str = "Decline: tell the server no";
const CANCEL: &str = "Cancel: give no answer";

/// Has the user fill a form.
pub(super) fn fill(fields: &[Field], dialogue: &mut dyn Dialogue) -> Answer {
    dialogue.say(&format!("{DIM}Esc to decline or cancel, at any question. Ctrl-C cancels.{DIM:#}"));
    let mut answers: Vec<Option<Value>> = vec![None; fields.len()];
    // Only the user can have it begin anew.
    loop {
        match round(fields, &mut answers, dialogue) {
            Way::Out(answer) => return answer,
            Way::Again => {}
        }
    }
}

/// Asks for every field, with what was answered before at hand.
fn round(fields: &[Field], answers: &mut [Option<Value>], dialogue: &mut dyn Dialogue) -> Way {
    for (field, answer) in fields.iter().zip(answers.iter_mut()) {
        loop {
            match ask(field, answer.as_ref(), dialogue) {
                Ok(given) => {
                    *answer = given;
                    break;
                }
                Err(Leave::Interrupt) => return Way::Out(Answer::Cancel),
                Err(Leave::Escape) => match leave(dialogue) {
                    Some(way) => return way,
                    None => continue,
                },
            }
        }
    }
    confirm(fields, answers, dialogue)
}

/// Asks what Esc means; nothing means to go on.
fn leave(dialogue: &mut dyn Dialogue) -> Option<Way> {
    let options = ["Go on", "Start over", DECLINE, CANCEL].map(str::to_owned);
    match dialogue.choose("Leave this?", "", &options, 0) {
        Ok(0) | Err(Leave::Escape) => None,
        Ok(1) => Some(Way::Again),
        Ok(2) => Some(Way::Out(Answer::Decline)),
        Ok(_) | Err(Leave::Interrupt) => Some(Way::Out(Answer::Cancel)),
    }
}

/// Shows what would be sent, where that is more than one answer, and asks whether it may go.
fn confirm(fields: &[Field], answers: &[Option<Value>], dialogue: &mut dyn Dialogue) -> Way {
    let content = || {
        let given = fields.iter().zip(answers).filter_map(|(field, answer)| Some((field, answer.as_ref()?)));
        let content: Map<String, Value> =
            given.map(|(field, answer)| (field.name.clone(), answer.clone())).collect();
        Way::Out(Answer::Accept(Some(content)))
    };
    if fields.len() == 1 {
        return content();
    }
    for (field, answer) in fields.iter().zip(answers) {
        let answer =
            answer.as_ref().map_or_else(|| format!("{DIM}left out{DIM:#}"), |answer| field.told(answer));
        dialogue.say(&format!("  {}: {answer}", field.label));
    }
    let (question, options) = match fields {
        [] => ("Agree?", vec!["Yes", DECLINE, CANCEL]),
        _ => ("Send this to the server?", vec!["Send", DECLINE, CANCEL, "Start over"]),
    };
    let options: Vec<String> = options.into_iter().map(str::to_owned).collect();
    match dialogue.choose(question, "", &options, 0) {
        Ok(0) => content(),
        Ok(1) => Way::Out(Answer::Decline),
        Ok(2) | Err(_) => Way::Out(Answer::Cancel),
        Ok(_) => Way::Again,
    }
}

/// Asks for one field until the answer fits; `earlier` is what was answered before.
fn ask(field: &Field, earlier: Option<&Value>, dialogue: &mut dyn Dialogue) -> Result<Option<Value>, Leave> {
    match &field.kind {
        Kind::YesOrNo => {
            let word = |value: &str| Choice { value: value.to_owned(), label: value.to_owned() };
            let taken = one(field, &[word("yes"), word("no")], earlier, dialogue)?;
            Ok(taken.map(|place| Value::Bool(place == 0)))
        }
        Kind::One(choices) => {
            let taken = one(field, choices, earlier, dialogue)?;
            Ok(taken.and_then(|place| choices.get(place)).map(|choice| Value::from(choice.value.as_str())))
        }
        Kind::Some { choices, .. } => some(field, choices, earlier, dialogue),
        Kind::Text { .. } | Kind::Number { .. } | Kind::Json => text(field, earlier, dialogue),
    }
}

fn text(field: &Field, earlier: Option<&Value>, dialogue: &mut dyn Dialogue) -> Result<Option<Value>, Leave> {
    let default = field.default.as_ref().map(|default| field.told(default));
    let rest = match (&default, field.is_required) {
        (Some(default), _) => format!("Enter takes {default}"),
        (None, false) => "Enter leaves it out".to_owned(),
        (None, true) => String::new(),
    };
    let help = help(field, &rest);
    // What was typed is offered for a correction, but a default only once.
    let mut initial = match earlier {
        Some(earlier) if field.default.as_ref() != Some(earlier) => field.told(earlier),
        _ => String::new(),
    };
    loop {
        let typed = dialogue.text(&field.label, &help, default.as_deref(), &initial)?;
        if field.default.is_some() && (typed.is_empty() || Some(&typed) == default.as_ref()) {
            return Ok(field.default.clone());
        }
        match field.parse(&typed) {
            Ok(answer) => return Ok(answer),
            Err(why) => complain(&why, dialogue),
        }
        initial = shown(&typed);
    }
}

/// Has one of several choices taken; nothing where the field is left out.
fn one(
    field: &Field,
    choices: &[Choice],
    earlier: Option<&Value>,
    dialogue: &mut dyn Dialogue,
) -> Result<Option<usize>, Leave> {
    let mut options: Vec<String> = choices.iter().map(|choice| choice.label.clone()).collect();
    // Where there is a default, it would stand in for what is left out.
    if !field.is_required && field.default.is_none() {
        options.push("(leave it out)".to_owned());
    }
    let wanted = earlier.or(field.default.as_ref());
    let is_wanted = |choice: &Choice| match wanted {
        Some(Value::Bool(answer)) => choice.value == if *answer { "yes" } else { "no" },
        Some(value) => value == &choice.value,
        None => false,
    };
    let at = choices.iter().position(is_wanted).unwrap_or(0);
    let place = dialogue.choose(&field.label, &help(field, "arrows move, Enter takes"), &options, at)?;
    Ok((place < choices.len()).then_some(place))
}

fn some(
    field: &Field,
    choices: &[Choice],
    earlier: Option<&Value>,
    dialogue: &mut dyn Dialogue,
) -> Result<Option<Value>, Leave> {
    let options: Vec<String> = choices.iter().map(|choice| choice.label.clone()).collect();
    let wanted = earlier.or(field.default.as_ref()).and_then(Value::as_array);
    let is_wanted =
        |choice: &Choice| wanted.is_some_and(|values| values.iter().any(|value| value == &choice.value));
    let mut chosen: Vec<usize> =
        choices.iter().enumerate().filter(|(_, choice)| is_wanted(choice)).map(|(place, _)| place).collect();
    let help = help(field, "arrows move, space marks, Enter takes");
    loop {
        chosen = dialogue.choose_some(&field.label, &help, &options, &chosen)?;
        match field.take(&chosen) {
            Ok(answer) => return Ok(answer),
            Err(why) => complain(&why, dialogue),
        }
    }
}

fn help(field: &Field, rest: &str) -> String {
    let optional = if field.is_required || field.default.is_some() { "" } else { "optional" };
    let parts = [field.about.as_str(), &field.bounds().unwrap_or_default(), optional, rest];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

fn complain(why: &str, dialogue: &mut dyn Dialogue) {
    dialogue.say(&format!("{BAD}  {why}{BAD:#}"));
}

#[cfg(test)]
mod tests;
