//! Tables that fit a terminal: a value that is the same in all rows is printed once, reasons are wrapped, deciding
//! values go below their row, and other cells are cut.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::diag::printable_line;

/// A table in its printed form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    /// Headers and values of the columns that have the same value in all rows.
    pub(crate) constants: Vec<(String, String)>,
    pub(crate) headers: Option<Vec<String>>,
    pub(crate) rows: Vec<FittedRow>,
    /// Whether something is not shown.
    pub(crate) is_cut: bool,
}

/// A row in its printed form.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FittedRow {
    /// Its cells; a wrapped reason continues in a row of its own.
    pub(crate) cells: Vec<String>,
    /// The lines below it: headers with their values.
    pub(crate) below: Vec<Vec<(String, String)>>,
}

/// Columns that explain: half a reason is useless, so they are wrapped.
const EXPLAINING: [&str; 5] = ["BECAUSE", "REASON", "FIX", "CONSTRAINT", "WAY OUT"];

/// The least room for a reason in its row; with less, it goes below the row.
const ROOM_FOR_REASON: usize = 30;

/// No column becomes narrower than this, nor than its header.
const MIN_COLUMN: usize = 8;

/// Columns that lead to the evidence, which narrow terminals leave out, and the width from which on a terminal has room
/// for them.
const PLACES: [&str; 1] = ["PLACE"];
const ROOM_FOR_PLACES: usize = 120;

/// Columns that name the subject of a row: they are cut only when nothing else can be.
const SUBJECTS: [&str; 2] = ["PACKAGE", "CHANGE"];

/// Columns for people who know the subject: they are cut before identifiers, and left out where these would be cut.
const ASIDE: [&str; 3] = ["PROVIDER", "CATALOGS", "DISPLAY NAME"];

/// The indent of the values below a row, in columns.
pub(crate) const BELOW: usize = 4;

/// How many columns of a terminal a text takes.
pub(crate) fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Fits a table into `width` columns of a terminal, with `gap` columns between two cells. If there is no room, the
/// columns of `below` go below their rows, the first ones first.
pub(crate) fn fit(
    headers: Option<Vec<String>>,
    rows: Vec<Vec<String>>,
    gap: usize,
    width: usize,
    below: &[&[&str]],
    wants_places: bool,
) -> Fitted {
    let (constants, headers, rows) = without_constants(headers, rows);
    let room_for_places = if wants_places { usize::MAX } else { width };
    let is_place = |header: &str| room_for_places < ROOM_FOR_PLACES && PLACES.contains(&header);
    let (headers, rows, lacks_places) = without(headers, rows, is_place);
    let (headers, rows, stacked) = stack(headers, rows, gap, width, below);
    let (headers, rows, lacks_more) = without_asides(headers, rows, gap, width);
    let header_widths: Vec<usize> = headers.iter().flatten().map(|it| columns(it)).collect();
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or_default().max(header_widths.len());
    let mut widths: Vec<usize> = (0..n_columns)
        .map(|idx| {
            let cells = rows.iter().filter_map(|row| row.get(idx)).map(|it| columns(it));
            cells.chain(header_widths.get(idx).copied()).max().unwrap_or_default()
        })
        .collect();
    let is_one_of = |idx: usize, names: &[&str]| {
        headers.as_ref().and_then(|it| it.get(idx)).is_some_and(|it| names.contains(&it.as_str()))
    };
    let gaps = gap * n_columns.saturating_sub(1);
    let uncut = widths.clone();
    let may_be_cut: [&dyn Fn(usize) -> bool; 3] =
        [&|idx| is_one_of(idx, &ASIDE), &|idx| !is_one_of(idx, &SUBJECTS), &|_| true];
    for may_be_cut in may_be_cut {
        let least = |idx: usize| match may_be_cut(idx) {
            false => uncut[idx],
            true => header_widths.get(idx).copied().unwrap_or_default().max(MIN_COLUMN),
        };
        narrow(&mut widths, gaps, width, &least);
    }
    let mut is_cut = lacks_places || lacks_more;
    let mut fitted = Vec::with_capacity(rows.len());
    for (mut row, values) in rows.into_iter().zip(stacked) {
        let mut lines: Vec<(usize, Vec<String>)> = Vec::new();
        for (idx, cell) in row.iter_mut().enumerate().filter(|(idx, cell)| columns(cell) > widths[*idx]) {
            let mut wrapped =
                if is_one_of(idx, &EXPLAINING) { wrap(cell, widths[idx]) } else { vec![std::mem::take(cell)] };
            for line in wrapped.iter_mut().filter(|it| columns(it) > widths[idx]) {
                *line = cut(line, widths[idx]);
                is_cut = true;
            }
            *cell = wrapped.remove(0);
            lines.push((idx, wrapped));
        }
        let n_columns = row.len();
        let n_more = lines.iter().map(|it| it.1.len()).max().unwrap_or_default();
        fitted.push(FittedRow { cells: row, below: Vec::new() });
        for number in 0..n_more {
            let mut next = vec![String::new(); n_columns];
            for (idx, lines) in &mut lines {
                next[*idx] = lines.get_mut(number).map(std::mem::take).unwrap_or_default();
            }
            fitted.push(FittedRow { cells: next, below: Vec::new() });
        }
        if let Some(last) = fitted.last_mut() {
            last.below = lines_below(values, gap, width);
        }
    }
    Fitted { constants, headers, rows: fitted, is_cut }
}

