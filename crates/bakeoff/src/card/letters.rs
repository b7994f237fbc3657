//! The letters of cards: two weights of Inter, as outlines. They are set side by side by their
//! widths, without kerning.

use ttf_parser::{Face, OutlineBuilder};
use zeno::{Command, Vector};

const FONTS: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/card-400.ttf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/card-600.ttf")),
];

/// The two files, unless the program was built without the bundle.
pub fn unpack() -> Option<[Vec<u8>; 2]> {
    let fonts = FONTS.map(crate::assets::unpack);
    fonts.iter().all(|font| !font.is_empty()).then_some(fonts)
}

pub struct Letters<'a> {
    faces: [Face<'a>; 2],
}

impl Letters<'_> {
    /// The letters in the files; `None` if one is no font.
    pub fn from_fonts(fonts: &[Vec<u8>; 2]) -> Option<Letters<'_>> {
        let face = |font| Face::parse(font, 0).ok();
        Some(Letters { faces: [face(&fonts[0])?, face(&fonts[1])?] })
    }

    /// A line of text as an outline from the origin to the right, and its width. A letter that the
    /// font lacks is left out; core replaces those beforehand.
    pub fn outline(&self, text: &str, size: f64, is_bold: bool) -> (Vec<Command>, f32) {
        let face = &self.faces[usize::from(is_bold)];
        let scale = size as f32 / f32::from(face.units_per_em());
        let mut line = GlyphOutline { commands: Vec::new(), x: 0.0, scale };
        for letter in text.chars() {
            let Some(glyph) = face.glyph_index(letter) else { continue };
            face.outline_glyph(glyph, &mut line);
            line.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        }
        (line.commands, line.x)
    }
}

/// An outline that grows. Fonts count upwards, pictures downwards.
struct GlyphOutline {
    commands: Vec<Command>,
    x: f32,
    scale: f32,
}

impl GlyphOutline {
    fn at(&self, x: f32, y: f32) -> Vector {
        Vector::new(self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for GlyphOutline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.commands.push(Command::MoveTo(self.at(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.commands.push(Command::LineTo(self.at(x, y)));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.commands.push(Command::QuadTo(self.at(x1, y1), self.at(x, y)));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.commands.push(Command::CurveTo(self.at(x1, y1), self.at(x2, y2), self.at(x, y)));
    }

    fn close(&mut self) {
        self.commands.push(Command::Close);
    }
}
