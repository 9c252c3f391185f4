//! The formats of text that a form may ask for.

use url::Url;

/// Checks a text and returns it in the spelling that goes out, or says what it must be.
pub(super) fn check(format: &str, text: &str) -> Result<String, &'static str> {
    let is = |fits: bool, what| if fits { Ok(text.to_owned()) } else { Err(what) };
    match format {
        "email" => is(is_email(text), "it must be an address for mail, such as ada@example.com"),
        "uri" => is(is_uri(text), "it must be an address with its scheme, such as https://example.com"),
        "date" => is(is_date(text), "it must be a day, such as 2026-07-28"),
        "date-time" => date_time(text).ok_or("it must be a day and a time, such as 2026-07-28T09:30:00Z"),
        // The specification knows no others; what they mean is the server's to check.
        _ => Ok(text.to_owned()),
    }
}

/// Says in a word what a format asks for.
pub(super) fn word(format: &str) -> Option<&'static str> {
    match format {
        "email" => Some("an address for mail"),
        "uri" => Some("an address with its scheme"),
        "date" => Some("a day as YYYY-MM-DD"),
        "date-time" => Some("a day and a time as YYYY-MM-DDThh:mm:ssZ"),
        _ => None,
    }
}

fn is_email(text: &str) -> bool {
    let is_bare = |c: char| c.is_whitespace() || c.is_control() || "<>()[],;:\\\"".contains(c);
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_label = |label: &str| {
        let letters = label.chars().all(|c| c.is_alphanumeric() || c == '-');
        !label.is_empty() && letters && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_local = !local.is_empty() && !local.contains('@') && !local.contains(is_bare);
    is_local && local.split('.').all(|atom| !atom.is_empty()) && domain.split('.').all(is_label)
}

fn is_uri(text: &str) -> bool {
    let is_bare = |c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c);
    !text.contains(is_bare) && Url::parse(text).is_ok()
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |digits| number(parts.next()?, digits);
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else { return false };
    parts.next().is_none() && (1..=days(year, month)).contains(&day)
}

fn days(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Reads a time of RFC 3339, and writes its `T` and `Z` as that wants them.
fn date_time(text: &str) -> Option<String> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let at = rest.find(['Z', 'z', '+', '-'])?;
    let (time, offset) = rest.split_at(at);
    let (clock, fraction) = time.split_once('.').map_or((time, None), |(clock, rest)| (clock, Some(rest)));
    let is_fraction =
        fraction.is_none_or(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    let is_offset = match offset {
        "Z" | "z" => true,
        offset => is_clock(offset.get(1..)?, &[23, 59]),
    };
    (is_date(date) && is_clock(clock, &[23, 59, 60]) && is_fraction && is_offset)
        .then(|| format!("{date}T{time}{}", offset.to_ascii_uppercase()))
}

/// Tells whether a text is numbers of two digits between colons, none above its bound.
fn is_clock(text: &str, bounds: &[u32]) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let fits = |(part, most): (&&str, &u32)| number(part, 2).is_some_and(|number| number <= *most);
    parts.len() == bounds.len() && parts.iter().zip(bounds).all(fits)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let is_fit = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_fit.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[rustfmt::skip]
    fn a_format_is_kept() {
        for (format, text) in [
            ("email", "ada@example.com"), ("email", "a.b+c@localhost"), ("email", "é@exämple.de"),
            ("uri", "https://example.com/a?b#c"), ("uri", "urn:isbn:1"), ("uri", "file:///a"),
            ("date", "2024-02-29"), ("date", "2000-02-29"), ("date", "2026-12-31"),
            ("date-time", "2026-07-28T09:30:00Z"), ("date-time", "2026-07-28T23:59:60.25+02:00"),
            ("other", "anything"),
        ] {
            assert_eq!(check(format, text).as_deref(), Ok(text), "{format} {text}");
        }
        assert_eq!(check("date-time", "2026-07-28 09:30:00z").unwrap(), "2026-07-28T09:30:00Z");
    }

    #[test]
    #[rustfmt::skip]
    fn what_breaks_a_format_is_refused() {
        for (format, text) in [
            ("email", "ada"), ("email", "@example.com"), ("email", "a b@example.com"), ("email", "a@-b.com"),
            ("email", "a@b..c"), ("email", "a..b@c"),
            ("uri", "example.com"), ("uri", "/a/b"), ("uri", "https://a b"), ("uri", "https://"),
            ("date", "2023-02-29"), ("date", "1900-02-29"), ("date", "2026-13-01"), ("date", "2026-7-1"),
            ("date", "2026-07-28-1"), ("date", "+026-07-28"), ("date", "28.07.2026"),
            ("date-time", "2026-07-28"), ("date-time", "2026-07-28T09:30Z"), ("date-time", "2026-07-28T24:00:00Z"),
            ("date-time", "2026-07-28T09:30:00"), ("date-time", "2026-07-28T09:30:00.Z"),
            ("date-time", "2026-07-28T09:30:00+2"), ("date-time", "2026-07-28T09:30:00é+02:00"),
        ] {
            assert!(check(format, text).is_err(), "{format} {text}");
        }
    }
}
