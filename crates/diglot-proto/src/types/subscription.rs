//! Subscriptions of the modern era: what a client wants to be told.

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
