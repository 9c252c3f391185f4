//! The tour as people read it: a table within a hundred columns, in colour only where that is wanted.

use std::time::Duration;

use diglot::{Era, Revision};

use super::verdict::Verdict;
use super::visit::{Called, Finding, policies};

/// The widest line, in characters.
const WIDTH: usize = 100;
/// How far the lines below a server's first stand in.
const INDENT: usize = 4;

/// Writes the pieces of the table as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// Whether escape sequences for colour may be used.
    pub(super) color: bool,
}

impl Table {
    /// Returns what stands before the first row.
    pub(super) fn opening(self, servers: usize) -> String {
        let text = format!(
            "{}\n\n\
             Diglot meets {servers} servers in this process, sound and broken, each under three policies. It first asks\n\
             server/discover, which every modern server knows; the policy decides what the answer means.\n\
             Here modern is revision {}, and legacy is what opens with initialize: {} or earlier.\n\n",
            self.paint("1", "A tour of both eras of the Model Context Protocol"),
            Revision::LATEST,
            Revision::LATEST_LEGACY,
        );
        let [conservative, standard, lenient] = policies().map(|policy| policy.name());
        let head = format!("  {:40}{conservative:14}{standard:14}{lenient}", "");
        text + &self.paint("2", &head) + "\n"
    }

    /// Returns the heading of a group.
    pub(super) fn group(self, title: &str) -> String {
        format!("{}\n", self.paint("1", title))
    }

    /// Returns the rows of one server: the decisions, what it answered, and why that means what it means.
    pub(super) fn server(self, finding: &Finding) -> String {
        let mut text = format!("  {:30}{:10}", finding.server.name, finding.server.wire.as_str());
        for (_, visit, _) in finding.decisions() {
            text.push_str(&self.paint(color_of(visit.verdict), &format!("{:14}", visit.verdict)));
        }
        let mut text = format!("{}\n", text.trim_end());
        text.push_str(&self.reading(&finding.answered(), &finding.why()));
        for surprise in finding.surprises() {
            let line = fit(&format!("    UNEXPECTED: {surprise}"));
            text.push_str(&format!("{}\n", self.paint("1;31", &line)));
        }
        text
    }

    /// Returns what the calls after the table show.
    pub(super) fn calls(self, calls: &[Called]) -> String {
        let mut text = format!("{}\n\n", self.paint("1", "The same three lines of Rust, whatever the era"));
        text.push_str(
            "  let client = Client::builder(\"demo\", \"1.0.0\").connect(transport).await?;\n\
             \x20 let tools = client.list_tools().await?;\n\
             \x20 let sum: i64 = client.call_tool(\"add\", json!({ \"a\": 19, \"b\": 23 })).await?.parse()?;\n\n",
        );
        for call in calls {
            let era = format!("{} {}", call.revision.era(), call.revision);
            let era = self.paint(color_of(Verdict::Connected(call.revision)), &era);
            let (name, wire) = (call.server.name, call.server.wire.as_str());
            let (tools, sum, sent) = (call.tools.join(", "), call.sum, call.sent.len());
            let line =
                format!("  {name:30}{wire:10}lists {tools}, 19 + 23 = {sum}   {era}   {sent} messages\n");
            text.push_str(&line);
            text.push_str(&self.detail(&call.sent.join(", ")));
        }
        text + "\n"
    }

    /// Returns the last lines: how it went, and what to try next.
    pub(super) fn closing(self, servers: usize, unexpected: &[String], elapsed: Duration) -> String {
        let decisions = policies().len() * servers;
        let seconds = elapsed.as_secs_f64();
        let verdict = match unexpected {
            [] => self
                .paint("32", &format!("All {decisions} decisions are the expected ones ({seconds:.1} s).")),
            some => self.paint("1;31", &format!("Not as expected:\n  {}", some.join("\n  "))),
        };
        format!(
            "{verdict}\n\n\
             Try next, with a server of your own:\n\
             \x20 diglot probe https://example.com/mcp\n\
             \x20 diglot probe -- npx -y @modelcontextprotocol/server-everything\n"
        )
    }

    /// Returns what came and what it means, on one line where there is room.
    fn reading(self, answered: &str, why: &str) -> String {
        let line = format!("{answered} → {why}");
        match line.chars().count() + INDENT <= WIDTH {
            true => self.detail(&line),
            false => self.detail(answered) + &self.detail(&format!("→ {why}")),
        }
    }

    fn detail(self, line: &str) -> String {
        format!("{}\n", self.paint("2", &fit(&format!("{:INDENT$}{line}", ""))))
    }

    /// Wraps a text in the escape sequence of a colour, where that is wanted.
    fn paint(self, code: &str, text: &str) -> String {
        match self.color {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

fn color_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Connected(revision) if revision.era() == Era::Modern => "32",
        Verdict::Connected(_) => "36",
        Verdict::Refused | Verdict::AuthRequired => "33",
        _ => "31",
    }
}

/// Cuts a line to the width of the table.
fn fit(line: &str) -> String {
    match line.chars().count() > WIDTH {
        true => line.chars().take(WIDTH - 1).chain(['…']).collect(),
        false => line.to_owned(),
    }
}
