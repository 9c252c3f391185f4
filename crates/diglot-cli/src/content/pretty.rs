//! JSON with line ends and indents, every token as it came.

/// Lays JSON out over lines; numbers and keys stay as they are written.
pub(super) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut is_string = false;
    let mut is_escaped = false;
    let mut characters = json.chars().filter(|c| !c.is_ascii_control()).peekable();
    while let Some(c) = characters.next() {
        if is_string {
            out.push(c);
            is_string = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        match c {
            ' ' => {}
            '{' | '[' => {
                out.push(c);
                while characters.next_if_eq(&' ').is_some() {}
                if let Some(end) = characters.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => {
                is_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_stay_as_they_came() {
        let json = "{\"a\" :1.0,\n\"b\":[ ] , \"c\":{\"d, \\\" e\":[12345678901234567890123,null]}}";
        let expected = "{\n  \"a\": 1.0,\n  \"b\": [],\n  \"c\": {\n    \"d, \\\" e\": [\n      \
                        12345678901234567890123,\n      null\n    ]\n  }\n}";
        assert_eq!(pretty(json), expected);
    }
}
