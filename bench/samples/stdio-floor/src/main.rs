//! A server over pipes on the standard library: it parses a call, repeats a text, and answers.

use std::io::{BufRead as _, Write as _};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The line that changes between two builds.
const LINE: Option<&str> = option_env!("BENCH_LINE");

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    params: Say,
}

#[derive(Deserialize)]
struct Say {
    text: String,
    count: usize,
}

#[derive(Serialize)]
struct Said<'a> {
    id: &'a RawValue,
    result: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    eprintln!("{}", LINE.unwrap_or("0"));
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let call: Call<'_> = serde_json::from_str(&line)?;
        let said = Said { id: call.id, result: call.params.text.repeat(call.params.count) };
        println!("{}", serde_json::to_string(&said)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}
