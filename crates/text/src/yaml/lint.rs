//! Whether yamllint accepts a file, in the configuration of the hosted pipelines of Red Hat's operator repositories.
//!
//! They run `yamllint BUNDLE -d '{extends: default, rules: {line-length: {max: 180, level: warning}, indentation:
//! {indent-sequences: whatever}}}'`. The rules are those of yamllint's documentation; where it is silent, the answers
//! of yamllint 1.38 decided.
//!
//! | module | what it holds |
//! |---|---|
//! | `problem` | the errors and the rules |
//! | `decode` | bytes to text |
//! | `tokens` | the tokens, and the scanner's errors of syntax |
//! | `comments` | what comments switch off |
//! | `indentation`, `spacing`, `values` | the rules on tokens |
//! | `lines` | the rules on lines |
//!
//! An error of syntax stops none of the rules, but the scanner's errors end the tokens. Known differences from
//! yamllint:
//!
//! - Where there is an error of syntax, yamllint leaves out one other problem.
//! - A document without `---` behind `...` is no error of libyaml's parser.
//! - The key of a block mapping may have 1024 bytes, not characters.
//! - An unknown directive, `a:` directly before a bracket or a comma in a flow collection, and an escaped half of a
//!   surrogate pair are errors of libyaml's scanner.
//! - Flow collections may be 256 deep, block collections 10,000, lest a stranger's text takes too long.
//! - Behind an error of syntax, the rule `indentation` may find other columns than yamllint, which loses its way there.

mod comments;
mod decode;
mod indentation;
mod lines;
mod problem;
mod spacing;
#[cfg(test)]
mod tests;
mod tokens;
mod values;

use std::borrow::Cow;
use std::collections::VecDeque;

pub use problem::LintProblem;

use comments::{Act, Directive};
use indentation::Indentation;
use lines::Lines;
use problem::{Rules, unruly};
use tokens::{Fault, MAX_FLOW_DEPTH, Token, tokens};
use values::Values;

use super::dialect::without_ends_of_tags;
use super::events::parse_error;

/// The errors that `yamllint` 1.38 reports for a file with the configuration of the hosted pipelines
/// (<https://yamllint.readthedocs.io/en/stable/rules.html>).
///
/// yamllint ends with a traceback at bytes that are not of the encoding it detects, and at characters that YAML does
/// not allow; that is one problem here, without a rule. The last of more than 10,000 problems says so.
pub fn lint(bytes: &[u8]) -> Vec<LintProblem> {
    let text = match decode::decode(bytes) {
        Ok(text) => text,
        Err(problem) => return vec![problem],
    };
    if comments::disables_file(&text) {
        return Vec::new();
    }
    if let Some(problem) = decode::forbidden(&text) {
        return vec![problem];
    }
    let (pass, fault) = Pass::over(&text);
    let syntax = fault.map(|(line, column, message)| unruly(line, column, format!("syntax error: {message}")));
    report(&text, pass, syntax)
}

/// The most problems of a file: more of them would take more memory than the file.
const MAX_PROBLEMS: usize = 10_000;

/// One pass over the tokens of a text.
struct Pass<'t> {
    text: &'t str,
    /// The last token, the one to be checked, and those behind it.
    window: VecDeque<Token>,
    indentation: Indentation,
    values: Values,
    /// The errors, each with the line, from 0, that yamllint reports it after.
    found: Vec<(u32, LintProblem)>,
    directives: Vec<Directive>,
}

