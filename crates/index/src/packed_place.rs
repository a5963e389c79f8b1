//! Places inside documents as the index stores them.

use serde_json::{Value as Json, json};

use olmdex_fbc::Spot;
use olmdex_text::json::Step;

/// A spot as the table `finding` holds it: `null`, or an object with one member.
pub(super) fn spot_to_json(spot: &Spot) -> String {
    let steps = |path: &[Step]| {
        let step = |it: &Step| match it {
            Step::Key(key) => json!(key),
            Step::Index(idx) => json!(idx),
        };
        Json::Array(path.iter().map(step).collect())
    };
    match spot {
        Spot::Start => Json::Null,
        Spot::Offset(at) => json!({ "offset": at }),
        Spot::Line(line, column) => json!({ "line": [line, column] }),
        Spot::Path(path) => json!({ "path": steps(path) }),
        Spot::Key(path) => json!({ "key": steps(path) }),
    }
    .to_string()
}

/// The inverse of [`spot_to_json`]; for any other text, the start of the document.
pub(super) fn spot_from_json(text: &str) -> Spot {
    let Ok(Json::Object(object)) = serde_json::from_str(text) else { return Spot::Start };
    let steps = |list: &Json| {
        let step = |it: &Json| match it {
            Json::String(key) => Some(Step::Key(key.clone())),
            other => other.as_u64().and_then(|it| usize::try_from(it).ok()).map(Step::Index),
        };
        list.as_array().into_iter().flatten().filter_map(step).collect()
    };
    let number = |it: &Json| it.as_u64().unwrap_or(0);
    match object.iter().next() {
        Some((kind, at)) => match kind.as_str() {
            "offset" => Spot::Offset(usize::try_from(number(at)).unwrap_or(0)),
            "line" => Spot::Line(number(&at[0]) as u32, number(&at[1]) as u32),
            "key" => Spot::Key(steps(at)),
            _ => Spot::Path(steps(at)),
        },
        None => Spot::Start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spots_survive_storing() {
        let path = || vec![Step::Key("a\"b".to_owned()), Step::Index(3)];
        for spot in [Spot::Start, Spot::Offset(7), Spot::Line(2, 3), Spot::Path(path()), Spot::Key(Vec::new())] {
            assert_eq!(spot_from_json(&spot_to_json(&spot)), spot);
        }
        assert_eq!(spot_from_json("nonsense"), Spot::Start);
    }
}
