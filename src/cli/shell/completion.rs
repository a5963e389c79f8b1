//! `olmdex completion`, and the hidden `olmdex complete` that its scripts call.
//!
//! A script is a small adapter: it hands over the typed words and offers the answer. It never decides and never
//! evaluates. Names from catalogs are hostile input, and a shell that expands one runs its author's commands, so this
//! program prints only words that every shell reads literally.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::shell::candidates::{Candidate, Offer};
use crate::cli::shell::complete::Line;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use olmdex_text::encoding::shell::split;

/// Shells that can complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// GNU Bash, 3.2 or later
    Bash,
    /// Elvish
    Elvish,
    /// fish
    Fish,
    /// PowerShell
    Powershell,
    /// Z shell
    Zsh,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex completion bash > olmdex.bash
  olmdex completion zsh > _olmdex
  olmdex completion fish > olmdex.fish")]
pub(crate) struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// List the candidates for the end of a command line
///
/// The completion scripts call this. The first line names the kind of candidates: the `words` on the lines that follow,
/// each with its description after a tab, or `files` or `directories`, which the shell finds itself.
#[derive(Debug, Clone, Args)]
#[command(hide = true)]
pub(crate) struct CompleteArgs {
    /// Command line up to the cursor, still quoted; instead of WORDS
    #[arg(long, value_name = "TEXT", conflicts_with = "words", allow_hyphen_values = true)]
    line: Option<String>,
    /// Word before the cursor; with `--line`, the end of it that the shell replaces. Default: all of it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    current: Option<String>,
    /// The words before that one, without the program's name
    #[arg(value_name = "WORDS", last = true)]
    words: Vec<String>,
}

pub(crate) fn completion(_: &Context, args: &CompletionArgs) -> CommandResult {
    let script = match args.shell {
        Shell::Bash => include_str!("completion/olmdex.bash"),
        Shell::Elvish => include_str!("completion/olmdex.elv"),
        Shell::Fish => include_str!("completion/olmdex.fish"),
        Shell::Powershell => include_str!("completion/olmdex.ps1"),
        Shell::Zsh => include_str!("completion/olmdex.zsh"),
    };
    let mut out = std::io::stdout().lock();
    out.write_all(script.as_bytes())?;
    out.flush()?;
    Ok(Exit::Yes)
}

/// At most this many words are offered.
const MAX_WORDS: usize = 500;

/// Users do not wait longer for a list, so a slower source has no names to offer.
const MAX_TIME: Duration = Duration::from_secs(2);

/// `root` is the whole command line.
pub(crate) fn complete(root: clap::Command, args: &CompleteArgs) -> CommandResult {
    let (sender, receiver) = mpsc::channel();
    let args = args.clone();
    // The thread is left alone when its time is up, since the process ends then.
    std::thread::spawn(move || {
        // The receiver may have given up.
        let _ = sender.send(answer(root, &args));
    });
    let mut out = BufWriter::new(std::io::stdout().lock());
    match receiver.recv_timeout(MAX_TIME) {
        Ok(Offer::Files) => writeln!(out, "files")?,
        Ok(Offer::Directories) => writeln!(out, "directories")?,
        Ok(Offer::Words(words)) => {
            writeln!(out, "words")?;
            for Candidate { word, about } in words.into_iter().take(MAX_WORDS) {
                if about.is_empty() { writeln!(out, "{word}")? } else { writeln!(out, "{word}\t{about}")? }
            }
        }
        Err(_) => writeln!(out, "words")?,
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn answer(mut root: clap::Command, args: &CompleteArgs) -> Offer {
    root.build();
    let Some(text) = &args.line else {
        let current = args.current.as_deref().unwrap_or_default();
        return plain_words(Line::new(&root, &args.words).offer(current), "");
    };
    let mut words = split(text);
    let last = words.pop().unwrap_or_default();
    // Bash breaks words at `@`, `=` and `:` too, and replaces only the part behind them.
    let Some(kept) = last.strip_suffix(args.current.as_deref().unwrap_or(&last)) else { return Offer::nothing() };
    // Variables, or another command that runs this one, may come first.
    let is_program = |it: &String| Path::new(it).file_name().is_some_and(|it| it == "olmdex");
    let first = words.iter().position(is_program).unwrap_or(0);
    if words.is_empty() {
        Offer::nothing()
    } else {
        plain_words(Line::new(&root, &words[first + 1..]).offer(&last), kept)
    }
}

/// Removes words that a shell could read as more than plain words, then cuts off the part that the shell keeps.
fn plain_words(offer: Offer, kept: &str) -> Offer {
    let Offer::Words(words) = offer else { return offer };
    let plain = |it: Candidate| {
        let word = it.word.strip_prefix(kept).filter(|_| it.word.split(',').all(is_plain))?.to_owned();
        Some(Candidate { word, about: it.about })
    };
    Offer::Words(words.into_iter().filter_map(plain).collect())
}

/// Whether every shell reads the unquoted text literally. `@` (PowerShell) and `=` (zsh) mean more at the start of a
/// word.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-@/:=".contains(&byte);
    text.bytes().all(is_plain) && text.bytes().next().is_some_and(|first| !b"@=+:".contains(&first))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_plain_words_leave_the_program() {
        for word in ["keda", "keda@2.1.0+build-1", "a/b/C", "--output=json", "x:y", "4.16"] {
            assert!(is_plain(word), "{word}");
        }
        let hostile = [
            "",
            "$(x)",
            "`x`",
            "a b",
            "a;b",
            "a|b",
            "a&b",
            "a>b",
            "a<b",
            "a*",
            "a?",
            "[a]",
            "{a,b}",
            "~a",
            "a~",
            "!x",
            "^a",
            "#a",
            "a'b",
            "a\"b",
            "a\\b",
            "a\nb",
            "a\tb",
            "a\rb",
            "a\u{1b}[31m",
            "a%b",
            "@a",
            "=ls",
            "a(b)",
            "größe",
            "a,b",
            "a\u{202e}b",
            "a\u{a0}b",
        ];
        for word in hostile {
            assert!(!is_plain(word), "{word:?}");
        }
    }
}
