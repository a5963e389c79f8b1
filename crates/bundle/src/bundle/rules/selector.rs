//! The choice of optional validators: by their names, by a suite, or by a selector of labels as operator-sdk has them.

use thiserror::Error;

use super::validator::Validator;

/// Names that others have for a validator.
const ALIASES: [(&str, Validator); 6] = [
    ("operatorhub/v2", Validator::OperatorHubV2),
    ("standardcapabilities", Validator::Capabilities),
    ("standardcategories", Validator::Categories),
    ("removed-apis", Validator::DeprecatedApis),
    ("objects", Validator::Objects),
    ("bundle-objects", Validator::Objects),
];

/// The suite of most optional validators.
const SUITE: &str = "operatorframework";

/// The reasons why a word or a selector selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// No suite or validator has this name.
    #[error("no suite or validator `{0}`")]
    Unknown(String),
    /// The text is not a selector.
    #[error("`{0}` is not a label selector")]
    Syntax(String),
    /// No optional validator has such labels; in the words of operator-sdk.
    #[error("selector \"{0}\" does not match any validator labels")]
    Nothing(String),
}

impl SelectorError {
    /// The remedy.
    pub fn help(&self) -> String {
        let names: Vec<&str> = words().collect();
        match self {
            Self::Unknown(word) => match olmdex_base::diag::closest(word, names.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("write one of {}", names.join(", ")),
            },
            Self::Syntax(_) | Self::Nothing(_) => {
                "write, for example, `suite=operatorframework` or `name=good-practices`".to_owned()
            }
        }
    }
}

/// The names of suites and validators.
pub fn words() -> impl Iterator<Item = &'static str> {
    ["all", SUITE].into_iter().chain(Validator::ALL.into_iter().map(Validator::name))
}

/// The validators of a suite, or the one of this name.
///
/// # Errors
/// [`SelectorError::Unknown`].
pub fn suite(word: &str) -> Result<Vec<Validator>, SelectorError> {
    if word == "all" {
        return Ok(Validator::ALL.to_vec());
    }
    if word == SUITE {
        return Ok(Validator::OPERATOR_FRAMEWORK.to_vec());
    }
    // The form, the files and the content are checked for every bundle.
    if word == Validator::Default.name() {
        return Ok(Validator::REQUIRED.to_vec());
    }
    let by_name = Validator::ALL.into_iter().find(|it| it.name() == word);
    let by_alias = || ALIASES.into_iter().find(|(name, _)| *name == word).map(|(_, it)| it);
    by_name.or_else(by_alias).map(|it| vec![it]).ok_or_else(|| SelectorError::Unknown(word.to_owned()))
}

/// The optional validators that profiles ask, by the names of the profiles, in their order, each once. A profile that
/// is about catalogs only asks none.
pub fn of_profiles(names: &[&str]) -> Vec<Validator> {
    use Validator::{Capabilities, Categories, DeprecatedApis, GoodPractices, Objects, OperatorHubV2};
    let of_one = |name: &str| -> &[Validator] {
        match name {
            // The parts that OperatorHub.io shows, and that its pipeline may refuse.
            "community" => &[OperatorHubV2, Capabilities, Categories, DeprecatedApis, GoodPractices],
            "certified" => &[OperatorHubV2, Capabilities, Categories, DeprecatedApis, GoodPractices, Objects],
            _ => &[],
        }
    };
    let mut all: Vec<Validator> = names.iter().flat_map(|it| of_one(it)).copied().collect();
    all.sort();
    all.dedup();
    all
}

/// One demand on a label.
struct Demand {
    key: String,
    values: Vec<String>,
    is_denied: bool,
}

/// The optional validators that a selector of labels selects: `name=x`, `suite!=x`, `name in (x, y)`, `!suite`, joined
/// by commas.
///
/// # Errors
/// [`SelectorError::Syntax`] or [`SelectorError::Nothing`].
pub fn select(selector: &str) -> Result<Vec<Validator>, SelectorError> {
    let demands: Option<Vec<Demand>> = parts(selector).into_iter().map(demand).collect();
    let demands = demands.ok_or_else(|| SelectorError::Syntax(selector.to_owned()))?;
    let optional = Validator::ALL.into_iter().filter(|it| it.is_optional());
    let selected: Vec<Validator> = optional.filter(|it| demands.iter().all(|demand| is_met(demand, *it))).collect();
    if selected.is_empty() { Err(SelectorError::Nothing(selector.to_owned())) } else { Ok(selected) }
}

fn is_met(demand: &Demand, validator: Validator) -> bool {
    let aliases = ALIASES.into_iter().filter(|(_, it)| *it == validator).map(|(name, _)| name);
    let labels: Vec<&str> = match demand.key.as_str() {
        "name" => aliases.chain([validator.name()]).collect(),
        "suite" if Validator::OPERATOR_FRAMEWORK.contains(&validator) => vec![SUITE],
        _ => Vec::new(),
    };
    // Without values, the label has to be there.
    let has = match demand.values.is_empty() {
        true => !labels.is_empty(),
        false => labels.iter().any(|it| demand.values.iter().any(|value| value == it)),
    };
    has != demand.is_denied
}

/// The parts between commas outside of parentheses.
fn parts(selector: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0i32);
    for (at, c) in selector.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&selector[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&selector[start..]);
    parts
}

fn demand(part: &str) -> Option<Demand> {
    let part = part.trim();
    let is_word = |it: &str| {
        !it.is_empty() && it.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
    };
    let make = |key: &str, values: Vec<String>, is_denied: bool| {
        let is_good = is_word(key) && values.iter().all(|it| is_word(it));
        is_good.then(|| Demand { key: key.to_owned(), values, is_denied })
    };
    let one = |value: &str| vec![value.trim().to_owned()];
    if let Some((key, value)) = part.split_once("!=") {
        return make(key.trim(), one(value), true);
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return make(key.trim(), one(value), false);
    }
    if let Some((head, list)) = part.split_once('(') {
        let values = list.trim_end().strip_suffix(')')?.split(',').map(|it| it.trim().to_owned()).collect();
        let mut words = head.split_whitespace();
        return match (words.next(), words.next(), words.next()) {
            (Some(key), Some("in"), None) => make(key, values, false),
            (Some(key), Some("notin"), None) => make(key, values, true),
            _ => None,
        };
    }
    match part.strip_prefix('!') {
        Some(key) => make(key.trim(), Vec::new(), true),
        None => make(part, Vec::new(), false),
    }
}
