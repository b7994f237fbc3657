//! A terminal that is drawn anew each time, and given back as it was.
//!
//! The alternate screen, the cursor and clearing are those of xterm and every terminal since
//! (ctlseqs: DECSET 1049 and 25, CUP, ED).

use std::io::{self, Write};

const OPEN: &[u8] = b"\x1b[?1049h\x1b[?25l";
const CLOSE: &[u8] = b"\x1b[?25h\x1b[?1049l";
const HOME_AND_CLEAR: &[u8] = b"\x1b[H\x1b[J";
const LINES: usize = 24;

pub struct Screen(());

impl Screen {
    /// Takes it.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn open() -> io::Result<Screen> {
        let screen = Screen(());
        io::stdout().write_all(OPEN)?;
        Ok(screen)
    }

    /// Lines it has now; people resize windows.
    pub fn height(&self) -> usize {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        size.map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0).unwrap_or(LINES)
    }

    /// Shows `text` and nothing else.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn draw(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(HOME_AND_CLEAR)?;
        // No newline behind the last line: it would push the first one out of a full screen.
        out.write_all(text.trim_end().as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let mut out = io::stdout().lock();
        // A terminal that is gone needs nothing given back.
        let _ = out.write_all(CLOSE);
        let _ = out.flush();
    }
}
