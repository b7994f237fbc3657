//! Shapes onto pixels. The outlines become masks of coverage by the crate zeno; here they are mixed
//! into the picture.

use bakeoff_report::picture::{Color, Outline, Picture, PictureText, Shape};
use zeno::{Command, Mask, PathData, Stroke, Style, Transform};

use super::letters::Letters;

/// Pixels of three bytes: red, green, blue.
pub struct Canvas {
    pub width: u32,
    pub height: u32,
    pub bytes: Vec<u8>,
}

pub fn paint(picture: &Picture, letters: &Letters) -> Canvas {
    let Picture { width, height, shapes } = picture;
    let (width, height) = (*width, *height);
    let bytes = vec![u8::MAX; width as usize * height as usize * 3];
    let mut canvas = Canvas { width, height, bytes };
    for shape in shapes {
        match shape {
            Shape::Outline(outline) => canvas.outline(outline),
            Shape::Text(text) => canvas.text(text, letters),
        }
    }
    canvas
}

impl Canvas {
    fn outline(&mut self, outline: &Outline) {
        let path: Vec<Command> = outline.path.as_str().commands().collect();
        let (x, y) = (outline.at.0 as f32, outline.at.1 as f32);
        let scale = outline.scale as f32;
        let to = Transform::scale(scale, scale).then_translate(x, y);
        if let Some(fill) = outline.fill {
            self.mix(&path, to, Style::default(), (fill, outline.opacity));
        }
        if let Some(stroke) = outline.stroke {
            let dashes = stroke.dash.map_or(Vec::new(), |dash| vec![dash as f32; 2]);
            let mut style = Stroke::new(stroke.width as f32);
            style.dash(&dashes, 0.0);
            self.mix(&path, to, style.into(), (stroke.color, 1.0));
        }
    }

    fn text(&mut self, text: &PictureText, letters: &Letters) {
        let (outline, width) = letters.outline(&text.text, text.size, text.is_bold);
        let left = if text.is_right { width } else { 0.0 };
        let to = Transform::translation(text.at.0 as f32 - left, text.at.1 as f32);
        self.mix(&outline, to, Style::default(), (text.color, 1.0));
    }

    fn mix(&mut self, path: &[Command], to: Transform, style: Style, paint: (Color, f64)) {
        if path.is_empty() {
            return;
        }
        let (mask, place) = Mask::new(path).style(style).transform(Some(to)).render();
        let (Color(color), opacity) = paint;
        let [_, red, green, blue] = color.to_be_bytes();
        for (row, covered) in mask.chunks_exact(place.width.max(1) as usize).enumerate() {
            let y = i64::from(place.top) + row as i64;
            for (column, &covered) in covered.iter().enumerate() {
                let x = i64::from(place.left) + column as i64;
                if let Some(pixel) = self.pixel(x, y).filter(|_| covered > 0) {
                    let share = f64::from(covered) / 255.0 * opacity;
                    for (old, new) in pixel.iter_mut().zip([red, green, blue]) {
                        let mixed = f64::from(*old) * (1.0 - share) + f64::from(new) * share;
                        *old = (mixed + 0.5) as u8;
                    }
                }
            }
        }
    }

    /// The bytes of a pixel; `None` beside the picture.
    fn pixel(&mut self, x: i64, y: i64) -> Option<&mut [u8]> {
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        self.bytes.get_mut(at..at + 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_report::picture;

    fn painted(draw: impl Fn(&mut Picture)) -> Canvas {
        let mut picture = Picture { width: 8, height: 4, shapes: Vec::new() };
        draw(&mut picture);
        let mut canvas = Canvas { width: 8, height: 4, bytes: vec![255; 8 * 4 * 3] };
        for shape in &picture.shapes {
            if let Shape::Outline(outline) = shape {
                canvas.outline(outline);
            }
        }
        canvas
    }

    fn at(canvas: &mut Canvas, x: i64, y: i64) -> [u8; 3] {
        canvas.pixel(x, y).unwrap().try_into().unwrap()
    }

    #[test]
    fn a_rectangle_covers_its_pixels_and_no_others() {
        let red = Color(0xff0000);
        let mut canvas = painted(|picture| picture.rect((2.0, 1.0), (3.0, 2.0), red, 1.0));
        assert_eq!(at(&mut canvas, 2, 1), [255, 0, 0]);
        assert_eq!(at(&mut canvas, 4, 2), [255, 0, 0]);
        for (x, y) in [(1, 1), (5, 1), (2, 0), (2, 3)] {
            assert_eq!(at(&mut canvas, x, y), [255, 255, 255], "{x} {y}");
        }
    }

    #[test]
    fn half_a_pixel_and_half_a_colour_are_mixed() {
        let black = Color(0);
        let mut canvas = painted(|picture| {
            picture.rect((0.0, 0.0), (1.5, 1.0), black, 1.0);
            picture.rect((4.0, 0.0), (1.0, 1.0), black, 0.5);
        });
        let grey = |pixel: [u8; 3]| pixel.iter().all(|c| (126..=129).contains(c));
        assert!(grey(at(&mut canvas, 1, 0)), "{:?}", at(&mut canvas, 1, 0));
        assert!(grey(at(&mut canvas, 4, 0)), "{:?}", at(&mut canvas, 4, 0));
    }

    #[test]
    fn dashes_leave_gaps_and_what_is_beside_the_picture_is_left_out() {
        let stroke = picture::Stroke { color: Color(0), width: 2.0, dash: Some(2.0) };
        let mut canvas = painted(|picture| picture.line((0.0, 1.0), (90.0, 0.0), stroke));
        assert_eq!(at(&mut canvas, 1, 0), [0, 0, 0]);
        assert_eq!(at(&mut canvas, 2, 0), [255, 255, 255]);
        assert_eq!(at(&mut canvas, 5, 1), [0, 0, 0]);
    }
}
