//! Spans of time as they are written on the command line: `250ms`, `10s`, `1.5m`, `10`.

use std::time::Duration;

/// The longest span, in seconds: a hundred days, far from where clocks overflow.
const LONGEST: f64 = 8_640_000.0;

/// Reads a span of time; a number without a unit counts seconds.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit.trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("{unit:?} is no unit of time; use ms, s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| "a time is a number and a unit, such as 10s".to_owned())?;
    let seconds = number * scale;
    match seconds > 0.0 && seconds <= LONGEST {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("a time must be longer than nothing and shorter than a hundred days".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_scale_the_number() {
        for (text, millis) in
            [("250ms", 250), ("10s", 10_000), ("10", 10_000), ("1.5m", 90_000), ("1h", 3_600_000)]
        {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "s", "0", "-1s", "10x", "1e9", "1.2.3s", "99999999999999999999s", "ten"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
