//! Every method.
