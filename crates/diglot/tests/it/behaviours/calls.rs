//! Calls that go well.

use std::sync::{Arc, Mutex};

use diglot::Client;
use diglot::types::Content;
use serde_json::json;
use serde_json::value::RawValue;

use super::offer::Weather;

pub(super) async fn a_number_comes_back_as_its_type(client: Client) {
    let sum: i64 = client.call_tool("add", json!({"a": 20, "b": 22})).await.unwrap().parse().unwrap();
    assert_eq!(sum, 42);
}

pub(super) async fn a_structure_comes_back_as_its_type(client: Client) {
    let weather: Weather = client.call_tool("weather", ()).await.unwrap().parse().unwrap();
    assert_eq!(weather, Weather::sample());
}

pub(super) async fn content_of_several_kinds_comes_back(client: Client) {
    let result = client.call_tool("several", ()).await.unwrap();
    assert_eq!(result.text(), "words");
    assert_eq!(result.content.len(), 3);
    assert!(matches!(&result.content[1], Content::Image(image) if image.mime_type == "image/png"));
    assert!(matches!(&result.content[2], Content::Resource(_)));
}

/// What JSON can say and a number of the usual kind cannot.
pub(super) async fn arguments_arrive_byte_for_byte(client: Client) {
    let text = r#"{"z":9007199254740993,"a":1.0,"b":-0,"c":1e2,"d":"\u00e9\/","e":[1,2.50]}"#;
    let arguments = RawValue::from_string(text.to_owned()).unwrap();
    assert_eq!(client.call_tool("echo", arguments).await.unwrap().text(), text);
}

pub(super) async fn text_of_any_script_comes_through(client: Client) {
    let text = "Grüße, 世界 🌍 \u{0} \u{2028} \"quoted\" \\ and\nlines\r\n";
    assert_eq!(client.call_tool("shout", json!({"text": text})).await.unwrap().text(), text);
}

pub(super) async fn a_megabyte_comes_through(client: Client) {
    let text = "0123456789abcdef".repeat(64 * 1024);
    assert_eq!(client.call_tool("shout", json!({"text": text})).await.unwrap().text(), text);
}

pub(super) async fn a_call_needs_no_arguments(client: Client) {
    assert_eq!(client.call_tool("echo", ()).await.unwrap().text(), "{}");
}

pub(super) async fn progress_rises_to_the_end(client: Client) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let listener = move |progress: diglot::types::Progress| told.lock().unwrap().push(progress);
    let result = client.call_tool("count", ()).on_progress(listener).await.unwrap();
    assert_eq!(result.text(), "counted");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 5);
    assert!(seen.windows(2).all(|pair| pair[0].progress < pair[1].progress));
}

pub(super) async fn who_does_not_ask_for_progress_is_called_all_the_same(client: Client) {
    assert_eq!(client.call_tool("count", ()).await.unwrap().text(), "counted");
}

/// None of them returns before the last one is there.
pub(super) async fn sixty_four_calls_run_at_once(client: Client) {
    let calls: Vec<_> = (0..64).map(|_| tokio::spawn(client.call_tool("meet", ()).into_future())).collect();
    let mut leaders = 0;
    for call in calls {
        leaders += usize::from(call.await.unwrap().unwrap().text() == "true");
    }
    assert_eq!(leaders, 1);
}

pub(super) async fn a_quick_call_overtakes_a_slow_one(client: Client) {
    let slow = tokio::spawn(client.call_tool("was_cancelled", ()).into_future());
    assert_eq!(client.call_tool("shout", json!({"text": "quick"})).await.unwrap().text(), "quick");
    assert!(!slow.is_finished());
    slow.abort();
}

pub(super) async fn clones_of_a_client_share_it(client: Client) {
    let calls: Vec<_> = (0..8)
        .map(|number: i64| {
            let client = client.clone();
            tokio::spawn(async move {
                let sum = client.call_tool("add", json!({"a": number, "b": number})).await.unwrap();
                assert_eq!(sum.parse::<i64>().unwrap(), 2 * number);
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
}
