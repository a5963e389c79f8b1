//! The colours of verdicts: bad ones are red, doubtful ones yellow, good ones green. The words say the same.

/// Columns with verdicts, and those of versions of OpenShift, whose states are verdicts.
const VERDICTS: [&str; 10] =
    ["BREAKING", "CHANGE", "EFFECT", "MET", "REACHABLE", "SEVERITY", "STATUS", "SUPPORT", "TAKEN", "VERDICT"];

/// Columns that lead to the evidence.
const PLACES: [&str; 3] = ["PLACE", "SIGNAL", "SOURCE"];

/// Columns of versions, which people look for.
const VERSIONS: [&str; 7] = ["DEFAULT HEAD", "FROM", "HEAD", "INSTALLED", "TO", "VERSION", "VERSIONS"];

/// Lines of a sheet with a verdict.
const LINES: [&str; 6] = ["Now", "end", "now", "Path", "Plan", "Progress"];

const RED: &str = "31";
const YELLOW: &str = "33";
const GREEN: &str = "32";
const DIM: &str = "2";
const ACCENT: &str = "36";

/// Words of verdicts, the worst first.
const WORDS: &[(&str, &str)] = &[
    ("blocked", RED),
    ("blocks", RED),
    ("channel-gone", RED),
    ("error", RED),
    ("excluded", RED),
    ("fails", RED),
    ("installs nothing", RED),
    ("loses upgrade", RED),
    ("missing", RED),
    ("no", RED),
    ("no upgrade available", RED),
    ("not on the path", RED),
    ("package-gone", RED),
    ("refused", RED),
    ("removed", RED),
    ("stranded", RED),
    ("stuck", RED),
    ("unsupported", RED),
    ("attention", YELLOW),
    ("behind", YELLOW),
    ("changed", YELLOW),
    ("deprecated", YELLOW),
    ("not-excluded", YELLOW),
    ("instead", YELLOW),
    ("takes nothing", RED),
    ("other target", YELLOW),
    ("unknown", YELLOW),
    ("warning", YELLOW),
    ("added", GREEN),
    ("done", GREEN),
    ("head", GREEN),
    ("installs", GREEN),
    ("present", GREEN),
    ("ready", GREEN),
    ("stated", GREEN),
    ("supported", GREEN),
    ("up to date", GREEN),
    ("upgrades to", GREEN),
    ("yes", GREEN),
];

/// The colour of a cell below a header.
pub(crate) fn of_cell(header: &str, cell: &str) -> Option<&'static str> {
    if PLACES.contains(&header) {
        return Some(DIM);
    }
    if VERSIONS.contains(&header) {
        return Some(ACCENT);
    }
    // A breaking change is bad news whatever its name is.
    if header == "BREAKING" {
        return (cell == "yes").then_some(RED);
    }
    let is_minor = header.split_once('.').is_some_and(|(major, minor)| {
        [major, minor].iter().all(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
    });
    if !is_minor && !VERDICTS.contains(&header) {
        return None;
    }
    let parts: Vec<&str> = cell.split([',', ';', ':']).map(str::trim).collect();
    WORDS.iter().find(|(word, _)| parts.contains(word)).map(|it| it.1)
}

/// The place of the verdict's word in a line of a sheet, and its colour.
pub(crate) fn in_line(label: &str, line: &str) -> Option<(std::ops::Range<usize>, &'static str)> {
    if !LINES.contains(&label) {
        return None;
    }
    let ends = |at: usize| line[at..].chars().next().is_none_or(|it| !(it.is_alphanumeric() || it == '-'));
    let begins = |at: usize| line[..at].chars().next_back().is_none_or(|it| !(it.is_alphanumeric() || it == '-'));
    WORDS.iter().find_map(|(word, colour)| {
        let at = line.match_indices(word).map(|it| it.0).find(|at| begins(*at) && ends(at + word.len()))?;
        Some((at..at + word.len(), *colour))
    })
}

#[cfg(test)]
mod tests {
    use super::{ACCENT, DIM, GREEN, RED, YELLOW, in_line, of_cell};

    #[test]
    fn the_worst_word_of_a_cell_decides() {
        for (header, cell, colour) in [
            ("VERDICT", "blocks", Some(RED)),
            ("4.17", "behind, blocks", Some(RED)),
            ("4.17", "behind", Some(YELLOW)),
            ("4.17", "head", Some(GREEN)),
            ("BREAKING", "yes", Some(RED)),
            ("BREAKING", "", None),
            ("TAKEN", "yes", Some(GREEN)),
            ("TAKEN", "no", Some(RED)),
            ("PLACE", "catalog/keda.yaml:3:1", Some(DIM)),
            ("PACKAGE", "head", None),
            ("VERSION", "1.0.0", Some(ACCENT)),
            ("VERDICT", "headless", None),
        ] {
            assert_eq!(of_cell(header, cell), colour, "{header} {cell}");
        }
    }

    #[test]
    fn a_line_has_one_verdict() {
        assert_eq!(in_line("Plan", "4.16 to 4.17: blocked; 1 step"), Some((14..21, RED)));
        assert_eq!(in_line("now", "upgrades to keda.v2.9.0"), Some((0..11, GREEN)));
        assert_eq!(in_line("package", "blocked"), None);
        assert_eq!(in_line("Plan", "unblocked"), None);
    }
}
