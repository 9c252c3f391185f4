//! The request headers that mirror a message.
