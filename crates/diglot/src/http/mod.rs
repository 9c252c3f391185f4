//! Streamable HTTP and HTTP+SSE: one implementation of the rules over any HTTP client.
