//! What the fuzz targets share: a stream of bytes together with the places where it is cut.

use libfuzzer_sys::arbitrary::{self, Arbitrary};

/// A stream as a peer and a network might deliver it.
#[derive(Debug, Arbitrary)]
pub struct Cuts<'a> {
    /// The limit that the reader is given.
    pub limit: u16,
    sizes: [u8; 4],
    /// All of the stream.
    pub stream: &'a [u8],
}

impl<'a> Cuts<'a> {
    /// Returns the stream in pieces, some of them empty.
    pub fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.stream;
        // A fifth size that is never zero, so that the pieces come to an end.
        let mut sizes = self.sizes.into_iter().chain([16]).cycle();
        std::iter::from_fn(move || {
            let size = usize::from(sizes.next()?).min(rest.len());
            let (piece, after) = rest.split_at(size);
            (!rest.is_empty()).then(|| {
                rest = after;
                piece
            })
        })
    }
}
