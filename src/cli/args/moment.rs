//! Opens an index as of a day. The days on which support is judged are in `day`.

use std::collections::BTreeSet;

use crate::calendar::Day;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::fbc::Name;
use crate::index::{AsOf, Index, Moment};
use crate::version::first_of;

/// Makes an index show the state of a day, with these catalogs, or all, for a question about the names in `words`.
/// Without words the question may be about anything.
pub(crate) fn go_back(
    context: &Context,
    index: &mut Index,
    day: Day,
    catalogs: &[String],
    words: &[&String],
) -> Result<(), CommandError> {
    must_have_states(index)?;
    let as_of = match part_as_of(index, day, catalogs, words)? {
        Some(part) => part,
        None => index.set_as_of(Moment::end_of(day), catalogs, None)?,
    };
    let quoted = |names: &[String]| first_of(names.iter().map(|it| format!("`{it}`")), names.len());
    let later = catalogs.iter().find(|it| as_of.later.contains(it));
    if later.is_some() || as_of.states.is_empty() {
        let of = later.map_or_else(|| "no catalog".to_owned(), |it| format!("catalog `{it}`"));
        let has = if later.is_some() { "has no state" } else { "has a state" };
        let error = CommandError::new(Exit::NotFound, format!("{of} {has} from {day} or earlier"));
        return Err(match as_of.first_day {
            Some(first) => error.help(format!("the first state is from {first}")),
            None => error,
        });
    }
    if !as_of.timeless.is_empty() {
        let names = quoted(&as_of.timeless);
        context.reporter.warning(&format!("left out {names}: the index holds no history of them"));
    }
    Ok(())
}

/// Makes an index that of a day with the packages of some words only. `None` if the answer may need all of them: then a
/// word names nothing that a catalog had on that day, and the answer proposes the nearest names.
fn part_as_of(
    index: &mut Index,
    day: Day,
    catalogs: &[String],
    words: &[&String],
) -> Result<Option<AsOf>, CommandError> {
    let mut of_words = Vec::new();
    for word in words {
        of_words.push(index.packages_of_any_time(Name::parse(word).text())?);
    }
    let packages: BTreeSet<String> = of_words.iter().flatten().cloned().collect();
    if packages.is_empty() {
        return Ok(None);
    }
    let as_of = index.set_as_of(Moment::end_of(day), catalogs, Some(&packages))?;
    let held: BTreeSet<String> = index.package_names()?.into_iter().collect();
    let is_whole = of_words.iter().all(|it| !it.is_disjoint(&held));
    Ok(is_whole.then_some(as_of))
}

/// Refuses an index that knows no past.
pub(crate) fn must_have_states(index: &Index) -> Result<(), CommandError> {
    if index.has_states()? {
        return Ok(());
    }
    let message = match index.is_in_memory() {
        true => "catalogs in files hold no history".to_owned(),
        false => format!("`{}` holds no history", index.path().display()),
    };
    let help = "build an index with a history from a git repository: `olmdex build --git NAME=REPO --git-path DIR`";
    Err(CommandError::usage(message).help(help))
}
