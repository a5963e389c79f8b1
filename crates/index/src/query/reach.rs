//! The targets of the edges of a package: recursive queries over the upgrade graphs of its channels.
//!
//! A name stands for the same bundle in every channel and catalog: a step that ends at a name in one channel goes on
//! from that name in all of them, as OLM does. An edge by `skipRange` is a row only between entries of one channel.
//! Whether a range holds an entry of another channel, or the same name with another version in another catalog, is
//! asked while the query runs, once for each name that it reaches.
//!
//! The queries count no hops: `UNION` ends a recursion because a name is found only once, and a name with a number
//! behind it would be found again and again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::{Row, params};

use super::catalogs_json;
use crate::{Index, IndexError};

/// The edges that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeScope {
    /// Names of catalogs; empty for all.
    pub catalogs: Vec<String>,
    /// The package.
    pub package: String,
    /// Names of channels; empty for all.
    pub channels: Vec<String>,
}

/// Names that edges lead to, or from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reach {
    /// Not known: every name may be one.
    #[default]
    Unknown,
    /// At most these.
    Names(HashSet<String>),
}

impl Reach {
    /// Whether a name may be one of them.
    pub fn may_hold(&self, name: &str) -> bool {
        match self {
            Self::Unknown => true,
            Self::Names(names) => names.contains(name),
        }
    }

    /// Whether there are surely none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Names(names) if names.is_empty())
    }
}

/// By catalog and channel: the names of the channel from which no way leads to its head.
pub type NamesWithoutWay = BTreeMap<(String, String), BTreeSet<String>>;

/// The number of edges by `skipRange` that may be walked and looked for. Above it, a query would take longer than the
/// searches that it saves.
const MAX_RANGE_STEPS: i64 = 250_000;

/// The graphs that are asked, with the documents of their channels. Parameters: the package, catalogs, channels.
macro_rules! asked {
    () => {
        "
WITH RECURSIVE
asked(graph, channel) AS MATERIALIZED (
  SELECT g.id, g.channel
  FROM channel ch
  CROSS JOIN graph g ON g.channel = ch.document
  WHERE ch.package = ?1 AND (?3 IS NULL OR ch.name IN (SELECT value FROM json_each(?3)))
    AND EXISTS (
      SELECT 1 FROM catalog_channel cc CROSS JOIN catalog c ON c.id = cc.catalog
      WHERE cc.graph = g.id AND (?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2)))
    )
)"
    };
}

/// The names from which those of parameter 5 are reached, over names that are reached from those of parameter 4. The
/// entries with ranges are collected first: most channels have none, and the recursion would read all their entries at
/// each step.
const BETWEEN: &str = concat!(
    asked!(),
    ",
ranged(graph, name, range) AS MATERIALIZED (
  SELECT asked.graph, q.name, q.skip_range
  FROM asked CROSS JOIN entry q ON q.document = asked.channel
  WHERE q.skip_range <> ''
),
reached(name) AS (
  SELECT value FROM json_each(?4)
  UNION
  SELECT t.name
  FROM reached
  CROSS JOIN node s ON s.name = reached.name AND s.graph IN (SELECT graph FROM asked)
  CROSS JOIN edge e ON e.graph = s.graph AND e.source = s.number
  CROSS JOIN node t ON t.graph = e.graph AND t.number = e.target
  UNION
  SELECT ranged.name
  FROM reached
  CROSS JOIN bundle b ON b.name = reached.name AND b.package = ?1
  CROSS JOIN ranged
  WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.document = b.document AND n.graph = ranged.graph)
    AND range_holds(b.version, ranged.range)
),
held(name, version, document) AS MATERIALIZED (
  SELECT b.name, b.version, b.document FROM bundle b WHERE b.package = ?1 AND b.name IN (SELECT name FROM reached)
),
leading(name) AS (
  SELECT value FROM json_each(?5) WHERE value IN (SELECT name FROM reached)
  UNION
  SELECT s.name
  FROM leading
  CROSS JOIN node t ON t.name = leading.name AND t.graph IN (SELECT graph FROM asked)
  CROSS JOIN edge e INDEXED BY edge_target ON e.graph = t.graph AND e.target = t.number
  CROSS JOIN node s ON s.graph = e.graph AND s.number = e.source
  WHERE s.name IN (SELECT name FROM reached)
  UNION
  SELECT held.name
  FROM leading
  CROSS JOIN node t ON t.name = leading.name AND t.graph IN (SELECT graph FROM asked)
  CROSS JOIN graph g ON g.id = t.graph
  CROSS JOIN entry q ON q.document = g.channel AND q.position = t.entry AND q.skip_range <> ''
  CROSS JOIN held
  WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.document = held.document AND n.graph = t.graph)
    AND range_holds(held.version, q.skip_range)
)
SELECT name FROM leading"
);

