//! Tools that change the server while it runs, so that subscribers have something to hear of.

use diglot::server::{Prompt, PromptArguments};
use diglot::{Context, Server, Tool};

const TOOL: &str = "test_dynamic_tool";
const PROMPT: &str = "test_dynamic_prompt";

/// Adds the tools.
pub(crate) fn add_to(server: Server) -> Server {
    let change_tools = async |cx: Context| format!("{TOOL}: {}", toggle_tool(cx.server()));
    let change_prompts = async |cx: Context| format!("{PROMPT}: {}", toggle_prompt(cx.server()));
    server
        .tool(Tool::new("test_trigger_tool_change", change_tools).description("Changes the list of tools"))
        .tool(
            Tool::new("test_trigger_prompt_change", change_prompts)
                .description("Changes the list of prompts"),
        )
}

/// Adds the tool, or removes it where it is there already.
fn toggle_tool(server: &Server) -> bool {
    if server.remove_tool(TOOL) {
        return false;
    }
    let tool = Tool::new(TOOL, |_: Context| async { "here" }).description("Comes and goes");
    server.add_tool(tool).expect("a tool without arguments can be offered");
    true
}

fn toggle_prompt(server: &Server) -> bool {
    if server.remove_prompt(PROMPT) {
        return false;
    }
    let prompt = Prompt::new(PROMPT, |_: PromptArguments, _: Context| async { "Here." });
    server.add_prompt(prompt.description("Comes and goes"));
    true
}
