//! States of a catalog into an index.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::contents::Contents;
use super::lineage::{Advance, ChangedFile, FileNow, Follower, Lineage, StateName};
use super::source::{HeldPast, PastChanges, PastImport, PastSource, PastState};
use crate::query::{COMMIT_LABEL, DATE_LABEL, PAST_LABEL, TIME_LABEL, TREE_LABEL};
use crate::write::Interned;
use crate::{Builder, CatalogSpec, IndexError, import, remove};
use olmdex_text::calendar::{Day, rfc3339};

const STATES: &str = "SELECT s.name, k.digest, s.time, s.tree FROM state s JOIN git_commit k ON k.id = s.commit_id
                      WHERE s.catalog = ?1 ORDER BY s.number";

const OF_CHOICE: &str = "SELECT c.name, c.source FROM catalog c JOIN catalog_label l ON l.catalog = c.id
                         WHERE l.key = ?1 AND l.value = ?2 ORDER BY c.name";

const CHOICE: &str =
    "SELECT l.value FROM catalog c JOIN catalog_label l ON l.catalog = c.id WHERE c.name = ?1 AND l.key = ?2";

impl Builder {
    /// The states that the index has of a catalog's past.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn held_past(&mut self, name: &str) -> std::result::Result<HeldPast, IndexError> {
        let path = self.path();
        let Some(connection) = self.readable()? else { return Ok(HeldPast::default()) };
        held(connection, name).map_err(|error| IndexError::reading(&path, &error))
    }

    /// The catalogs whose past was read with some choice of commits, each with its source and the states that the index
    /// has. The choice is the label [`PAST_LABEL`].
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn held_pasts(&mut self, choice: &str) -> std::result::Result<Vec<(String, String, HeldPast)>, IndexError> {
        let path = self.path();
        let Some(connection) = self.readable()? else { return Ok(Vec::new()) };
        let read = || -> Result<Vec<(String, String, HeldPast)>> {
            let mut found = connection.prepare(OF_CHOICE)?;
            let found = found.query_map([PAST_LABEL, choice], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let names: Vec<(String, String)> = found.collect::<Result<_>>()?;
            names.into_iter().map(|(name, source)| Ok((name.clone(), source, held(connection, &name)?))).collect()
        };
        read().map_err(|error| IndexError::reading(&path, &error))
    }

    /// Whether the index notes the choice of commits of a catalog as it is given.
    fn has_choice(&mut self, spec: &CatalogSpec) -> std::result::Result<bool, IndexError> {
        let path = self.path();
        let Some(connection) = self.readable()? else { return Ok(false) };
        let read = || connection.prepare(CHOICE)?.query_row([spec.name.as_str(), PAST_LABEL], |row| row.get(0));
        let noted: Option<String> = read().optional().map_err(|error| IndexError::reading(&path, &error))?;
        Ok(noted.as_ref() == spec.labels.get(PAST_LABEL))
    }

    /// Begins with the states of another repository, which has its own names of contents.
    pub fn begin_repository(&mut self) {
        if let Some(contents) = &mut self.contents {
            contents.forget_names();
        }
    }

    /// Adds the states of a catalog, the first one first. States that the index has are kept, as far as they are the
    /// same; the last state is the catalog's present. `shown` is the name of the directory in findings.
    ///
    /// # Errors
    /// If the index cannot be read or written, or the source fails. Findings about states are in the result.
    pub fn add_past<S: PastSource>(
        &mut self,
        spec: &CatalogSpec,
        shown: &str,
        states: &[PastState],
        source: &mut S,
    ) -> std::result::Result<PastImport, S::Error> {
        let held = self.held_past(&spec.name)?.states;
        let Plan { n_kept, n_known } = Plan::new(&held, states);
        let new = &states[n_known..];
        let mut outcome = PastImport { n_new: new.len(), n_states: n_kept + new.len(), ..PastImport::default() };
        // A choice that is not noted yet would let the next reading begin anew.
        if new.is_empty() && n_kept == held.len() && self.has_choice(spec)? {
            return Ok(outcome);
        }
        let mut changes: Vec<PastChanges> = Vec::with_capacity(new.len());
        let mut before = n_kept.checked_sub(1).and_then(|it| held.get(it));
        for state in new {
            changes.push(source.changes(before, state)?);
            before = Some(state);
        }
        self.has_removed |= n_kept < held.len();
        let contents = self.contents.take();
        let path = self.path();
        let (connection, interned) = self.writing()?;
        let failed = |error: rusqlite::Error| IndexError::writing(&path, &error);
        let first_new = interned.next_document;
        let mut contents = match contents {
            Some(contents) => contents,
            None => Contents::read(connection).map_err(failed)?,
        };
        let names = changes.iter().flat_map(|it| &it.files).filter_map(|it| it.content.clone());
        contents.fetch(connection, interned, &path, names, source)?;
        changes.iter().try_for_each(|it| source.weigh(it))?;
        let mut subjects = Vec::with_capacity(new.len());
        for state in new {
            subjects.push(match commit_of(connection, &state.commit).map_err(failed)? {
                Some(_) => String::new(),
                None => source.subject(&state.commit)?,
            });
        }
        let mut adding = Adding { connection, interned, contents: &mut contents };
        let states = || new.iter().zip(&changes).zip(&subjects);
        adding
            .add(spec, shown, n_kept, states().map(|((a, b), c)| (a, b, c.as_str())), &mut outcome)
            .map_err(failed)?;
        self.contents = Some(contents);
        self.first_of_past.get_or_insert(first_new);
        Ok(outcome)
    }
}

