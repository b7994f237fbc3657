//! A picture as a list of shapes, for a card as SVG.

use std::fmt;

use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "picture.svg", escape = "html")]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Outline(Outline),
    Text(PictureText),
}

#[derive(Clone, Debug)]
pub struct Outline {
    /// Path data (SVG 2, 9.3).
    pub path: String,
    pub at: (f64, f64),
    pub scale: f64,
    pub fill: Option<Color>,
    /// Of the filling, 0 to 1.
    pub opacity: f64,
    pub stroke: Option<Stroke>,
}

#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    pub color: Color,
    pub width: f64,
    pub dash: Option<f64>,
}

#[derive(Clone, Debug)]
pub struct PictureText {
    pub at: (f64, f64),
    pub size: f64,
    /// Whether the weight is 600 and not 400.
    pub is_bold: bool,
    pub color: Color,
    pub text: String,
    pub is_right: bool,
}

/// Red, green and blue: `0xRRGGBB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u32);

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

impl Picture {
    pub fn svg(&self) -> String {
        // Rendering into a String fails only when a Display of ours does, and none of them can.
        self.render().unwrap_or_default()
    }

    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), fill: Color, opacity: f64) {
        let path = format!("M0 0H{:.2}V{:.2}H0Z", size.0, size.1);
        let outline = Outline { path, at, scale: 1.0, fill: Some(fill), opacity, stroke: None };
        self.shapes.push(Shape::Outline(outline));
    }

    pub fn line(&mut self, at: (f64, f64), by: (f64, f64), stroke: Stroke) {
        let path = format!("M0 0L{:.2} {:.2}", by.0, by.1);
        let stroke = Some(stroke);
        let outline = Outline { path, at, scale: 1.0, fill: None, opacity: 1.0, stroke };
        self.shapes.push(Shape::Outline(outline));
    }

    pub fn text(&mut self, at: (f64, f64), size: f64, is_bold: bool, (color, text): (Color, &str)) {
        let text = text.to_string();
        self.shapes.push(Shape::Text(PictureText {
            at,
            size,
            is_bold,
            color,
            text,
            is_right: false,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_svg_has_every_shape_and_escapes_text() {
        let mut picture = Picture { width: 20, height: 10, shapes: Vec::new() };
        picture.rect((1.0, 2.5), (3.0, 4.0), Color(0x0a0b0c), 0.5);
        let stroke = Stroke { color: Color(0xff), width: 1.5, dash: Some(3.0) };
        picture.line((0.0, 0.0), (5.0, 0.0), stroke);
        picture.text((1.0, 9.0), 8.0, true, (Color(0), "<b>"));
        insta::assert_snapshot!(picture.svg());
    }
}
