//! An address that the server wants opened: shown whole, its host said, and nothing opened without consent.

use url::{Host, Url};

use super::dialogue::{Answer, Dialogue, Leave, shown};
use crate::output::{BOLD, ODD};

/// Asks whether an address may be opened.
pub(super) fn consent(address: &str, dialogue: &mut dyn Dialogue) -> Answer {
    let seen = Seen::of(address);
    dialogue.say(&format!("It wants you to open this address:\n  {}", shown(address)));
    match &seen.host {
        Some(host) => dialogue.say(&format!("  which is at the host {BOLD}{}{BOLD:#}", shown(host))),
        None => dialogue.say("  which names no host"),
    }
    seen.cautions.iter().for_each(|caution| dialogue.say(&format!("{ODD}  caution: {caution}{ODD:#}")));
    let decline = "Decline: tell the server no";
    let mine = "I open it myself";
    let options = match &seen.opens {
        Some(_) => vec![decline, mine, "Open it in the browser"],
        None => vec![decline, mine],
    };
    let options: Vec<String> = options.into_iter().map(str::to_owned).collect();
    match dialogue.choose("Open it?", "arrows move, Enter takes, Esc gives no answer", &options, 0) {
        Ok(0) => Answer::Decline,
        Ok(1) => Answer::Accept(None),
        Ok(_) => {
            let opened = seen.opens.as_deref().map(|address| dialogue.open(address));
            if let Some(Err(error)) = opened {
                dialogue.say(&format!(
                    "The browser could not be started ({error}); please open the address yourself."
                ));
            }
            Answer::Accept(None)
        }
        Err(Leave::Escape | Leave::Interrupt) => Answer::Cancel,
    }
}

/// What there is to see about an address.
#[derive(Debug, PartialEq)]
struct Seen {
    host: Option<String>,
    cautions: Vec<&'static str>,
    /// The address in the spelling that a browser gets, where it is one of the web.
    opens: Option<String>,
}

impl Seen {
    fn of(address: &str) -> Self {
        let Ok(url) = Url::parse(address) else {
            return Self { host: None, cautions: vec!["it is no address that can be read"], opens: None };
        };
        let is_web = matches!(url.scheme(), "http" | "https");
        let mut cautions = Vec::new();
        if !is_web {
            cautions.push("it is no address of the web, and is not opened from here");
        }
        if url.scheme() == "http" && !is_loopback(&url) {
            cautions.push("what goes there is not encrypted");
        }
        if !url.username().is_empty() || url.password().is_some() {
            cautions.push("what stands before the @ is a name, and not where it leads");
        }
        if url.host_str().is_some_and(|host| host.split('.').any(|label| label.starts_with("xn--"))) {
            cautions.push("its host is written in letters that may look like others");
        }
        Self { host: url.host_str().map(str::to_owned), cautions, opens: is_web.then(|| url.to_string()) }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Key, Scripted};
    use super::*;

    fn asked(address: &str, keys: &[Key]) -> (Answer, Scripted) {
        let mut user = Scripted::new(keys);
        let answer = consent(address, &mut user);
        (answer, user)
    }

    #[test]
    fn nothing_is_opened_without_consent() {
        let address = "https://example.com/pay?id=1";
        for (key, answer) in [
            (Key::Enter, Answer::Decline),
            (Key::Pick(1), Answer::Accept(None)),
            (Key::Escape, Answer::Cancel),
            (Key::Interrupt, Answer::Cancel),
        ] {
            let (given, user) = asked(address, &[key]);
            assert_eq!(given, answer, "{key:?}");
            assert_eq!(user.opened, Vec::<String>::new(), "{key:?}");
            assert!(user.said(address) && user.said("at the host example.com"), "{user:?}");
        }
        let (answer, user) = asked(address, &[Key::Pick(2)]);
        assert_eq!((answer, user.opened), (Answer::Accept(None), vec![address.to_owned()]));
    }

    #[test]
    fn a_browser_that_cannot_be_started_is_said_so() {
        let mut user = Scripted::new(&[Key::Pick(2)]);
        user.has_browser = false;
        assert_eq!(consent("https://example.com", &mut user), Answer::Accept(None));
        assert!(user.said("please open the address yourself"), "{user:?}");
    }

    #[test]
    fn where_an_address_leads_is_not_hidden() {
        let seen = Seen::of("http://bank.example@evil.example/");
        assert_eq!(seen.host.as_deref(), Some("evil.example"));
        assert_eq!(seen.cautions.len(), 2, "{seen:?}");
        assert_eq!(
            Seen::of("https://exаmple.com/").host.as_deref(),
            Some("xn--exmple-4nf.com"),
            "a Cyrillic letter"
        );
        assert_eq!(Seen::of("https://exаmple.com/").cautions.len(), 1);
        assert_eq!(Seen::of("http://127.0.0.1:8000/").cautions, Vec::<&str>::new());
        assert_eq!(Seen::of("https://a.example/?q=\u{1b}[2J").opens.unwrap(), "https://a.example/?q=%1B[2J");
    }

    #[test]
    fn only_addresses_of_the_web_are_opened() {
        for address in
            ["file:///etc/passwd", "javascript:alert(1)", "custom-app://run", "--help", "not an address"]
        {
            let seen = Seen::of(address);
            assert_eq!(seen.opens, None, "{address}");
            assert!(!seen.cautions.is_empty(), "{address}");
        }
    }
}
