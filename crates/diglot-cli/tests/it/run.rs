//! The command as a process, in surroundings that hold nothing of the user's.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the command left behind.
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Reads stdout as the one JSON value that it must be.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.told()))
    }

    /// Returns all that can be told when a check fails.
    pub(crate) fn told(&self) -> String {
        format!("exit {}\nstdout: {}\nstderr: {}", self.exit, self.stdout, self.stderr)
    }

    /// Checks the exit status and the kind of the failure, and returns the object.
    pub(crate) fn failed(&self, exit: i32, kind: &str) -> Value {
        let object = self.json();
        assert_eq!(self.exit, exit, "{}", self.told());
        assert_eq!(object["ok"], false, "{}", self.told());
        assert_eq!(object["error"]["kind"], kind, "{}", self.told());
        assert!(self.stderr.contains("error: "), "{}", self.told());
        object
    }
}

/// Prepares the command in a folder that is home and working directory at once.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diglot"));
    command.current_dir(folder).env("HOME", folder).env("NO_COLOR", "1");
    for variable in
        ["XDG_CONFIG_HOME", "CLICOLOR_FORCE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    {
        command.env_remove(variable);
    }
    command
}

/// Runs the command without input.
pub(crate) fn run(words: &[&str]) -> Ran {
    run_in(&std::env::temp_dir(), words, "")
}

/// Runs the command in a folder with an input.
pub(crate) fn run_in(folder: &Path, words: &[&str], input: &str) -> Ran {
    let mut command = command(folder);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("cargo has built the command");
    let mut stdin = process.stdin.take().expect("it is piped");
    // A command that reads no input may be gone already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = process.wait_with_output().expect("it ends");
    Ran {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("it prints UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("it prints UTF-8"),
    }
}

/// A legacy server as a shell script: `echo` gives its arguments back raw, and other tools do what their name says.
pub(crate) const LEGACY: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/list"'*) answer '"result":{"tools":[{"name":"echo","title":"Echo","description":"Gives back.\nAll of it.","inputSchema":{"type":"object","properties":{"s":{"type":"string"},"i":{"type":"integer"}}}},{"inputSchema":{}},{"name":"fail"},{"name":"picture"}]}' ;;
    *'"name":"echo"'*) arguments=${line#*\"arguments\":}; answer "\"result\":{\"content\":[],\"structuredContent\":${arguments%\}\}}}" ;;
    *'"name":"fail"'*) answer '"result":{"content":[{"type":"text","text":"it broke"}],"isError":true}' ;;
    *'"name":"picture"'*) answer '"result":{"content":[{"type":"text","text":"see"},{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}]}' ;;
    *'"id":'*) answer '"error":{"code":-32601,"message":"not known"}' ;;
  esac
done
"#;

/// A modern server as a shell script, which knows nothing but discovery.
pub(crate) const MODERN: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","instructions":"Be \\u001b[31mkind.\\nAlways.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shell","version":"1"}}}}\n' "$id"
done
"#;
