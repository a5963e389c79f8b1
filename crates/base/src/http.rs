//! The reply that a maker of pages hands to a server.

/// A reply of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names and values of headers, `Content-Type` among them.
    pub headers: Vec<(&'static str, String)>,
    /// The body before compression.
    pub body: Vec<u8>,
}