/// Like [`BETWEEN`] in graph 1, from the names of parameter 2 to those of parameter 3. In one graph numbers are enough,
/// and faster than names. The plus signs make SQLite look up the reached names for each row instead of walking through
/// them for each row.
const BETWEEN_IN_ONE: &str = "
WITH RECURSIVE
reached(number) AS (
  SELECT n.number FROM json_each(?2) j CROSS JOIN node n ON n.name = j.value AND n.graph = ?1
  UNION
  SELECT e.target FROM reached CROSS JOIN edge e ON e.graph = ?1 AND e.source = reached.number
),
leading(number) AS (
  SELECT n.number FROM json_each(?3) j CROSS JOIN node n ON n.name = j.value AND n.graph = ?1
  WHERE +n.number IN (SELECT number FROM reached)
  UNION
  SELECT e.source FROM leading CROSS JOIN edge e ON e.graph = ?1 AND e.target = leading.number
  WHERE +e.source IN (SELECT number FROM reached)
)
SELECT n.name FROM leading CROSS JOIN node n ON n.graph = ?1 AND n.number = leading.number";

/// For each channel with one head, in each catalog in which the package is valid: the names from which no edges lead to
/// the head over entries that count for OLM Classic. These entries are those on the chain of `replaces` below the head
/// that nothing skips. A channel without such names has one row without a name. One number stands for a graph and a
/// node, since SQLite reads a list of pairs from end to end for each pair that is not in it.
const WITHOUT_WAY: &str = concat!(
    asked!(),
    ",
headed(graph, head) AS MATERIALIZED (
  SELECT g.id, g.head
  FROM asked CROSS JOIN graph g ON g.id = asked.graph
  WHERE g.head IS NOT NULL AND g.range_edges IS NOT NULL
),
chain(graph, number) AS (
  SELECT graph, head FROM headed
  UNION
  SELECT e.graph, e.source
  FROM chain
  CROSS JOIN edge e INDEXED BY edge_target ON e.graph = chain.graph AND e.target = chain.number AND e.kind = 'replaces'
  CROSS JOIN node n ON n.graph = e.graph AND n.number = e.source AND n.entry IS NOT NULL
),
live(graph, number) AS (
  SELECT graph, number FROM chain
  WHERE NOT EXISTS (SELECT 1 FROM edge e WHERE e.graph = chain.graph AND e.source = chain.number AND e.kind = 'skips')
),
leading(graph, number) AS (
  SELECT graph, head FROM headed
  UNION
  SELECT e.graph, e.source
  FROM leading
  CROSS JOIN edge e INDEXED BY edge_target ON e.graph = leading.graph AND e.target = leading.number
  WHERE (leading.graph, leading.number) IN (SELECT graph, number FROM live)
)
SELECT c.name, ch.name, n.name
FROM headed
CROSS JOIN catalog_channel cc ON cc.graph = headed.graph
CROSS JOIN channel ch ON ch.document = cc.channel
CROSS JOIN catalog c ON c.id = cc.catalog AND (?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2)))
CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ch.package AND p.is_valid
LEFT JOIN node n ON n.graph = headed.graph AND (+n.graph << 32 | +n.number) NOT IN (SELECT graph << 32 | number FROM leading)
ORDER BY c.name, ch.name, n.number"
);

