//! The order of names that hold numbers, such as `v4.9` and `v4.20`.

/// A key that orders names with the numbers in them by their value.
pub fn by_numbers(name: &str) -> Vec<(String, u128)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let at = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, digits) = rest.split_at(at);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        parts.push((text.to_owned(), digits[..end].parse().unwrap_or(u128::MAX)));
        rest = &digits[end..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::by_numbers;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = vec!["v4.9", "v4.20", "v4.10", "community", "v4.20-rc"];
        names.sort_by_key(|it| by_numbers(it));
        assert_eq!(names, ["community", "v4.9", "v4.10", "v4.20", "v4.20-rc"]);
    }
}
