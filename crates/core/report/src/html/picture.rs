//! A picture in SVG, shape by shape.

use std::fmt::Write;

use askama::filters::{Html, escape};

/// A point or a size: x and y.
pub type Point = (f64, f64);

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub struct Letters {
    pub size: f64,
    pub is_bold: bool,
    pub color: &'static str,
    /// Whether it ends at its point and does not begin there.
    pub is_right: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Picture {
    shapes: String,
}

impl Picture {
    pub fn svg(&self, (width, height): Point) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Inter, sans-serif\">\n{}</svg>",
            self.shapes
        )
    }

    /// A shape with its attributes; writing to a string cannot fail.
    fn shape(&mut self, shape: std::fmt::Arguments) {
        let _ = writeln!(self.shapes, "<{shape}/>");
    }

    pub fn rect(&mut self, (x, y): Point, (width, height): Point, fill: &str, opacity: f64) {
        self.shape(format_args!(
            "rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             fill=\"{fill}\" fill-opacity=\"{opacity}\""
        ));
    }

    pub fn line(&mut self, (x, y): Point, (right, down): Point, color: &str) {
        self.shape(format_args!(
            "path d=\"M{x:.2} {y:.2}l{right:.2} {down:.2}\" stroke=\"{color}\""
        ));
    }

    /// Path data (SVG 2, 9.3) around a point, filled.
    pub fn mark(&mut self, path: &str, (x, y): Point, fill: &str) {
        self.shape(format_args!(
            "path d=\"{path}\" transform=\"translate({x:.2} {y:.2}) scale(1.5)\" fill=\"{fill}\""
        ));
    }

    pub fn text(&mut self, (x, y): Point, letters: Letters, text: &str) {
        let Letters { size, is_bold, color, is_right } = letters;
        let weight = if is_bold { 600 } else { 400 };
        let anchor = if is_right { "end" } else { "start" };
        // Rendering into a String fails only when a Display of ours does, and none of them can.
        let text = escape(text, Html).map_or(String::new(), |text| text.to_string());
        let _ = writeln!(
            self.shapes,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" font-weight=\"{weight}\" \
             text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>"
        );
    }
}
