//! One program against servers of every era over every wire, without a branch on the era in it.
//!
//! A behaviour is one row of [`BEHAVIOURS`]; a peer is one row of [`PEERS`]. Each behaviour is shown on every wire to
//! every peer, by a client of its own.

mod asking;
mod calls;
mod faults;
mod lists;
mod offer;
mod texts;

use std::pin::Pin;

use diglot::server::{Eras, Server};
use diglot::{Client, Revision};

use crate::wires::WIRES;

/// A server that the program meets.
struct Peer {
    name: &'static str,
    eras: Eras,
    /// The only legacy revision, where it is not all of them.
    legacy: Option<Revision>,
}

#[rustfmt::skip]
const PEERS: &[Peer] = &[
    Peer { name: "modern",     eras: Eras::Modern, legacy: None },
    Peer { name: "dual",       eras: Eras::Both,   legacy: None },
    Peer { name: "2025-11-25", eras: Eras::Legacy, legacy: Some(Revision::V2025_11_25) },
    Peer { name: "2025-06-18", eras: Eras::Legacy, legacy: Some(Revision::V2025_06_18) },
    Peer { name: "2025-03-26", eras: Eras::Legacy, legacy: Some(Revision::V2025_03_26) },
    Peer { name: "2024-11-05", eras: Eras::Legacy, legacy: Some(Revision::V2024_11_05) },
];

impl Peer {
    fn server(&self) -> Server {
        let server = offer::server().eras(self.eras);
        match self.legacy {
            Some(revision) => server.legacy_revisions(&[revision]),
            None => server,
        }
    }
}

/// What a behaviour does to a client that is connected.
type Act = fn(Client) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something that a program may rely on, in one sentence.
struct Behaviour {
    sentence: &'static str,
    act: Act,
}

/// Makes rows of the table of async functions.
macro_rules! behaviours {
    ($($sentence:literal => $act:path,)+) => {
        &[$(Behaviour { sentence: $sentence, act: |client| Box::pin($act(client)) }),+]
    };
}

#[rustfmt::skip]
const BEHAVIOURS: &[Behaviour] = behaviours! {
    "the server says who it is"                           => texts::the_server_says_who_it_is,
    "its instructions are there"                          => texts::its_instructions_are_there,
    "what it offers is declared"                          => texts::what_it_offers_is_declared,
    "how it was agreed on can be told"                    => texts::how_it_was_agreed_on_can_be_told,
    "a ping is answered"                                  => texts::a_ping_is_answered,
    "a custom request is answered raw"                    => texts::a_custom_request_is_answered_raw,
    "a prompt argument is completed"                      => texts::a_prompt_argument_is_completed,
    "a template variable is completed"                    => texts::a_template_variable_is_completed,
    "a prompt is filled"                                  => texts::a_prompt_is_filled,
    "a prompt can be of several messages"                 => texts::a_prompt_can_be_of_several_messages,
    "a text is read"                                      => texts::a_text_is_read,
    "bytes are read"                                      => texts::bytes_are_read,
    "a template is read"                                  => texts::a_template_is_read,
    "all tools are listed over all pages"                 => lists::all_tools_are_listed_over_all_pages,
    "a tool is described"                                 => lists::a_tool_is_described,
    "all resources are listed"                            => lists::all_resources_are_listed,
    "all templates are listed"                            => lists::all_templates_are_listed,
    "all prompts are listed with their arguments"         => lists::all_prompts_are_listed_with_their_arguments,
    "lists keep their order"                              => lists::lists_keep_their_order,
    "a tool that comes is listed"                         => lists::a_tool_that_comes_is_listed,
    "a number comes back as its type"                     => calls::a_number_comes_back_as_its_type,
    "a structure comes back as its type"                  => calls::a_structure_comes_back_as_its_type,
    "content of several kinds comes back"                 => calls::content_of_several_kinds_comes_back,
    "arguments arrive byte for byte"                      => calls::arguments_arrive_byte_for_byte,
    "text of any script comes through"                    => calls::text_of_any_script_comes_through,
    "a megabyte comes through"                            => calls::a_megabyte_comes_through,
    "a call needs no arguments"                           => calls::a_call_needs_no_arguments,
    "progress rises to the end"                           => calls::progress_rises_to_the_end,
    "who does not ask for progress is called all the same" => calls::who_does_not_ask_for_progress_is_called_all_the_same,
    "sixty-four calls run at once"                        => calls::sixty_four_calls_run_at_once,
    "a quick call overtakes a slow one"                   => calls::a_quick_call_overtakes_a_slow_one,
    "clones of a client share it"                         => calls::clones_of_a_client_share_it,
    "the user confirms"                                   => asking::the_user_confirms,
    "the model answers"                                   => asking::the_model_answers,
    "the roots are told"                                  => asking::the_roots_are_told,
    "questions are asked one after the other"             => asking::questions_are_asked_one_after_the_other,
    "a prompt may ask too"                                => asking::a_prompt_may_ask_too,
    "a tool that fails is no error of the call"           => faults::a_tool_that_fails_is_no_error_of_the_call,
    "a wrong argument is named to the model"              => faults::a_wrong_argument_is_named_to_the_model,
    "an unknown tool is an error"                         => faults::an_unknown_tool_is_an_error,
    "an unknown method is an error"                       => faults::an_unknown_method_is_an_error,
    "an unknown resource is an error with its address"    => faults::an_unknown_resource_is_an_error_with_its_address,
    "a prompt without its argument is an error"           => faults::a_prompt_without_its_argument_is_an_error,
    "a handler that panics fails its call alone"          => faults::a_handler_that_panics_fails_its_call_alone,
    "a call that takes too long ends by its own budget"   => faults::a_call_that_takes_too_long_ends_by_its_own_budget,
    "a call that is dropped is cancelled at the server"   => faults::a_call_that_is_dropped_is_cancelled_at_the_server,
    "a closed client says so"                             => faults::a_closed_client_says_so,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_behaviour_holds_for_every_peer_on_every_wire() {
    let mut failed = Vec::new();
    for wire in WIRES {
        for peer in PEERS {
            for behaviour in BEHAVIOURS {
                let (client, _kept) = (wire.connect)(offer::builder(), peer.server()).await;
                let client = client.unwrap_or_else(|error| panic!("{}, {}: {error}", wire.name, peer.name));
                // What a behaviour asserts is told with where it does not hold.
                if let Err(error) = tokio::spawn((behaviour.act)(client)).await {
                    failed.push(format!("{}, {}: {}: {error}", wire.name, peer.name, behaviour.sentence));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} do not hold:\n{}", failed.len(), failed.join("\n"));
}
