//! Subscriptions of the modern era: what a client wants to be told.

use crate::types::{ListCapability, ServerCapabilities};

record! {
    /// Says which notifications are wanted, or were granted (`basic/patterns/subscriptions`).
    SubscriptionFilter {
        /// Those that the list of tools has changed.
        flag tools_list_changed: bool = "toolsListChanged";
        /// Those that the list of prompts has changed.
        flag prompts_list_changed: bool = "promptsListChanged";
        /// Those that the list of resources has changed.
        flag resources_list_changed: bool = "resourcesListChanged";
        /// Those that one of these resources has changed.
        list resource_subscriptions: Vec<String> = "resourceSubscriptions";
    }
}

record! {
    /// The parameters of `subscriptions/listen`.
    ListenParams {
        /// What is wanted.
        required notifications: SubscriptionFilter = "notifications";
    } with meta
}

record! {
    /// The parameters of `notifications/subscriptions/acknowledged`.
    AcknowledgedParams {
        /// What was granted; it may be less than what was wanted.
        required notifications: SubscriptionFilter = "notifications";
    } with meta
}

impl SubscriptionFilter {
    /// Asks for every change of a list that a server says it can tell of; single resources have to be named.
    pub fn offered_by(capabilities: &ServerCapabilities) -> Self {
        let tells = |list: &Option<ListCapability>| list.as_ref().is_some_and(|list| list.list_changed);
        Self::new()
            .tools_list_changed(tells(&capabilities.tools))
            .prompts_list_changed(tells(&capabilities.prompts))
            .resources_list_changed(capabilities.resources.as_ref().is_some_and(|list| list.list_changed))
    }

    /// Tells whether nothing is wanted, or granted.
    pub fn is_empty(&self) -> bool {
        let lists = [self.tools_list_changed, self.prompts_list_changed, self.resources_list_changed];
        !lists.contains(&true) && self.resource_subscriptions.is_empty()
    }

    /// Returns what of this filter is not in another, such as what a server did not grant.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let resources = self.resource_subscriptions.iter();
        let resources = resources.filter(|uri| !other.resource_subscriptions.contains(uri)).cloned();
        Self::new()
            .tools_list_changed(self.tools_list_changed && !other.tools_list_changed)
            .prompts_list_changed(self.prompts_list_changed && !other.prompts_list_changed)
            .resources_list_changed(self.resources_list_changed && !other.resources_list_changed)
            .resource_subscriptions(resources.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(text: &str) -> SubscriptionFilter {
        let raw = serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
        SubscriptionFilter::read(&raw).unwrap()
    }

    fn written(filter: &SubscriptionFilter) -> String {
        serde_json::to_string(filter).unwrap()
    }

    #[test]
    fn what_is_offered_goes_by_the_capabilities() {
        let text = r#"{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true,"listChanged":true}}"#;
        let raw = serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
        let offered = SubscriptionFilter::offered_by(&ServerCapabilities::read(&raw).unwrap());
        assert_eq!(written(&offered), r#"{"toolsListChanged":true,"resourcesListChanged":true}"#);
        assert!(SubscriptionFilter::offered_by(&ServerCapabilities::new()).is_empty());
    }

    #[test]
    fn what_was_not_granted_is_left() {
        let wanted = filter(
            r#"{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:1","a:2"]}"#,
        );
        let granted = filter(r#"{"toolsListChanged":true,"resourceSubscriptions":["a:2","a:3"]}"#);
        let left = wanted.without(&granted);
        assert_eq!(written(&left), r#"{"promptsListChanged":true,"resourceSubscriptions":["a:1"]}"#);
        assert!(!left.is_empty());
        assert!(wanted.without(&wanted).is_empty());
    }
}
