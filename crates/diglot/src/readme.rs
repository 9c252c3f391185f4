//! Compiles the examples of the README and of the guide, whenever the documentation is tested.

/// Makes a page of each file.
macro_rules! pages {
    ($($name:ident: $file:literal,)+) => {
        $(#[doc = include_str!(concat!("../../../", $file))]
        struct $name;)+
    };
}

pages! {
    Readme: "README.md",
    Answering: "docs/answering.md",
    Asking: "docs/asking.md",
    Caching: "docs/caching.md",
    Calling: "docs/calling.md",
    Connecting: "docs/connecting.md",
    Http: "docs/http.md",
    Listening: "docs/listening.md",
    Recovering: "docs/recovering.md",
    Serving: "docs/serving.md",
    Skills: "docs/skills.md",
    Tasks: "docs/tasks.md",
}