/// Narrows the widest columns, none below its least width, until all fit or none can become narrower.
fn narrow(widths: &mut [usize], gaps: usize, width: usize, least: &dyn Fn(usize) -> usize) {
    let n_columns = widths.len();
    loop {
        let excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
        let widest = (0..n_columns).filter(|idx| widths[*idx] > least(*idx)).max_by_key(|idx| widths[*idx]);
        let Some(widest) = widest.filter(|_| excess > 0) else { break };
        // The widest column shrinks to the next widest, so that several share the loss.
        let next = (0..n_columns).filter(|idx| *idx != widest).map(|idx| widths[idx]).filter(|it| *it < widths[widest]);
        let floor = next.max().unwrap_or_default().max(least(widest));
        let wanted = widths[widest].saturating_sub(excess).max(floor);
        widths[widest] = if wanted < widths[widest] { wanted } else { widths[widest] - 1 };
    }
}

/// Leaves out columns. Returns whether there were any.
fn without(
    headers: Option<Vec<String>>,
    rows: Vec<Vec<String>>,
    is_out: impl Fn(&str) -> bool,
) -> (Option<Vec<String>>, Vec<Vec<String>>, bool) {
    let Some(given) = headers.as_ref().filter(|headers| headers.iter().any(|header| is_out(header))) else {
        return (headers, rows, false);
    };
    let is_kept: Vec<bool> = given.iter().map(|header| !is_out(header)).collect();
    let keep = |cells: Vec<String>| -> Vec<String> {
        cells.into_iter().zip(&is_kept).filter(|it| *it.1).map(|it| it.0).collect()
    };
    (headers.map(keep), rows.into_iter().map(keep).collect(), true)
}

/// Leaves out columns for people who know the subject, as long as the others would be cut.
fn without_asides(
    mut headers: Option<Vec<String>>,
    mut rows: Vec<Vec<String>>,
    gap: usize,
    width: usize,
) -> (Option<Vec<String>>, Vec<Vec<String>>, bool) {
    let mut lacks_any = false;
    for aside in ASIDE {
        let Some(given) = headers.as_ref().filter(|headers| headers.iter().any(|header| header == aside)) else {
            continue;
        };
        let needed = |(idx, header): (usize, &String)| {
            let least = columns(header).max(MIN_COLUMN);
            let widest = rows.iter().filter_map(|row| row.get(idx)).map(|cell| columns(cell)).max().unwrap_or_default();
            match header.as_str() {
                // Half a list of catalogs says nothing.
                name if name != "CATALOGS" && ASIDE.contains(&name) => least,
                name if EXPLAINING.contains(&name) => least.max(widest.min(ROOM_FOR_REASON)),
                _ => least.max(widest),
            }
        };
        if given.iter().enumerate().map(needed).sum::<usize>() + gap * given.len().saturating_sub(1) <= width {
            break;
        }
        (headers, rows, _) = without(headers, rows, |header| header == aside);
        lacks_any = true;
    }
    (headers, rows, lacks_any)
}

/// The lines below a row: headers with their values.
type Below = Vec<(String, String)>;

