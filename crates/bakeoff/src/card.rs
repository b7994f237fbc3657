//! The card of a run as a PNG: the shapes that core lists, drawn with the bundled letters.
//!
//! Nothing is read from the system: no font, no file, no network. The same run is the same picture
//! everywhere, up to the rounding of floating point numbers.

#[cfg(feature = "card")]
mod letters;
#[cfg(feature = "card")]
mod paint;
pub mod png;

use bakeoff_report::Picture;

#[cfg(not(feature = "card"))]
pub fn png(_picture: &Picture) -> Result<Vec<u8>, &'static str> {
    Err("this bakeoff was built without result images; build it with --features card")
}

#[cfg(feature = "card")]
pub fn png(picture: &Picture) -> Result<Vec<u8>, &'static str> {
    let none = "this bakeoff was built without the fonts of result images; run make web and build \
                it again";
    let fonts = letters::unpack().ok_or(none)?;
    let letters = letters::Letters::from_fonts(&fonts).ok_or(none)?;
    let canvas = paint::paint(picture, &letters);
    Ok(png::encode(canvas.width, canvas.height, &canvas.bytes))
}

#[cfg(feature = "card")]
#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_report::picture::Color;

    /// Width and height are big-endian words at 16 and 20 (PNG 1.2, 11.2.2).
    fn size(png: &[u8]) -> (u32, u32) {
        let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (word(16), word(20))
    }

    #[test]
    fn letters_are_drawn_with_the_bundled_font() {
        let drawn = |text: &str| {
            let mut picture = Picture { width: 120, height: 40, shapes: Vec::new() };
            picture.text((4.0, 30.0), 20.0, false, (Color(0), text));
            png(&picture)
        };
        let Ok(one) = drawn("ext4") else { return };
        let (other, blank) = (drawn("xfs").unwrap(), drawn(" ").unwrap());
        assert!(one.starts_with(b"\x89PNG") && size(&one) == (120, 40));
        assert!(one != other && one != blank, "no text was drawn");
    }
}
