//! Pictures that a client may show beside a name.

words! {
    /// Names the background that an icon is drawn for.
    IconTheme {
        /// A light background.
        Light "light",
        /// A dark background.
        Dark "dark",
    }
}

record! {
    /// Points to a picture.
    ///
    /// The address comes from the peer: a client checks its scheme before it fetches anything.
    #[derive(PartialEq, Eq)]
    Icon {
        /// The address: `https:` or `data:`.
        required src: String = "src";
        /// The media type, where it differs from the one that the picture is served with.
        optional mime_type: String = "mimeType";
        /// The sizes in which it looks right, such as `48x48` or `any`.
        list sizes: Vec<String> = "sizes";
        /// The background that it is drawn for.
        optional theme: IconTheme = "theme";
    }
}
