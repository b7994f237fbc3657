//! The card of a run as a PNG: the SVG that core makes, drawn by resvg with the bundled letters.
//!
//! Nothing is read from the system: no font, no file, no network. The same run is the same picture
//! everywhere, up to the rounding of floating point numbers.

use thiserror::Error;

/// The letters of cards, two weights of Inter, as build.rs compressed them.
#[cfg(feature = "card")]
const LETTERS: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/card-400.ttf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/card-600.ttf")),
];

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum CardError {
    /// Built without resvg.
    #[cfg(not(feature = "card"))]
    #[error("this bakeoff was built without cards; build it with --features card")]
    NoFeature,
    /// Built without the bundle.
    #[error("this bakeoff was built without the letters of cards; run make web and build it again")]
    NoLetters,
    /// A bug of ours.
    #[error("cannot draw the card: {0}")]
    Drawing(String),
}

/// The SVG as a PNG of the same size.
#[cfg(not(feature = "card"))]
pub fn png(_svg: &str) -> Result<Vec<u8>, CardError> {
    Err(CardError::NoFeature)
}

/// The SVG as a PNG of the same size.
#[cfg(feature = "card")]
pub fn png(svg: &str) -> Result<Vec<u8>, CardError> {
    use resvg::{tiny_skia, usvg};

    let letters = LETTERS.map(crate::assets::unpack);
    if letters.iter().any(Vec::is_empty) {
        return Err(CardError::NoLetters);
    }
    let bug = |what: &dyn std::fmt::Display| CardError::Drawing(what.to_string());
    let mut options = usvg::Options::default();
    for font in letters {
        options.fontdb_mut().load_font_data(font);
    }
    let tree = usvg::Tree::from_str(svg, &options).map_err(|e| bug(&e))?;
    let size = tree.size().to_int_size();
    let map = tiny_skia::Pixmap::new(size.width(), size.height());
    let mut map = map.ok_or_else(|| bug(&"it has no size"))?;
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut map.as_mut());
    map.encode_png().map_err(|e| bug(&e))
}

#[cfg(feature = "card")]
#[cfg(test)]
mod tests {
    use super::*;

    /// Width and height are big-endian words at 16 and 20 (PNG 1.2, 11.2.2).
    fn size(png: &[u8]) -> (u32, u32) {
        let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (word(16), word(20))
    }

    fn drawn(text: &str) -> Vec<u8> {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"120\" height=\"40\" \
             font-family=\"Inter\"><text x=\"4\" y=\"30\" font-size=\"20\">{text}</text></svg>"
        );
        png(&svg).unwrap()
    }

    #[test]
    fn letters_are_drawn_with_the_bundled_font() {
        let letters = LETTERS.map(crate::assets::unpack);
        if letters.iter().any(Vec::is_empty) {
            return;
        }
        let (one, other, blank) = (drawn("ext4"), drawn("xfs"), drawn(" "));
        assert!(one.starts_with(b"\x89PNG") && size(&one) == (120, 40));
        assert!(one != other && one != blank, "no text was drawn");
    }
}
