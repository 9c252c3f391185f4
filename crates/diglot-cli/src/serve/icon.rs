//! The pictures of what the demo server offers.

use diglot::types::Icon;

/// Draws an icon: a coloured square with a word in it.
pub(super) fn icon(color: &str, word: &str) -> Icon {
    let color = color.replace('#', "%23");
    let source = format!(
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>\
         <rect width='24' height='24' rx='5' fill='{color}'/><text x='12' y='16' font-size='11' \
         text-anchor='middle' fill='white'>{word}</text></svg>"
    );
    let source = source.replace(' ', "%20").replace('<', "%3C").replace('>', "%3E");
    Icon::new(source).mime_type("image/svg+xml").sizes(["any".to_owned()])
}
