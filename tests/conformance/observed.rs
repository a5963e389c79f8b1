//! Reads `observed.txt`: commands with their answers.
//!
//! ```text
//! $ command line
//! --- rc=0
//! --- stdout:
//! ...
//! --- stderr:
//! ...
//! ==========            (between exchanges; some files leave it out)
//! ```

/// One command and its answer. Both texts end with a line end unless they are empty: the recording does not tell
/// whether the last line of the real output had one.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Exchange {
    pub(crate) command: String,
    pub(crate) exit_code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The exchanges of a file, in order.
///
/// # Errors
///
/// A text that names the first line that does not follow the format.
pub(crate) fn parse(text: &str) -> Result<Vec<Exchange>, String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = |at: usize| lines.get(at).map(|line| line.trim_end_matches('\n'));
    let starts = |at: usize| {
        line(at).is_some_and(|line| line.starts_with("$ "))
            && line(at + 1).is_some_and(|line| line.starts_with("--- rc="))
    };
    let expect = |at: usize, wanted: &str| {
        line(at).and_then(|line| line.strip_prefix(wanted)).ok_or_else(|| format!("line {}: no {wanted:?}", at + 1))
    };

    let mut exchanges = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let command = expect(at, "$ ")?.to_owned();
        let code = expect(at + 1, "--- rc=")?;
        let exit_code = code.parse().map_err(|_not_a_number| format!("line {}: {code:?} is no exit code", at + 2))?;
        expect(at + 2, "--- stdout:")?;
        at += 3;
        let mut stdout = String::new();
        while line(at).is_some_and(|line| line != "--- stderr:") {
            stdout.push_str(lines[at]);
            at += 1;
        }
        expect(at, "--- stderr:")?;
        at += 1;
        let mut stderr = String::new();
        while at < lines.len() && line(at) != Some("==========") && !starts(at) {
            stderr.push_str(lines[at]);
            at += 1;
        }
        if line(at) == Some("==========") {
            at += 1;
        }
        exchanges.push(Exchange { command, exit_code, stdout, stderr });
    }
    Ok(exchanges)
}
