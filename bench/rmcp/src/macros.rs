//! The same tools as the macros make them when they are used as the SDK's README shows.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

use crate::Say;

/// Fifty tools.
#[derive(Clone)]
pub(crate) struct Macros;

macro_rules! tools {
    ($($name:ident)+) => {
        #[tool_router]
        impl Macros {
            $(
                #[tool(description = "Says a text a number of times")]
                async fn $name(&self, Parameters(say): Parameters<Say>) -> String {
                    say.said()
                }
            )+
        }
    };
}

tools! {
    tool_00 tool_01 tool_02 tool_03 tool_04 tool_05 tool_06 tool_07 tool_08 tool_09
    tool_10 tool_11 tool_12 tool_13 tool_14 tool_15 tool_16 tool_17 tool_18 tool_19
    tool_20 tool_21 tool_22 tool_23 tool_24 tool_25 tool_26 tool_27 tool_28 tool_29
    tool_30 tool_31 tool_32 tool_33 tool_34 tool_35 tool_36 tool_37 tool_38 tool_39
    tool_40 tool_41 tool_42 tool_43 tool_44 tool_45 tool_46 tool_47 tool_48 tool_49
}

#[tool_handler]
impl ServerHandler for Macros {}
