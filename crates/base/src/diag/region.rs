//! The end of the value at a place, as far as its line shows it.

use super::Place;

/// The first column after the word, text or collection at a place. `None` if the line is not available, as for a place
/// from an index: then all that is known is that it goes to the end of the line at most.
pub fn end_column(place: &Place) -> Option<u32> {
    let line = place.source.as_ref()?;
    let next = place.column.saturating_add(1);
    let skipped = place.column.saturating_sub(place.source_column) as usize;
    let before: String = line.chars().take(skipped).collect();
    let rest: Vec<char> = line.chars().skip(skipped).collect();
    let length = length(&rest, before.contains(['{', '[']));
    Some(place.column.saturating_add(u32::try_from(length).unwrap_or(0)).max(next))
}

/// The length of the value at the start of a text.
fn length(rest: &[char], is_in_flow: bool) -> usize {
    let end = rest.iter().rposition(|it| !it.is_whitespace()).map_or(0, |it| it + 1);
    let rest = &rest[..end];
    match rest.first() {
        Some('"') => quoted(rest, '"').unwrap_or(end),
        Some('\'') => quoted(rest, '\'').unwrap_or(end),
        Some('{' | '[' | '|' | '>' | '&' | '*' | '!') | None => end,
        Some(_) => plain(rest, is_in_flow),
    }
}

/// The length of a quoted text with its quotes.
fn quoted(rest: &[char], quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        match rest.get(at)? {
            '\\' if quote == '"' => at += 2,
            it if *it == quote && quote == '\'' && rest.get(at + 1) == Some(&quote) => at += 2,
            it if *it == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The length of a word without quotes: up to a colon, a comment, or the next item.
fn plain(rest: &[char], is_in_flow: bool) -> usize {
    let is_end = |at: &usize| {
        let is_blank_after = rest.get(at + 1).is_none_or(|it| it.is_whitespace());
        match rest[*at] {
            ':' => is_blank_after,
            '#' => at.checked_sub(1).is_some_and(|it| rest[it].is_whitespace()),
            ',' | '}' | ']' => is_in_flow || (rest[*at] == ',' && is_blank_after && *at + 1 == rest.len()),
            _ => false,
        }
    };
    let end = (0..rest.len()).find(is_end).unwrap_or(rest.len());
    rest[..end].iter().rposition(|it| !it.is_whitespace()).map_or(0, |it| it + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_they_end() {
        for (line, column, end) in [
            ("name: till.v1.0.0", 7, 18),
            ("- name: till.v1  # the first", 9, 16),
            ("replaces: till.v1", 1, 9),
            ("  skipRange: '>=1.0.0 <2.0.0'  ", 14, 30),
            ("'it''s' x", 1, 8),
            ("{\"a\": \"b\\\"c\", \"d\": 1}", 7, 13),
            ("{\"a\": 12, \"d\": 1}", 7, 9),
            ("- {name: a, replaces: b}", 3, 25),
            ("- {name: a, replaces: b}", 10, 11),
            ("    \"count\": 12,", 14, 16),
            ("x:", 1, 2),
            ("", 1, 2),
            ("é: größer", 4, 10),
        ] {
            let source = Some(line.to_owned());
            let place = Place { file: String::new(), line: 1, column, source, source_column: 1 };
            assert_eq!(end_column(&place), Some(end), "{line} from {column}");
        }
        assert_eq!(end_column(&Place::at("x", 3, 5)), None);
    }
}