fn held(connection: &Connection, name: &str) -> Result<HeldPast> {
    // Older indexes have none.
    let sql =
        "SELECT c.id FROM catalog c WHERE c.name = ?1 AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'state')";
    let mut catalogs = connection.prepare(sql)?;
    let mut found = HeldPast::default();
    let ids: Vec<i64> = catalogs.query_map([name], |row| row.get(0))?.collect::<Result<_>>()?;
    for id in ids {
        let state = |row: &rusqlite::Row<'_>| {
            Ok(PastState { name: row.get(0)?, commit: row.get(1)?, time: row.get(2)?, tree: row.get(3)? })
        };
        found.states = connection.prepare(STATES)?.query_map([id], state)?.collect::<Result<_>>()?;
    }
    Ok(found)
}

fn commit_of(connection: &Connection, digest: &str) -> Result<Option<i64>> {
    let sql = "SELECT id FROM git_commit WHERE digest = ?1";
    connection.prepare_cached(sql)?.query_row([digest], |row| row.get(0)).optional()
}

/// The kept states of an index, and the given ones that are the same.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// So many of the first that it has are kept.
    n_kept: usize,
    /// So many of the first that are given are among them.
    n_known: usize,
}

impl Plan {
    /// Two lists of states overlap if one goes on where the other was; a shallow clone begins later. The last state of
    /// a day may be a different one when the day is over. Lists that share no commit follow each other, if their times
    /// allow it. If not, the later list replaces the other: a user who takes another branch wants that.
    fn new(held: &[PastState], given: &[PastState]) -> Self {
        let Some(first) = given.first() else { return Self { n_kept: held.len(), n_known: 0 } };
        if let Some(at) = held.iter().position(|it| it == first) {
            let n_same = held[at..].iter().zip(given).take_while(|(a, b)| a == b).count();
            let n_kept = if n_same == given.len() { held.len() } else { at + n_same };
            return Self { n_kept, n_known: n_same };
        }
        let commits: HashSet<&str> = given.iter().map(|it| it.commit.as_str()).collect();
        let is_apart = held.iter().all(|it| !commits.contains(it.commit.as_str()));
        let is_later = held.last().is_some_and(|it| it.time <= first.time);
        Self { n_kept: if is_apart && is_later { held.len() } else { 0 }, n_known: 0 }
    }
}

/// A catalog that states are added to.
struct Adding<'a> {
    connection: &'a Connection,
    interned: &'a mut Interned,
    contents: &'a mut Contents,
}

