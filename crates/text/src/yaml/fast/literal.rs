//! Literal and folded blocks.

use super::cursor::{Cursor, Scalar};
use super::event::{Declined, Spot, Style};

/// The newlines at the end that stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Cursor<'_> {
    /// Reads a block in a collection at the column `indent`. The cursor stays on the line behind it, before its first
    /// character.
    pub(super) fn block_scalar(&mut self, indent: Option<usize>) -> Result<Scalar, Declined> {
        let start = self.spot();
        let is_literal = self.byte() == b'|';
        let style = if is_literal { Style::Literal } else { Style::Folded };
        self.at += 1;
        let (chomping, increment) = self.block_header()?;
        self.finish_line()?;
        let mut width = increment.map_or(0, |it| indent.unwrap_or(0) + it);
        self.buffer.clear();
        let mut trailing = 0;
        let mut end = self.block_breaks(&mut width, indent, &mut trailing)?;
        let (mut has_break, mut was_blank) = (false, false);
        while self.column() == width && !self.is_at_end() {
            let is_blank = matches!(self.byte(), b' ' | b'\t');
            if !is_literal && has_break && !was_blank && !is_blank {
                if trailing == 0 {
                    self.buffer.push(' ');
                }
            } else if has_break {
                self.buffer.push('\n');
            }
            self.buffer.extend(std::iter::repeat_n('\n', trailing));
            trailing = 0;
            was_blank = is_blank;
            let line_end = self.line_end(self.at);
            self.keep(self.at, line_end)?;
            self.go_behind_newline(line_end);
            has_break = true;
            end = self.block_breaks(&mut width, indent, &mut trailing)?;
        }
        if chomping != Chomping::Strip && has_break {
            self.buffer.push('\n');
        }
        if chomping == Chomping::Keep {
            self.buffer.extend(std::iter::repeat_n('\n', trailing));
        }
        Ok(Scalar { start, end, style, verbatim: None })
    }

    /// Reads the header behind `|` or `>`: a sign and a digit, in any order.
    fn block_header(&mut self) -> Result<(Chomping, Option<usize>), Declined> {
        let mut chomping = None;
        let mut increment = None;
        for _ in 0..2 {
            match self.byte() {
                b'+' if chomping.is_none() => chomping = Some(Chomping::Keep),
                b'-' if chomping.is_none() => chomping = Some(Chomping::Strip),
                digit @ b'1'..=b'9' if increment.is_none() => increment = Some(usize::from(digit - b'0')),
                _ => break,
            }
            self.at += 1;
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    /// Goes over empty lines and the indentation of the next one. A `width` of 0 is not known, and found here. Returns
    /// where the last of the empty lines ends.
    fn block_breaks(
        &mut self,
        width: &mut usize,
        indent: Option<usize>,
        trailing: &mut usize,
    ) -> Result<Spot, Declined> {
        let mut widest = 0;
        let mut end = self.spot();
        loop {
            let n_most = if *width == 0 { usize::MAX } else { width.saturating_sub(self.column()) };
            self.at += self.n_spaces(self.at).min(n_most);
            widest = widest.max(self.column());
            match self.byte() {
                b'\t' if *width == 0 || self.column() < *width => return Err(Declined),
                b'\n' => {
                    self.go_behind_newline(self.at);
                    *trailing += 1;
                    end = self.spot();
                }
                _ => break,
            }
        }
        if *width == 0 {
            *width = widest.max(indent.map_or(1, |it| it + 1));
        }
        Ok(end)
    }
}
