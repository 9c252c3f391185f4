//! What a notification says of results that are kept: that they are stale.

use diglot_proto::jsonrpc::Notification;
use diglot_proto::object::Object;

use super::{Cache, Key};

impl Cache {
    /// Drops what a notification says has changed.
    pub(in crate::client) fn observe(&self, notification: &Notification<'_>) {
        match &*notification.method {
            "notifications/tools/list_changed" => self.forget_lists(&["tools/list"]),
            "notifications/prompts/list_changed" => self.forget_lists(&["prompts/list"]),
            "notifications/resources/list_changed" => {
                self.forget_lists(&["resources/list", "resources/templates/list"]);
            }
            "notifications/resources/updated" => {
                let params = notification.params.as_deref().and_then(Object::read);
                let uri = params.and_then(|params| params.string("uri"));
                self.forget(|key| key.method() == "resources/read" && is_about(key, uri.as_deref()));
            }
            _ => {}
        }
    }

    /// Drops the pages of lists.
    pub(in crate::client) fn forget_lists(&self, methods: &[&str]) {
        self.forget(|key| methods.contains(&key.method()));
    }
}

/// Tells whether a change of a resource may concern what is kept: the same one, or one that lies in the other.
fn is_about(key: &Key, uri: Option<&str>) -> bool {
    let (Some(uri), Some(kept)) = (uri, key.uri()) else { return true };
    kept.starts_with(uri) || uri.starts_with(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn key(uri: &str) -> Key {
        let params = format!(r#"{{"_meta":{{"uri":"x"}},"uri":{}}}"#, serde_json::to_string(uri).unwrap());
        Key::new("resources/read", Some(&RawValue::from_string(params).unwrap()))
    }

    #[test]
    fn a_change_concerns_the_resource_and_what_lies_in_it_or_around_it() {
        let is_about = |kept: &str, changed: &str| is_about(&key(kept), Some(changed));
        assert!(is_about("file:///a", "file:///a"));
        assert!(is_about("file:///a", "file:///a/b"));
        assert!(is_about("file:///a/\"b\\", "file:///a"));
        assert!(!is_about("file:///a", "file:///b"));
        assert!(super::is_about(&key("file:///a"), None));
    }

    #[test]
    fn the_key_of_a_request_has_no_meta_and_no_order() {
        let key = |text: &str| Key::new("m", Some(&RawValue::from_string(text.to_owned()).unwrap()));
        assert_eq!(key(r#"{"a":1,"b":"2"}"#), key(r#"{ "b" : "2", "_meta":{"x":1}, "a":1 }"#));
        assert_eq!(Key::new("m", None), key("{}"));
        for other in [r#"{"a":1}"#, r#"{"a":1,"b":2}"#, r#"{"a":1.0,"b":"2"}"#, r#"{"a":1,"b":"2","a":3}"#] {
            assert_ne!(key(r#"{"a":1,"b":"2"}"#), key(other), "{other}");
        }
    }
}