impl Adding<'_> {
    fn add<'s>(
        &mut self,
        spec: &CatalogSpec,
        shown: &str,
        n_kept: usize,
        states: impl Iterator<Item = (&'s PastState, &'s PastChanges, &'s str)>,
        outcome: &mut PastImport,
    ) -> Result<()> {
        let connection = self.connection;
        let catalog = self.catalog(spec)?;
        if n_kept == 0 {
            remove::catalog_rows(connection, catalog)?;
        } else {
            remove::present_rows(connection, catalog)?;
            self.forget_after(catalog, n_kept)?;
        }
        let mut lineage = Lineage::resume(connection, catalog, shown.to_owned(), self.contents)?;
        let mut follower = Follower::new(connection)?;
        let mut last: Option<PastState> = None;
        for ((state, changes, subject), number) in states.zip(n_kept as i64 + 1..) {
            self.state(catalog, number, state, subject)?;
            let changes = self.resolved(changes, &lineage);
            let step = Advance {
                follower: &mut follower,
                contents: self.contents,
                interned: self.interned,
                state: StateName { number, name: &state.name },
                import: outcome,
            };
            lineage.advance(step, &changes)?;
            last = Some(state.clone());
        }
        lineage.write_open(&mut follower)?;
        let mut next_file = self.interned.next_file;
        lineage.write_present(connection, self.contents, &mut next_file)?;
        self.interned.next_file = next_file;
        let last = match last {
            Some(last) => Some(last),
            None => held(connection, &spec.name)?.states.pop(),
        };
        self.labels(catalog, spec, last.as_ref())?;
        outcome.counts = import::count(connection, catalog)?;
        Ok(())
    }

    /// The catalog's own row.
    fn catalog(&self, spec: &CatalogSpec) -> Result<i64> {
        let sql = "INSERT INTO catalog (name, priority, source, source_digest) VALUES (?1, ?2, ?3, x'')
                   ON CONFLICT (name) DO UPDATE SET priority = ?2, source = ?3, source_digest = x'' RETURNING id";
        self.connection.query_row(sql, params![spec.name, spec.priority, spec.source], |row| row.get(0))
    }

    /// Takes the states after the first `n_kept` out.
    fn forget_after(&self, catalog: i64, n_kept: usize) -> Result<()> {
        let last = n_kept as i64;
        self.connection.execute("DELETE FROM state WHERE catalog = ?1 AND number > ?2", [catalog, last])?;
        for table in ["past_file", "past_document", "past_package", "past_channel"] {
            let delete = format!("DELETE FROM {table} WHERE catalog = ?1 AND first > ?2");
            if self.connection.execute(&delete, [catalog, last])? > 0 || last > 0 {
                let again = format!("UPDATE {table} SET last = NULL WHERE catalog = ?1 AND last >= ?2");
                self.connection.execute(&again, [catalog, last])?;
            }
        }
        Ok(())
    }

    fn state(&self, catalog: i64, number: i64, state: &PastState, subject: &str) -> Result<()> {
        let commit = match commit_of(self.connection, &state.commit)? {
            Some(commit) => commit,
            None => {
                let sql = "INSERT INTO git_commit (digest, time, subject) VALUES (?1, ?2, ?3)";
                self.connection.prepare_cached(sql)?.execute(params![state.commit, state.time, subject])?;
                self.connection.last_insert_rowid()
            }
        };
        let row = params![catalog, number, state.name, state.time, commit, state.tree];
        self.connection.prepare_cached("INSERT INTO state VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(row).map(drop)
    }

    /// Changes with the numbers of contents. If the list is that of all files, those that are not in it are gone.
    fn resolved(&self, changes: &PastChanges, lineage: &Lineage) -> Vec<ChangedFile> {
        let content = |name: &String| FileNow { content: self.contents.named(name), name: name.clone() };
        let listed = changes.files.iter().map(|it| (it.path.clone(), it.content.as_ref().map(content)));
        let mut all: BTreeMap<String, Option<FileNow>> = BTreeMap::new();
        if changes.is_whole {
            all.extend(lineage.paths().into_iter().map(|it| (it, None)));
        }
        all.extend(listed);
        all.into_iter().map(|(path, file)| ChangedFile { path, file }).collect()
    }

    fn labels(&self, catalog: i64, spec: &CatalogSpec, last: Option<&PastState>) -> Result<()> {
        let mut labels = spec.labels.clone();
        if let Some(last) = last {
            labels.extend(state_labels(&last.commit, last.time, &last.tree));
        }
        let mut insert = self.connection.prepare_cached("INSERT INTO catalog_label VALUES (?1, ?2, ?3)")?;
        for (key, value) in labels {
            insert.execute(params![catalog, key, value])?;
        }
        Ok(())
    }
}

/// The labels of a catalog that describe its state.
pub(super) fn state_labels(commit: &str, time: i64, tree: &str) -> [(String, String); 4] {
    [
        (COMMIT_LABEL.to_owned(), commit.to_owned()),
        (DATE_LABEL.to_owned(), Day::of_unix(time).to_string()),
        (TIME_LABEL.to_owned(), rfc3339(time)),
        (TREE_LABEL.to_owned(), tree.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(days: &str) -> Vec<PastState> {
        let state = |(day, commit): (char, char)| PastState {
            name: day.to_string(),
            commit: commit.to_string(),
            time: i64::from(u32::from(day)),
            tree: commit.to_string(),
        };
        days.split(' ').filter_map(|it| Some((it.chars().next()?, it.chars().nth(1)?))).map(state).collect()
    }

    #[test]
    fn states_are_kept_as_far_as_they_are_the_same() {
        for (held, given, n_kept, n_known) in [
            ("", "1a 2b", 0, 0),
            ("1a 2b", "1a 2b", 2, 2),
            ("1a 2b", "1a 2b 3c", 2, 2),
            // The day had another commit by its end.
            ("1a 2b", "1a 2c 3d", 1, 1),
            // A shallow clone, and one that does not reach back so far.
            ("1a 2b 3c", "2b 3c 4d", 3, 2),
            ("1a 2b 3c", "4d 5e", 3, 0),
            // A part of the existing states.
            ("1a 2b 3c", "2b", 3, 1),
            ("1a 2b 3c", "", 3, 0),
            // More of the past than there is, and another branch.
            ("3c 4d", "1a 2b 3c 4d", 0, 0),
            ("1a 2b 3c", "1x 2y", 0, 0),
        ] {
            let found = Plan::new(&states(held), &states(given));
            assert_eq!(found, Plan { n_kept, n_known }, "{held} / {given}");
        }
    }
}