/// The numbers that decide whether the queries know all edges, and how much they cost: graphs; graphs without their
/// edges by `skipRange`; catalogs in which the package is not valid; edges by `skipRange`; entries with ranges;
/// bundles; and the number of one of the graphs.
const EXTENT: &str = concat!(
    asked!(),
    "
SELECT
  (SELECT count(*) FROM asked),
  (SELECT count(*) FROM asked CROSS JOIN graph g ON g.id = asked.graph WHERE g.range_edges IS NULL),
  (SELECT count(*) FROM catalog c CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?1
   WHERE NOT p.is_valid AND (?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2)))),
  (SELECT coalesce(sum(g.range_edges), 0) FROM asked CROSS JOIN graph g ON g.id = asked.graph),
  (SELECT count(*) FROM asked CROSS JOIN entry q ON q.document = asked.channel AND q.skip_range <> ''),
  (SELECT count(*) FROM bundle b WHERE b.package = ?1),
  (SELECT coalesce(min(graph), 0) FROM asked)"
);

/// The graphs that a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Graphs {
    /// Some edges are not rows, or there are too many.
    Unknown,
    /// The only one.
    One(i64),
    /// Several, so that a range may hold an entry of another one.
    Several,
}

impl Index {
    /// The names of entries on the ways from some of them to some of them, both included as far as a way leads over
    /// them.
    ///
    /// Not known if the package is not valid, if edges by `skipRange` are left out, or if there are too many.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn names_between(
        &self,
        scope: &EdgeScope,
        from: &BTreeSet<String>,
        to: &BTreeSet<String>,
    ) -> Result<Reach, IndexError> {
        let json = |names: &BTreeSet<String>| serde_json::Value::from_iter(names.iter().cloned()).to_string();
        let name = |row: &Row<'_>| row.get::<_, String>(0);
        let names = match self.graphs(scope)? {
            Graphs::Unknown => return Ok(Reach::Unknown),
            Graphs::One(graph) => self.rows(BETWEEN_IN_ONE, params![graph, json(from), json(to)], name)?,
            Graphs::Several => {
                let (catalogs, channels) = (catalogs_json(&scope.catalogs), catalogs_json(&scope.channels));
                let parameters = params![scope.package, catalogs, channels, json(from), json(to)];
                self.rows(BETWEEN, parameters, name)?
            }
        };
        Ok(Reach::Names(names.into_iter().collect()))
    }

    /// The names of each channel, by catalog and channel, from which no edges lead to its head over entries that count
    /// for OLM Classic. Channels whose edges cannot decide this are left out: those without one head, those whose edges
    /// by `skipRange` are left out, and those of a package that is not valid.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn names_without_way(&self, scope: &EdgeScope) -> Result<NamesWithoutWay, IndexError> {
        let (catalogs, channels) = (catalogs_json(&scope.catalogs), catalogs_json(&scope.channels));
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?));
        let mut found = NamesWithoutWay::new();
        for (catalog, channel, name) in self.rows(WITHOUT_WAY, params![scope.package, catalogs, channels], row)? {
            found.entry((catalog, channel)).or_default().extend(name);
        }
        Ok(found)
    }

    fn graphs(&self, scope: &EdgeScope) -> Result<Graphs, IndexError> {
        let (catalogs, channels) = (catalogs_json(&scope.catalogs), catalogs_json(&scope.channels));
        let numbers = |row: &Row<'_>| {
            let mut numbers = [0_i64; 7];
            for (at, number) in numbers.iter_mut().enumerate() {
                *number = row.get(at)?;
            }
            Ok(numbers)
        };
        let found = self.rows(EXTENT, params![scope.package, catalogs, channels], numbers)?;
        let [n_graphs, n_without_ranges, n_not_valid, n_range_edges, n_ranges, n_bundles, graph] =
            found.first().copied().unwrap_or_default();
        let n_to_ask = if n_graphs > 1 { n_ranges.saturating_mul(n_bundles) } else { 0 };
        let is_small = n_range_edges.saturating_add(n_to_ask) <= MAX_RANGE_STEPS;
        Ok(match n_graphs {
            _ if n_without_ranges > 0 || n_not_valid > 0 || !is_small => Graphs::Unknown,
            1 => Graphs::One(graph),
            _ => Graphs::Several,
        })
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("names between names", BETWEEN),
    ("names between names of a graph", BETWEEN_IN_ONE),
    ("names without a way to the head", WITHOUT_WAY),
    ("extent of graphs", EXTENT),
];

#[cfg(test)]
mod tests;
