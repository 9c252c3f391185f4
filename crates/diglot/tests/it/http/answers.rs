//! What an answer to a request is read as.

use super::net::{Net, all_shown, collect, event, modern, result};
use super::server::Reply;
use super::suite;

suite!(a_json_body_is_its_message, a_stream_is_its_messages,);

async fn a_json_body_is_its_message(net: Net) {
    let site = net.reply(Reply::json(200, &result(1))).await;
    let all = site.ask(modern(1, "tools/list")).await.unwrap();
    assert_eq!(all_shown(&all), ["result 1"]);
}

async fn a_stream_is_its_messages(net: Net) {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
    let text = [event(notification), event(&result(1))].concat();
    let site = net.reply(Reply::events(&text)).await;
    let connection = site.connect().await;
    let all = collect(connection.send(modern(1, "tools/list")).await.unwrap()).await.unwrap();
    assert_eq!(all_shown(&all), ["notifications/progress", "result 1"]);
}
