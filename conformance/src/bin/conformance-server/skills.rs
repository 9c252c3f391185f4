//! Skills: one with files of several kinds in directories, and a nested one.

use diglot::Server;
use diglot::server::Skill;

use crate::samples::PNG;

/// The skill that is listed first, with directories in it.
const REPORTS: &str = "\
---
name: weekly-reports
description: Writes the weekly report from a template
license: Apache-2.0
metadata:
  version: \"1.2\"
  owner: conformance
---

# Weekly reports

Take the template in `templates/`, and see `references/STYLE.md` for the style.
";

/// A skill that stands below an organisation.
const REFUNDS: &str = "\
---
name: refunds
description: Answers a customer who wants the money back
---

Use `examples/email.md`.
";

/// Adds the skills.
pub(crate) fn add_to(server: Server) -> Server {
    let reports = Skill::new(REPORTS)
        .file("references/STYLE.md", "Short sentences.\n")
        .file("templates/report.md", "# Week {week}\n")
        .file("templates/regional/eu.md", "# Week {week}, Europe\n")
        .file("assets/pixel.b64", PNG)
        .file("assets/bytes.bin", [0xff, 0x00, 0xfe]);
    let refunds = Skill::new(REFUNDS).prefix("acme/billing").file("examples/email.md", "Dear customer,\n");
    server.skill(reports).skill(refunds)
}