impl<'t> Pass<'t> {
    /// The problems and directives of a text, and its error of syntax.
    fn over(text: &'t str) -> (Self, Option<(u32, u32, String)>) {
        let mut pass = Self {
            text,
            window: VecDeque::new(),
            indentation: Indentation::new(),
            values: Values::default(),
            found: Vec::new(),
            directives: Vec::new(),
        };
        // libyaml's scanner skips byte order marks at the start of lines. To PyYAML they are characters.
        let scanned =
            if text.contains('\u{FEFF}') { text.replace('\u{FEFF}', "\u{E000}").into() } else { Cow::Borrowed(text) };
        let scanned = without_ends_of_tags(&scanned, MAX_FLOW_DEPTH).map_or(scanned, Cow::Owned);
        let refused = tokens(text, &scanned, |token| {
            pass.window.push_back(token);
            pass.check();
        });
        if let Some(Fault { place, message }) = refused {
            return (pass, Some((place.line, place.column, message)));
        }
        pass.finish();
        let from_zero = |number: Option<u32>| number.map_or(0, |number| number.saturating_sub(1));
        let fault = parse_error(&scanned).map(|error| (from_zero(error.line), from_zero(error.column), error.message));
        (pass, fault)
    }

    /// Checks the token before the last two.
    fn check(&mut self) {
        if self.window.len() < 3 {
            return;
        }
        let mut problems = Vec::new();
        self.window.make_contiguous();
        let (before, token, next, second) = match *self.window.as_slices().0 {
            [ref token, ref next, ref second] => (token, token, next, second),
            [ref before, ref token, ref next, ref second, ..] => (before, token, next, second),
            _ => return,
        };
        spacing::check(before, token, next, &mut problems);
        self.indentation.take(token, [next, second], &mut problems);
        self.values.take(token, next, &mut problems);
        let line = token.start.line;
        problems.sort_by_key(|problem| problem.rule);
        let n_free = (MAX_PROBLEMS + 1).saturating_sub(self.found.len());
        self.found.extend(problems.into_iter().take(n_free).map(|problem| (line, problem)));
        comments::check(self.text, token, next, |directive| self.directives.push(directive));
        if self.window.len() > 3 {
            self.window.pop_front();
        }
    }

    /// Checks the last tokens, which have fewer behind them.
    fn finish(&mut self) {
        for _ in 0..2 {
            if let Some(last) = self.window.back().cloned() {
                self.window.push_back(last);
                self.check();
            }
        }
    }
}

/// The errors in the order of their places. A comment switches rules off from the start of its line on. The error of
/// syntax cannot be switched off.
fn report(text: &str, pass: Pass<'_>, syntax: Option<LintProblem>) -> Vec<LintProblem> {
    let mut found = pass.found.into_iter().peekable();
    let mut directives = pass.directives.into_iter().peekable();
    let mut lines = Lines::default();
    let (mut off, mut off_next) = (Rules::default(), Rules::default());
    let mut out = Vec::new();
    let mut rest = text;
    let mut number = 0;
    loop {
        let line = &rest[..memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1)];
        rest = &rest[line.len()..];
        let is_last = !line.ends_with('\n');
        let mut problems = Vec::new();
        while let Some((_, problem)) = found.next_if(|found| found.0 <= number) {
            problems.push(problem);
        }
        if !line.is_empty() {
            lines.take(number, line, rest, &mut problems);
        }
        let mut off_here = std::mem::take(&mut off_next);
        while let Some(directive) = directives.next_if(|directive| directive.line <= number) {
            match directive.act {
                Act::Disable => off = off.with(directive.rules),
                Act::Enable => off = off.without(directive.rules),
                Act::DisableLine => off_here = off_here.with(directive.rules),
                Act::DisableNextLine => off_next = off_next.with(directive.rules),
            }
        }
        let off_here = off_here.with(off);
        out.extend(problems.into_iter().filter(|problem| !problem.rule.is_some_and(|rule| off_here.has(rule))));
        if out.len() > MAX_PROBLEMS {
            out.truncate(MAX_PROBLEMS);
            let message = format!("the file has more than {MAX_PROBLEMS} problems, and olmdex lists no more");
            out.push(unruly(number, 0, message));
            break;
        }
        if is_last {
            break;
        }
        number += 1;
    }
    out.extend(syntax);
    out.sort_by_key(|problem| (problem.line, problem.column));
    out
}
