//! Pictures between the lines, on terminals that say that they can show them.

use base64::Engine;

use super::files::{STANDARD_BASE64, decoded};

/// The largest picture that is drawn, in bytes.
const LARGEST: usize = 8 * 1024 * 1024;

/// How many characters of Base64 one command of kitty's protocol holds at most.
const CHUNK: usize = 4096;

/// How a terminal takes pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Graphics {
    /// It takes none, or does not say so.
    None,
    /// By the graphics protocol of kitty, which takes PNG.
    Kitty,
    /// By the escape sequence of iTerm2, which takes what the system can show.
    Iterm,
}

impl Graphics {
    /// Reads the environment; what stands between a terminal and us may not pass pictures on.
    pub(crate) fn of_environment() -> Self {
        Self::of(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let term = variable("TERM").unwrap_or_default();
        if variable("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux") {
            return Self::None;
        }
        match (term.as_str(), variable("TERM_PROGRAM").as_deref()) {
            ("xterm-kitty" | "xterm-ghostty", _) | (_, Some("ghostty")) => Self::Kitty,
            (_, Some("iTerm.app" | "WezTerm")) => Self::Iterm,
            _ if variable("KITTY_WINDOW_ID").is_some() => Self::Kitty,
            _ => Self::None,
        }
    }

    /// Returns what draws a picture and ends its line; nothing where the terminal cannot show it.
    pub(super) fn draw(self, data: &str, mime_type: &str) -> Option<String> {
        let is_image = mime_type.trim().to_ascii_lowercase().starts_with("image/");
        if self == Self::None || !is_image || data.len() / 4 * 3 > LARGEST {
            return None;
        }
        let bytes = decoded(data).ok()?;
        // Written anew, so that nothing but Base64 is within the sequence.
        let data = STANDARD_BASE64.encode(&bytes);
        match self {
            Self::Kitty if bytes.starts_with(b"\x89PNG") => Some(kitty(&data)),
            Self::Iterm => Some(format!(
                "\x1b]1337;File=inline=1;size={};preserveAspectRatio=1:{data}\x07\n",
                bytes.len()
            )),
            _ => None,
        }
    }
}

fn kitty(data: &str) -> String {
    let mut out = String::with_capacity(data.len() + data.len() / 128 + 32);
    let mut rest = data;
    let mut controls = "f=100,a=T,";
    loop {
        let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!after.is_empty());
        out.push_str(&format!("\x1b_G{controls}m={more};{chunk}\x1b\\"));
        (rest, controls) = (after, "");
        if rest.is_empty() {
            out.push('\n');
            return out;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Graphics {
        Graphics::of(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn only_a_terminal_that_says_so_gets_pictures() {
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Graphics::Kitty);
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]), Graphics::Iterm);
        assert_eq!(of(&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")]), Graphics::Kitty);
        assert_eq!(of(&[("TERM", "xterm-256color")]), Graphics::None);
        assert_eq!(of(&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "iTerm.app")]), Graphics::None);
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t")]), Graphics::None);
    }

    #[test]
    fn a_picture_goes_out_in_chunks() {
        let png = [b"\x89PNG".to_vec(), vec![0; 6000]].concat();
        let data = STANDARD_BASE64.encode(&png);
        let drawn = Graphics::Kitty.draw(&data, "image/png").unwrap();
        let chunks: Vec<&str> = drawn.trim_end().split_terminator("\x1b\\").collect();
        assert_eq!(chunks.len(), 2);
        assert!(chunks[0].starts_with("\x1b_Gf=100,a=T,m=1;") && chunks[1].starts_with("\x1b_Gm=0;"));
        let sent: String = chunks.iter().map(|chunk| chunk.split_once(';').unwrap().1).collect();
        assert_eq!(sent, data);
    }

    #[test]
    fn what_is_no_picture_is_not_drawn() {
        assert_eq!(Graphics::Kitty.draw("aGk=", "image/png"), None, "no PNG");
        assert_eq!(Graphics::Iterm.draw("aGk=", "audio/wav"), None);
        assert_eq!(Graphics::Iterm.draw("\x1b]0;x\x07", "image/png"), None);
        assert_eq!(
            Graphics::Iterm.draw("aGk=", "image/gif").unwrap(),
            "\x1b]1337;File=inline=1;size=2;preserveAspectRatio=1:aGk=\x07\n"
        );
    }
}
