//! The texts that the API server admits in a ClusterExtension's `version` field (`docs/behaviour/olm-v1.md` 1.1.10).
//!
//! A regular expression decides this, which is close to the language of constraints but not equal to it. Here the
//! expression is a set of positions that moves over the text: each step maps the possible positions of a match to the
//! next ones, so every way to match is followed at once. Texts are at most 64 characters, so a set is one number.

/// The greatest length that the API server accepts, in characters.
pub(super) const MAX_CHARS: usize = 64;

/// The wildcards of a component other than `x` and `X`. A misplaced bracket in the real expression makes it the two
/// characters `*]` in some places.
struct Wildcards {
    major: &'static str,
    minor: &'static str,
    patch: &'static str,
}

const FIRST_ITEM: Wildcards = Wildcards { major: "*", minor: "*]", patch: "*" };
const LATER_ITEM: Wildcards = Wildcards { major: "*]", minor: "*", patch: "*]" };

const OPERATORS: [&str; 12] = ["", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"];

/// Whether the API server would accept the text as a constraint.
///
/// It rejects some constraints that can be read (hyphen ranges, numbers with leading zeros, some uses of `*`, anything
/// over 64 characters) and accepts some that cannot (numbers over 64 bits, a lone `|`). Not to be confused with
/// whether [`Constraint::parse`](super::masterminds::Constraint::parse) succeeds.
pub fn api_server_admits(text: &str) -> bool {
    // The expression knows ASCII only; the remaining texts have one byte per character.
    if !text.is_ascii() || text.len() > MAX_CHARS {
        return false;
    }
    let expression = Matcher { text: text.as_bytes() };
    let mut positions = expression.white_space(Positions::START);
    positions = expression.item(positions, &FIRST_ITEM).or(expression.pipe_item(positions));
    positions = expression.white_space(positions);
    let all = expression.repeat(positions, |from| {
        let spaced = expression.white_space(from);
        let separated = expression
            .any_of(from, is_white_space)
            .or(expression.literal(from, ","))
            .or(expression.literal(spaced, "||"));
        expression.white_space(expression.item(expression.white_space(separated), &LATER_ITEM))
    });
    all.contains(text.len())
}

fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// A set of positions between the bytes of the text: 0 to [`MAX_CHARS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Positions(u128);

impl Positions {
    const NONE: Self = Self(0);
    const START: Self = Self(1);

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn contains(self, position: usize) -> bool {
        self.0 >> position & 1 == 1
    }
}

struct Matcher<'a> {
    text: &'a [u8],
}

impl Matcher<'_> {
    /// One byte of a class.
    fn any_of(&self, from: Positions, class: fn(u8) -> bool) -> Positions {
        let accepting = self.text.iter().enumerate().filter(|&(_, &byte)| class(byte));
        let mask = accepting.fold(0, |mask, (at, _)| mask | 1 << at);
        Positions((from.0 & mask) << 1)
    }

    fn literal(&self, from: Positions, literal: &str) -> Positions {
        literal.bytes().fold(from, |positions, expected| {
            let accepting = self.text.iter().enumerate().filter(|&(_, &byte)| byte == expected);
            let mask = accepting.fold(0, |mask, (at, _)| mask | 1 << at);
            Positions((positions.0 & mask) << 1)
        })
    }

    /// A step any number of times, none included.
    fn repeat(&self, from: Positions, step: impl Fn(Positions) -> Positions) -> Positions {
        let mut all = from;
        loop {
            let more = all.or(step(all));
            if more == all {
                return all;
            }
            all = more;
        }
    }

    fn white_space(&self, from: Positions) -> Positions {
        self.repeat(from, |from| self.any_of(from, is_white_space))
    }

    fn item(&self, from: Positions, wildcards: &Wildcards) -> Positions {
        let major = self.component(self.item_start(from), wildcards.major);
        self.item_end(major, wildcards)
    }

    /// The first item may have a lone `|` as its major number.
    fn pipe_item(&self, from: Positions) -> Positions {
        self.item_end(self.literal(self.item_start(from), "|"), &FIRST_ITEM)
    }

    fn item_start(&self, from: Positions) -> Positions {
        let operators = OPERATORS.iter().map(|operator| self.literal(from, operator));
        let spaced = self.white_space(operators.fold(Positions::NONE, Positions::or));
        spaced.or(self.literal(spaced, "v"))
    }

    fn item_end(&self, major: Positions, wildcards: &Wildcards) -> Positions {
        let minor = major.or(self.component(self.literal(major, "."), wildcards.minor));
        let patch = minor.or(self.component(self.literal(minor, "."), wildcards.patch));
        let pre = patch.or(self.identifiers(self.literal(patch, "-")));
        pre.or(self.identifiers(self.literal(pre, "+")))
    }

    fn component(&self, from: Positions, wildcard: &str) -> Positions {
        let leading = self.any_of(from, |byte| matches!(byte, b'1'..=b'9'));
        let number = self.repeat(leading, |from| self.any_of(from, |byte| byte.is_ascii_digit()));
        let single = self.any_of(from, |byte| matches!(byte, b'0' | b'x' | b'X'));
        number.or(single).or(self.literal(from, wildcard))
    }

    fn identifiers(&self, from: Positions) -> Positions {
        let identifier = |from| {
            let first = self.any_of(from, is_identifier_byte);
            self.repeat(first, |from| self.any_of(from, is_identifier_byte))
        };
        self.repeat(identifier(from), |from| identifier(self.literal(from, ".")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admission() {
        let long = format!("1.2.3-{}", "a".repeat(58));
        let cases = [
            ("1.2.3", true),
            (" >= v1.2.3-rc.1+b , <2 || ~3.x", true),
            (">=1.0.0\t<2.0.0", true),
            ("", false),
            (" ", false),
            ("latest", false),
            (">=1.0.0,", false),
            ("1 || ", false),
            // The places where it differs from the language of constraints.
            ("1.0 - 2.0", false),
            ("01.2.3", false),
            ("1.*", true),
            ("1.2.*", true),
            ("1.*.3", false),
            ("*.*.*", false),
            (">=1.0.0 || *", false),
            ("1.2.3 || 1.*", true),
            ("1.2.3 || 1.2.*", false),
            ("1.2.3 || 1.2.x", true),
            ("18446744073709551616", true),
            ("1.2.3-01", true),
            ("|", true),
            ("1 |", false),
            (&long, true),
            (&format!("{long}a"), false),
        ];
        for (text, admitted) in cases {
            assert_eq!(api_server_admits(text), admitted, "{text:?}");
        }
    }
}