/// Moves columns of a table that is too wide below their rows, one after the other, until the rest fits. Returns the
/// lines below each row, too.
fn stack(
    headers: Option<Vec<String>>,
    mut rows: Vec<Vec<String>>,
    gap: usize,
    width: usize,
    below: &[&[&str]],
) -> (Option<Vec<String>>, Vec<Vec<String>>, Vec<Below>) {
    let mut stacked: Vec<Below> = vec![Vec::new(); rows.len()];
    let Some(mut headers) = headers else { return (None, rows, stacked) };
    let order = headers.clone();
    for group in below {
        let columns_wide = |idx: usize| {
            let cells = rows.iter().filter_map(|row| row.get(idx));
            let widest = cells.chain(headers.get(idx)).map(|it| columns(it)).max().unwrap_or_default();
            let is_wrapped = headers.get(idx).is_some_and(|it| EXPLAINING.contains(&it.as_str()));
            if is_wrapped { widest.min(ROOM_FOR_REASON) } else { widest }
        };
        let gaps = gap * headers.len().saturating_sub(1);
        if (0..headers.len()).map(columns_wide).sum::<usize>() + gaps <= width {
            break;
        }
        for header in *group {
            let Some(at) = headers.iter().position(|it| it == header) else { continue };
            headers.remove(at);
            for (row, values) in rows.iter_mut().zip(&mut stacked).filter(|(row, _)| at < row.len()) {
                let value = row.remove(at);
                if !value.is_empty() {
                    values.push(((*header).to_owned(), value));
                }
            }
        }
    }
    // Below a row, they keep their order.
    for values in &mut stacked {
        values.sort_by_key(|(header, _)| order.iter().position(|it| it == header));
    }
    (Some(headers), rows, stacked)
}

/// The lines below a row: values side by side as long as there is room; sentences are wrapped.
fn lines_below(values: Below, gap: usize, width: usize) -> Vec<Below> {
    let mut lines: Vec<Below> = Vec::new();
    let mut taken = width;
    for (header, value) in values {
        let begin = columns(&header) + 1;
        let needed = begin + columns(&value);
        match lines.last_mut().filter(|_| taken + gap + needed <= width) {
            Some(line) => {
                taken += gap + needed;
                line.push((header, value));
            }
            None => {
                let room = width.saturating_sub(BELOW + begin).max(MIN_COLUMN);
                let parts: Vec<String> = wrap(&value, room).into_iter().flat_map(|it| pieces(&it, room)).collect();
                // Nothing follows a wrapped sentence on its line.
                taken = if parts.len() > 1 { width } else { BELOW + needed };
                for (number, part) in parts.into_iter().enumerate() {
                    let header = if number == 0 { header.clone() } else { " ".repeat(begin - 1) };
                    lines.push(vec![(header, part)]);
                }
            }
        }
    }
    lines
}

/// The columns that are the same in all rows, and the headers and rows of the rest.
type Parts = (Vec<(String, String)>, Option<Vec<String>>, Vec<Vec<String>>);

/// Takes out the columns that have the same value in all of several rows, and those without any value.
fn without_constants(headers: Option<Vec<String>>, rows: Vec<Vec<String>>) -> Parts {
    // A value without its header is meaningless.
    let Some(headers) = headers else { return (Vec::new(), None, rows) };
    let Some((first, others)) = rows.split_first() else { return (Vec::new(), Some(headers), rows) };
    // One row is not a pattern.
    let differs = |idx: usize| match others {
        [] => first.get(idx).is_some_and(|it| !it.is_empty()),
        _ => others.iter().any(|row| row.get(idx) != first.get(idx)),
    };
    let mut is_kept: Vec<bool> = (0..headers.len()).map(differs).collect();
    if !is_kept.contains(&true) {
        // Equal rows are still rows.
        is_kept.iter_mut().take(1).for_each(|it| *it = true);
    }
    let constants = headers
        .iter()
        .zip(first)
        .zip(&is_kept)
        .filter(|((_, value), is_kept)| !**is_kept && !value.is_empty())
        .map(|((header, value), _)| (header.clone(), value.clone()))
        .collect();
    let keep = |cells: Vec<String>| -> Vec<String> {
        cells.into_iter().zip(&is_kept).filter(|it| *it.1).map(|it| it.0).collect()
    };
    (constants, Some(keep(headers)), rows.into_iter().map(keep).collect())
}

