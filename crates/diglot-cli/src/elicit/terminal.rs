//! The terminal as the one who is asked. It is in raw mode during a prompt, and must not stay so.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use inquire::ui::RenderConfig;
use inquire::{InquireError, MultiSelect, Select, Text};

use super::dialogue::{Dialogue, Leave};
use crate::output::note;

/// Whether a question has the terminal.
static HELD: AtomicBool = AtomicBool::new(false);

/// Tells whether a question has the terminal, so that nothing else should be drawn.
pub(crate) fn is_held() -> bool {
    HELD.load(Ordering::Acquire)
}

/// Gives the terminal back, where a question that nobody waits for any more still has it.
pub(crate) fn restore() {
    if !HELD.swap(false, Ordering::AcqRel) {
        return;
    }
    // A terminal that is gone needs no mode.
    let _ = crossterm::terminal::disable_raw_mode();
    let _ = crossterm::execute!(
        io::stderr(),
        crossterm::style::Print("\r\n"),
        crossterm::terminal::Clear(crossterm::terminal::ClearType::FromCursorDown),
        crossterm::event::DisableBracketedPaste,
        crossterm::cursor::Show,
        crossterm::style::ResetColor
    );
}

/// Holds the terminal for one question.
pub(super) struct Held;

impl Held {
    pub(super) fn begin() -> Self {
        HELD.store(true, Ordering::Release);
        Self
    }

    /// Ends in good order: the prompts have given the terminal back themselves.
    pub(super) fn end(self) {
        HELD.store(false, Ordering::Release);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        restore();
    }
}

/// The terminal: prompts on stderr, so that stdout stays the result's.
pub(super) struct Terminal {
    color: ColorChoice,
    look: RenderConfig<'static>,
}

impl Terminal {
    /// Clears what is left of a line of progress.
    pub(super) fn new(color: ColorChoice) -> Self {
        let is_colored = AutoStream::new(io::stderr(), color).current_choice() != ColorChoice::Never;
        let look = if is_colored { RenderConfig::default_colored() } else { RenderConfig::empty() };
        let _ = io::stderr().write_all(b"\r\x1b[2K");
        Self { color, look }
    }
}

impl Dialogue for Terminal {
    fn say(&mut self, text: &str) {
        note(self.color, &format!("{text}\n"));
    }

    fn text(
        &mut self,
        label: &str,
        help: &str,
        default: Option<&str>,
        initial: &str,
    ) -> Result<String, Leave> {
        let mut prompt = Text::new(label).with_render_config(self.look).with_initial_value(initial);
        prompt.default = default;
        prompt.help_message = Some(help).filter(|help| !help.is_empty());
        prompt.prompt().map_err(|error| left(&error))
    }

    fn choose(&mut self, label: &str, help: &str, options: &[String], at: usize) -> Result<usize, Leave> {
        let mut prompt = Select::new(label, options.to_vec());
        prompt.help_message = Some(help).filter(|help| !help.is_empty());
        let prompt = prompt.with_render_config(self.look).with_starting_cursor(at).without_filtering();
        prompt.raw_prompt().map(|option| option.index).map_err(|error| left(&error))
    }

    fn choose_some(
        &mut self,
        label: &str,
        help: &str,
        options: &[String],
        chosen: &[usize],
    ) -> Result<Vec<usize>, Leave> {
        let mut prompt = MultiSelect::new(label, options.to_vec());
        prompt.help_message = Some(help).filter(|help| !help.is_empty());
        let prompt = prompt.with_render_config(self.look).with_default(chosen).without_filtering();
        let taken = prompt.raw_prompt().map_err(|error| left(&error))?;
        Ok(taken.into_iter().map(|option| option.index).collect())
    }

    fn open(&mut self, address: &str) -> io::Result<()> {
        open::that_detached(address)
    }
}

/// Reads why a prompt ended without an answer; a terminal that fails is as good as gone.
fn left(error: &InquireError) -> Leave {
    match error {
        InquireError::OperationCanceled => Leave::Escape,
        _ => Leave::Interrupt,
    }
}
