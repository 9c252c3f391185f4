//! Which era a peer speaks.