/// Cuts a text to at most `width` columns: a list keeps its first items with the number of the others, a sentence loses
/// its end, and a name its middle, since references of images and paths differ at both ends.
fn cut(text: &str, width: usize) -> String {
    let items: Vec<&str> = text.split(',').map(str::trim).collect();
    if items.len() > 1 && !items.iter().any(|it| it.contains(' ')) {
        let separator = if text.contains(", ") { ", " } else { "," };
        for n_shown in (1..items.len()).rev() {
            let shown = format!("{} +{}", items[..n_shown].join(separator), items.len() - n_shown);
            if columns(&shown) <= width {
                return shown;
            }
        }
    }
    if text.contains(' ') {
        return format!("{}…", start(text, width.saturating_sub(1)).trim_end());
    }
    without_middle(text, width)
}

/// A text of at most `width` columns: a longer one loses its middle.
pub(crate) fn without_middle(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let n_end = width / 3;
    format!("{}…{}", start(text, width.saturating_sub(n_end + 1)), end(text, n_end))
}

/// A text in pieces of at most `width` columns: a name that is longer than a line continues on the next ones.
fn pieces(text: &str, width: usize) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while columns(rest) > width {
        let (piece, after) = rest.split_at(start(rest, width).len());
        if piece.is_empty() {
            break;
        }
        all.push(piece.to_owned());
        rest = after;
    }
    all.push(rest.to_owned());
    all
}

/// The first characters that fit.
fn start(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|(_, c)| {
        taken += c.width().unwrap_or_default();
        taken > width
    });
    &text[..end.map_or(text.len(), |it| it.0)]
}

/// The last characters that fit.
fn end(text: &str, width: usize) -> &str {
    let mut taken = 0;
    let begin = text.char_indices().rev().take_while(|(_, c)| {
        taken += c.width().unwrap_or_default();
        taken <= width
    });
    &text[begin.last().map_or(text.len(), |it| it.0)..]
}

