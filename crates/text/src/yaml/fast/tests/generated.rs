//! Generated texts: made of pieces that are difficult for scanners, and mutations of texts.

use super::compare;

/// A sequence of numbers that a seed decides.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        // (xorshift64*)
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % sides
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len())]
    }
}

const PIECES: &[&str] = &[
    "a", "b c", "- ", "-", ": ", ":", "\n", "\n  ", "\n    ", "\n ", " ", "  ", "#", " # c", "'", "''", "\"", "\\",
    "\\n", "|", ">", "|-\n", ">+\n", "|2\n", "[", "]", "{", "}", ", ", ",", "a: ", "b:\n", "- x\n", "k: v\n", "\n- ",
    "\n\n", "é", "---\n", "---", "...", "?", "? ", "&x ", "*x", "!", "%", "\t", "~", "<<: ", "1", "-1", "\\x41",
    "\\\n",
];

/// A document that is mostly sound.
fn document(dice: &mut Dice, out: &mut String) {
    let mut indent = 0usize;
    for _ in 0..1 + dice.roll(12) {
        out.extend(std::iter::repeat_n(' ', indent));
        for _ in 0..dice.roll(3) {
            if dice.roll(3) == 0 {
                out.push_str(dice.of(&["- ", "-  ", "- - "]));
            }
        }
        if dice.roll(5) > 0 {
            out.push_str(dice.of(&["a", "b c", "'d'", "\"e\"", "é", "f-g", "1", "h "]));
            out.push_str(dice.of(&[":", ":", ": ", ": ", ": ", ": ", ":  ", ""]));
        }
        match dice.roll(9) {
            0 => out.push_str(dice.of(&["x", "y z", "x: y", "x:y", "x #c", "x # c", "-", "é ü"])),
            1 => out.push_str(dice.of(&["'x'", "'it''s'", "'x\n  y'", "'x\n\ny'", "''", "' '", "'x' # c"])),
            2 => {
                out.push_str(dice.of(&["\"x\"", "\"\\n\"", "\"x\\\n  y\"", "\"x\n\n  y\"", "\"é\\u00e9\"", "\" x \""]));
            }
            3 => out.push_str(dice.of(&["|", ">", "|-", ">-", "|+", ">+", "|1", ">2-", "| # c"])),
            4 => out.push_str(dice.of(&[
                "[]",
                "{}",
                "[a, b]",
                "{a: b}",
                "[a, {b: [c]}]",
                "{'a':b, \"c\":d,}",
                "[é, x] # c",
                "[a",
            ])),
            5 => out.push_str(dice.of(&["# c", " # c", "", " ", "<<", "*a", "&a b", "!t c", "@", "\tx"])),
            _ => {}
        }
        for _ in 0..1 + dice.roll(8) / 6 {
            out.push_str(dice.of(&["\n", "\n", "\n", "\n", "\n", "\n\n", "\n  \n", "\n# c\n", "\n   # c\n", ""]));
        }
        indent = match dice.roll(6) {
            0 | 1 => indent + [1, 2, 4][dice.roll(3)],
            2 => indent.saturating_sub(1 + dice.roll(4)),
            3 => 0,
            _ => indent,
        };
    }
}

/// Changes a text in a few places.
pub(super) fn mutate(dice: &mut Dice, text: &mut Vec<u8>) {
    for _ in 0..1 + dice.roll(3) {
        let at = dice.roll(text.len() + 1);
        let len = dice.roll(4).min(text.len() - at);
        match dice.roll(5) {
            0 => drop(text.drain(at..at + len)),
            1 => drop(text.splice(at..at + len, dice.of(PIECES).bytes())),
            2 => {
                let byte = b" \n:-#'\"[]{},|>\\\t!&*?%"[dice.roll(21)];
                text.splice(at..at + len.min(1), [byte]);
            }
            3 => drop(text.splice(at..at, dice.of(PIECES).bytes())),
            _ => {
                let from = dice.roll(text.len() + 1);
                let copy = text[from..text.len().min(from + dice.roll(20))].to_vec();
                text.splice(at..at, copy);
            }
        }
    }
}

/// Compares texts of `n_bytes` bytes, and returns how many there were and how many the fast scanner read.
pub(super) fn run(seed: u64, n_bytes: usize) -> (usize, usize) {
    let mut dice = Dice(seed);
    let (mut done, mut texts, mut read) = (0, 0, 0);
    while done < n_bytes {
        let mut text = String::new();
        if dice.roll(6) == 0 {
            for _ in 0..1 + dice.roll(14) {
                text.push_str(dice.of(PIECES));
            }
        } else {
            document(&mut dice, &mut text);
        }
        let mut text = text.into_bytes();
        if dice.roll(3) == 0 {
            mutate(&mut dice, &mut text);
        }
        done += text.len() + 1;
        texts += 1;
        read += usize::from(compare(&text));
    }
    (texts, read)
}

#[test]
fn generated_texts_are_told_alike() {
    let (texts, read) = run(37, 5_000_000);
    // A scanner that declines everything would pass.
    assert!(read * 10 > texts, "{read} of {texts}");
}
