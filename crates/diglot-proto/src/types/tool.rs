//! A tool as a server lists it.

use serde_json::value::RawValue;

use crate::types::Icon;

record! {
    /// A tool that a server offers (`server/tools`, "Tool").
    ///
    /// Schemas stay raw, so that their keywords, numbers and order survive. Where a server gives no input schema, it
    /// reads as one that admits any object.
    Tool {
        /// The name by which the tool is called.
        required name: String = "name";
        /// A name for people.
        optional title: String = "title";
        /// What the tool does, for the model.
        optional description: String = "description";
        /// The JSON Schema of the arguments; an object schema.
        expected input_schema: Box<RawValue> as ObjectSchema = "inputSchema";
        /// The JSON Schema of the structured result, where the tool has one.
        optional output_schema: Box<RawValue> as AnyObject = "outputSchema";
        /// Hints about what the tool does; they are the server's word, which a client need not trust.
        optional annotations: ToolAnnotations = "annotations";
        /// How calls of the tool may run, in revision 2025-11-25.
        optional execution: ToolExecution = "execution";
        /// Pictures of it.
        list icons: Vec<Icon> = "icons";
    } with meta, raw
}

record! {
    /// Hints about what a tool does (`schema`, "ToolAnnotations").
    ToolAnnotations {
        /// A name for people; the tool's own `title` is preferred to it.
        optional title: String = "title";
        /// Whether it changes nothing; no where it is absent.
        optional read_only_hint: bool = "readOnlyHint";
        /// Whether its changes may destroy something; yes where it is absent.
        optional destructive_hint: bool = "destructiveHint";
        /// Whether calling it again with the same arguments changes nothing more; no where it is absent.
        optional idempotent_hint: bool = "idempotentHint";
        /// Whether it deals with things outside the server, such as the web; yes where it is absent.
        optional open_world_hint: bool = "openWorldHint";
    }
}

words! {
    /// Says whether calls of a tool run as tasks.
    TaskSupport {
        /// They never do.
        Forbidden "forbidden",
        /// They do if the client asks for it.
        Optional "optional",
        /// They always do.
        Required "required",
    }
}

record! {
    /// Says how calls of a tool may run, in revision 2025-11-25.
    ToolExecution {
        /// Whether they run as tasks; never where it is absent.
        optional task_support: TaskSupport = "taskSupport";
    }
}

record! {
    /// The parameters of every method that lists something in pages.
    ListParams {
        /// The cursor that the page before gave; the first page where it is absent.
        checked cursor: String = "cursor";
    } with meta
}

record! {
    /// The answer to `tools/list`.
    ListToolsResult {
        /// The tools of this page.
        expected tools: Vec<Tool> = "tools";
    } with page, cache, result, meta, left_out
}