/// A text in lines of at most `width` columns, broken between words. A word with which a further line begins is no
/// command of a workflow.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |it| columns(it));
        if line > 0 && line + 1 + columns(word) > width {
            lines.push(printable_line(word).into_owned());
            continue;
        }
        if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{FittedRow, columns, cut, fit, pieces, wrap};

    fn rows(text: &[&[&str]]) -> Vec<Vec<String>> {
        text.iter().map(|row| row.iter().map(|it| (*it).to_owned()).collect()).collect()
    }

    fn cells(rows: Vec<FittedRow>) -> Vec<Vec<String>> {
        rows.into_iter().map(|it| it.cells).collect()
    }

    #[test]
    fn no_further_line_begins_a_command() {
        assert_eq!(wrap("a b ::error::x ::y", 5), ["a b", "\\u{3a}:error::x", "\\u{3a}:y"]);
    }

    #[test]
    fn what_decides_goes_below_where_there_is_no_room() {
        let headers = rows(&[&["PACKAGE", "FIELD", "OLD", "NEW"]]).pop();
        let wide =
            rows(&[&["strimzi-kafka-operator", "head", "strimzi.v0.40.0", "strimzi.v0.51.0"], &["keda", "", "", "b"]]);
        let whole = fit(headers.clone(), wide.clone(), 3, 80, &[&["NEW"], &["OLD"]], false);
        assert!(whole.rows.iter().all(|it| it.below.is_empty()));
        let fitted = fit(headers.clone(), wide.clone(), 3, 60, &[&["NEW"], &["OLD"]], false);
        assert_eq!(fitted.headers, rows(&[&["PACKAGE", "FIELD", "OLD"]]).pop());
        assert_eq!(fitted.rows[0].below, [[("NEW".to_owned(), "strimzi.v0.51.0".to_owned())]]);
        let fitted = fit(headers, wide, 3, 44, &[&["NEW"], &["OLD"]], false);
        assert!(!fitted.is_cut);
        assert_eq!(fitted.headers, rows(&[&["PACKAGE", "FIELD"]]).pop());
        let values = [("OLD", "strimzi.v0.40.0"), ("NEW", "strimzi.v0.51.0")];
        let values = values.map(|(header, value)| vec![(header.to_owned(), value.to_owned())]);
        assert_eq!(fitted.rows[0].below, values);
        assert_eq!(fitted.rows[1].below, [[("NEW".to_owned(), "b".to_owned())]]);
    }

    #[test]
    fn places_need_room_and_subjects_are_cut_last() {
        let place = "catalog/strimzi-kafka-operator.yaml:12:35";
        let headers = rows(&[&["PACKAGE", "BUNDLE", "PLACE"]]).pop();
        let table = rows(&[&["strimzi-kafka-operator", "strimzi-cluster-operator.v0.40.0", place], &["a", "b", place]]);
        let narrow = fit(headers.clone(), [table.clone(), rows(&[&["c", "d", "e"]])].concat(), 3, 40, &[], false);
        assert!(narrow.is_cut);
        assert_eq!(narrow.headers, rows(&[&["PACKAGE", "BUNDLE"]]).pop());
        assert_eq!(narrow.rows[0].cells[0], "strimzi-kafka-operator");
        let wide = fit(headers, [table, rows(&[&["c", "d", "e"]])].concat(), 3, 120, &[], false);
        assert_eq!(wide.headers.map(|it| it.len()), Some(3));
    }

    #[test]
    fn what_is_the_same_in_all_rows_is_said_once() {
        let headers = rows(&[&["CATALOG", "PACKAGE", "STATUS", "VERSION"]]).pop();
        let fitted = fit(
            headers.clone(),
            rows(&[&["shop", "till", "", "1.0.0"], &["shop", "till", "", "1.1.0"]]),
            3,
            80,
            &[],
            false,
        );
        assert_eq!(fitted.constants, [("CATALOG".into(), "shop".into()), ("PACKAGE".into(), "till".into())]);
        assert_eq!(fitted.headers, rows(&[&["VERSION"]]).pop());
        assert_eq!(cells(fitted.rows), rows(&[&["1.0.0"], &["1.1.0"]]));
        // One row is not a pattern, and equal rows are still rows.
        assert!(fit(headers.clone(), rows(&[&["shop", "till", "", "1.0.0"]]), 3, 80, &[], false).constants.is_empty());
        let equal = fit(headers, rows(&[&["a", "b", "", "1"], &["a", "b", "", "1"]]), 3, 80, &[], false);
        assert_eq!(cells(equal.rows), rows(&[&["a"], &["a"]]));
    }

    #[test]
    fn wide_columns_share_the_loss_and_headers_stay() {
        let long = "a-very-long-name-of-a-bundle-that-nobody-reads";
        let headers = rows(&[&["NAME", "REASON-OF-IT"]]).pop();
        let fitted = fit(headers, rows(&[&[long, "because it is so"], &["b", long]]), 3, 40, &[], false);
        assert!(fitted.is_cut);
        for row in &fitted.rows {
            assert!(columns(&row.cells[0]) + 3 + columns(&row.cells[1]) <= 40, "{row:?}");
        }
        assert_eq!(fitted.headers, rows(&[&["NAME", "REASON-OF-IT"]]).pop());
        // There is no room for anything: lines will wrap.
        assert_eq!(
            cells(fit(None, rows(&[&["12345678", "12345678"]]), 3, 5, &[], false).rows),
            rows(&[&["12345678", "12345678"]])
        );
    }

    #[test]
    fn cells_are_cut_by_what_they_are() {
        for (text, width, expected) in [
            ("alpha,beta,gamma,delta", 14, "alpha,beta +2"),
            ("alpha, beta, gamma, delta", 14, "alpha, beta +2"),
            ("it is not in the channel", 12, "it is not i…"),
            ("quay.io/org/name@sha256:0123456789", 16, "quay.io/or…56789"),
            ("日本語日本語日本語", 9, "日本…語"),
        ] {
            assert_eq!(cut(text, width), expected);
            assert!(columns(&cut(text, width)) <= width, "{text}");
        }
    }

    #[test]
    fn reasons_go_on_in_the_next_line() {
        let headers = rows(&[&["NAME", "REASON"]]).pop();
        let reason = "no edge leads from what is installed to it, which is a pity";
        let fitted = fit(headers, rows(&[&["a", reason], &["b", "fine"]]), 3, 40, &[], false);
        assert!(!fitted.is_cut);
        let expected = [["a", "no edge leads from what is"], ["", "installed to it, which is a pity"], ["b", "fine"]];
        assert_eq!(cells(fitted.rows), expected.map(|it| it.map(str::to_owned).to_vec()));
    }

    #[test]
    fn names_that_are_longer_than_a_line_are_whole_on_several() {
        assert_eq!(pieces("quay.io/a/b", 4), ["quay", ".io/", "a/b"]);
        assert_eq!(pieces("日本語", 4), ["日本", "語"]);
        assert_eq!(pieces("日本語", 1), ["日本語"]);
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("it is not in the channel", 10), ["it is not", "in the", "channel"]);
        assert_eq!(wrap("incomprehensibilities", 10), ["incomprehensibilities"]);
        assert_eq!(wrap("", 10), [""]);
    }
}
