//! What the suite says of a scenario, and how a client for it connects.

use diglot::client::ClientBuilder;
use diglot::types::ToolResult;
use diglot::{Client, Mode, Revision, StreamableHttp};
use serde_json::Value;

/// Why a scenario did not go as it should.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// One scenario.
pub(crate) struct Case {
    /// Its name.
    pub(crate) scenario: String,
    /// The revision that it is run at.
    pub(crate) revision: Revision,
    /// Where its server is.
    url: String,
    /// What it says beside its name.
    pub(crate) context: Value,
}

impl Case {
    /// Reads what the suite has set.
    pub(crate) fn from_environment() -> Result<Self, Failure> {
        let of = |name: &str| std::env::var(name).map_err(|error| format!("{name}: {error}"));
        let version = of("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
        let context = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(text) => serde_json::from_str(&text)?,
            Err(_) => Value::Null,
        };
        Ok(Self {
            scenario: of("MCP_CONFORMANCE_SCENARIO")?,
            revision: version.parse().map_err(|_| format!("the revision {version:?} is unknown"))?,
            url: std::env::args().next_back().ok_or("usage: conformance-client URL")?,
            context,
        })
    }

    /// Begins a client.
    pub(crate) fn client(&self) -> ClientBuilder {
        Client::builder("diglot-conformance", env!("CARGO_PKG_VERSION"))
    }

    /// Connects by the revision of the scenario and no other: a fallback would hide what failed.
    pub(crate) async fn connect(&self, client: ClientBuilder) -> Result<Client, Failure> {
        let client = client.revision(self.revision).connect(StreamableHttp::new(&self.url)?).await?;
        equal("the revision", &client.revision(), &self.revision)?;
        Ok(client)
    }

    /// Connects in whichever era the server speaks, since the scenario leaves it open.
    pub(crate) async fn connect_to_any(&self, client: ClientBuilder) -> Result<Client, Failure> {
        Ok(client.mode(Mode::Auto).connect(StreamableHttp::new(&self.url)?).await?)
    }
}

/// Holds what was seen against what should be.
pub(crate) fn equal<T: PartialEq + std::fmt::Debug + ?Sized>(
    what: &str,
    seen: &T,
    wanted: &T,
) -> Result<(), Failure> {
    match seen == wanted {
        true => Ok(()),
        false => Err(format!("{what} is {seen:?}, and should be {wanted:?}").into()),
    }
}

/// Takes the text of a result that must not be an error.
pub(crate) fn text(result: &ToolResult) -> Result<String, Failure> {
    match result.is_error {
        false => Ok(result.text()),
        true => Err(format!("the tool reports an error: {}", result.text()).into()),
    }
}
