//! Where a server listens, in the forms in which people write it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// An address to listen on: `([127, 0, 0, 1], 8000)`, a `SocketAddr`, or text such as `localhost:8000`.
#[derive(Clone, Debug)]
pub struct ListenAddress(pub(super) Form);

#[derive(Clone, Debug)]
pub(super) enum Form {
    Known(SocketAddr),
    /// A host and a port, still to be looked up.
    Text(String),
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self(Form::Known(address))
    }
}

impl From<([u8; 4], u16)> for ListenAddress {
    fn from(address: ([u8; 4], u16)) -> Self {
        SocketAddr::from(address).into()
    }
}

impl From<(Ipv4Addr, u16)> for ListenAddress {
    fn from(address: (Ipv4Addr, u16)) -> Self {
        SocketAddr::from(address).into()
    }
}

impl From<(IpAddr, u16)> for ListenAddress {
    fn from(address: (IpAddr, u16)) -> Self {
        SocketAddr::from(address).into()
    }
}

impl From<(&str, u16)> for ListenAddress {
    fn from((host, port): (&str, u16)) -> Self {
        let is_bare_ipv6 = host.contains(':') && !host.starts_with('[');
        Self(Form::Text(if is_bare_ipv6 { format!("[{host}]:{port}") } else { format!("{host}:{port}") }))
    }
}

impl From<&str> for ListenAddress {
    fn from(address: &str) -> Self {
        Self(Form::Text(address.to_owned()))
    }
}

impl From<String> for ListenAddress {
    fn from(address: String) -> Self {
        Self(Form::Text(address))
    }
}

impl std::fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Form::Known(address) => address.fmt(f),
            Form::Text(address) => address.fmt(f),
        }
    }
}
