//! Tools that change the server while it runs, so that subscribers have something to hear of.

use diglot::server::{Prompt, PromptArguments};
use diglot::{Context, Server, Tool};

const TOOL: &str = "test_dynamic_tool";
const PROMPT: &str = "test_dynamic_prompt";

/// Adds the tools.
pub(crate) fn add_to(server: Server) -> Server {
    let (of_tools, of_prompts) = (server.clone(), server.clone());
    server
        .tool(
            Tool::new("test_trigger_tool_change", move |_: Context| {
                let there = toggle_tool(&of_tools);
                async move { format!("{TOOL}: {there}") }
            })
            .description("Changes the list of tools"),
        )
        .tool(
            Tool::new("test_trigger_prompt_change", move |_: Context| {
                let there = toggle_prompt(&of_prompts);
                async move { format!("{PROMPT}: {there}") }
            })
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
    let prompt = Prompt::new(PROMPT, |_: PromptArguments, _: Context| async { "Here.".to_owned() });
    server.add_prompt(prompt.description("Comes and goes"));
    true
}
