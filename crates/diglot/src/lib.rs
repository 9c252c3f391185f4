//! Model Context Protocol for both eras.
