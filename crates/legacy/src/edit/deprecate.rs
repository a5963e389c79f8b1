//! Deprecating bundles: the bundles that they replace are removed, and they stay as the marked ends of their channels.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::Edit;
use crate::cells::{each, text};
use crate::error::LegacyError;
use olmdex_fbc::Name;

/// The words of the real tool for a bundle that holds up the default channel.
const DEFAULT_CHANNEL: &str = "Bundle deprecation causing default channel removal";

/// The known edges of a bundle, from the rows of entries.
#[derive(Debug, Default)]
struct BundleEdges {
    channels: BTreeSet<String>,
    replaces: BTreeSet<String>,
    replaced_by: BTreeSet<String>,
}

/// The reasons why a bundle cannot be deprecated.
enum Refusal {
    /// It holds up the default channel; the others can still be deprecated.
    DefaultChannel,
    /// An error that ends the step.
    Other(String),
}

/// The image of a bundle by its name.
const IMAGE_OF_BUNDLE: &str =
    "SELECT DISTINCT bundlepath FROM operatorbundle WHERE name = ? AND bundlepath IS NOT NULL";

/// The image of a bundle by its package and version.
const IMAGE_OF_VERSION: &str = "SELECT DISTINCT b.bundlepath FROM operatorbundle b
    JOIN channel_entry e ON e.operatorbundle_name = b.name
    WHERE e.package_name = ? AND b.version = ? AND b.bundlepath IS NOT NULL";

/// The image of the head of a channel.
const IMAGE_OF_HEAD: &str = "SELECT DISTINCT b.bundlepath FROM operatorbundle b
    JOIN channel c ON c.head_operatorbundle_name = b.name
    WHERE c.package_name = ? AND c.name = ? AND b.bundlepath IS NOT NULL";

impl Edit {
    /// The references of images that words mean: references, names of bundles, `PKG@VERSION` or `PKG/CHANNEL` for its
    /// head. A word that means no bundle stays as it is.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn images_of(&self, words: &[String]) -> Result<Vec<String>, LegacyError> {
        let image = |word: &String| -> Result<String, LegacyError> {
            let mut found = self.strings(IMAGE_OF_BUNDLE, &[word])?;
            if found.is_empty() {
                found = match Name::parse(word) {
                    Name::Version(package, version) => self.strings(IMAGE_OF_VERSION, &[&package, &version])?,
                    Name::Channel(package, channel) => self.strings(IMAGE_OF_HEAD, &[&package, &channel])?,
                    Name::Plain(_) => found,
                };
            }
            Ok(found.pop().unwrap_or_else(|| word.clone()))
        };
        words.iter().map(image).collect()
    }

    /// Deprecates bundles, given by the references of their images, in this order. With `allows_packages`, packages
    /// whose heads are all named are removed as a whole.
    ///
    /// # Errors
    /// [`LegacyError::Refused`] with the real tool's words; with `is_permissive` refused bundles are skipped.
    pub fn deprecate(
        &mut self,
        images: &[String],
        allows_packages: bool,
        is_permissive: bool,
    ) -> Result<(), LegacyError> {
        let known = self.strings(
            "SELECT DISTINCT bundlepath FROM operatorbundle
             WHERE version IS NOT NULL AND bundlepath IS NOT NULL
               AND name IN (SELECT operatorbundle_name FROM channel_entry WHERE channel_name IS NOT NULL)",
            &[],
        )?;
        if known.is_empty() {
            return Ok(());
        }
        let known: HashSet<String> = known.into_iter().collect();
        let missing: Vec<&str> = images.iter().filter(|it| !known.contains(*it)).map(String::as_str).collect();
        if !missing.is_empty() {
            let missing = missing.join(" ");
            let text = format!("target bundlepaths for deprecation missing from registry: [{missing}]");
            self.refuse(text, is_permissive)?;
        }
        let mut wanted: Vec<String> = images.iter().filter(|it| known.contains(*it)).cloned().collect();
        if allows_packages {
            match self.packages_of_heads(&wanted)? {
                Ok((packages, heads)) => {
                    self.remove_packages(&packages, is_permissive)?;
                    wanted.retain(|it| !heads.contains(it));
                }
                Err(text) => self.refuse(text, is_permissive)?,
            }
        }
        let mut refusals = Vec::new();
        for image in &wanted {
            match self.deprecate_one(image)? {
                Ok(()) => {}
                Err(Refusal::DefaultChannel) => {
                    refusals.push(format!("error deprecating bundle {image}: {DEFAULT_CHANNEL}"));
                }
                Err(Refusal::Other(text)) => {
                    refusals.push(format!("error deprecating bundle {image}: {text}"));
                    break;
                }
            }
        }
        match refusals.len() {
            0 => Ok(()),
            1 => self.refuse(refusals.remove(0), is_permissive),
            _ => self.refuse(format!("[{}]", refusals.join(", ")), is_permissive),
        }
    }

    fn refuse(&mut self, text: String, is_permissive: bool) -> Result<(), LegacyError> {
        if is_permissive {
            self.done.passed_over.push(text);
            return Ok(());
        }
        Err(LegacyError::Refused { text })
    }

    /// The packages whose default channel's head is among the images, with all their heads; or the reason why one
    /// cannot be removed.
    #[expect(clippy::type_complexity, reason = "packages and images, or words")]
    fn packages_of_heads(&self, images: &[String]) -> Result<Result<(Vec<String>, Vec<String>), String>, LegacyError> {
        let mut packages = Vec::new();
        for image in images {
            let found = self.strings(
                "SELECT c.package_name FROM package p JOIN channel c
                     ON c.package_name = p.name AND c.name = p.default_channel
                 WHERE c.head_operatorbundle_name = (SELECT name FROM operatorbundle WHERE bundlepath = ?1 LIMIT 1)",
                &[image],
            )?;
            packages.extend(found.into_iter().next_back());
        }
        let mut heads = Vec::new();
        for package in &packages {
            let channels = "SELECT name FROM channel WHERE package_name = ?1 ORDER BY name";
            for channel in self.strings(channels, &[package])? {
                let head = self.strings(
                    "SELECT b.bundlepath FROM operatorbundle b JOIN channel c ON c.head_operatorbundle_name = b.name
                     WHERE c.package_name = ?1 AND c.name = ?2",
                    &[package, &channel],
                )?;
                let head = head.into_iter().next_back().unwrap_or_default();
                if !images.contains(&head) {
                    return Ok(Err(format!(
                        "cannot deprecate default channel head from package without removing all other channel heads in \
                         package {package}: must deprecate {head}, head of channel {channel}"
                    )));
                }
                heads.push(head);
            }
        }
        Ok(Ok((packages, heads)))
    }

    fn deprecate_one(&mut self, image: &str) -> Result<Result<(), Refusal>, LegacyError> {
        let named = self.strings("SELECT name FROM operatorbundle WHERE bundlepath = ?1 LIMIT 1", &[image])?;
        // A bundle that was removed with another bundle's tail is skipped.
        let Some(name) = named.into_iter().next() else { return Ok(Ok(())) };
        let default_head = match self.default_head(&name)? {
            Ok(head) => head,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let nodes = self.nodes(&name)?;
        let tail = tail(&nodes, &name);
        if tail.contains(default_head.as_str()) {
            return Ok(Err(Refusal::DefaultChannel));
        }
        self.cut_off(&name, &nodes, &tail)?;
        self.mark(&name)?;
        self.remove_strays()?;
        self.done.deprecated.push(image.to_owned());
        Ok(Ok(()))
    }

    /// The head of the default channel of the package that a bundle is in.
    fn default_head(&self, bundle: &str) -> Result<Result<String, Refusal>, LegacyError> {
        let heads = self.strings(
            "SELECT ifnull(c.head_operatorbundle_name, '') FROM channel c
                 JOIN package p ON c.name = p.default_channel AND c.package_name = p.name
                 JOIN channel_entry e ON c.package_name = e.package_name
             WHERE e.operatorbundle_name = ?1 LIMIT 1",
            &[bundle],
        )?;
        Ok(match heads.into_iter().next() {
            None => {
                let text = format!("error getting default channel head for {bundle}: sql: no rows in result set");
                Err(Refusal::Other(text))
            }
            Some(head) if head.is_empty() => {
                Err(Refusal::Other(format!("invalid default channel head '' for {bundle}")))
            }
            Some(head) => Ok(head),
        })
    }

    /// Removes the bundles behind a bundle in its channels, if no other channel has them, and the channels whose head
    /// it is.
    fn cut_off(
        &mut self,
        name: &str,
        nodes: &HashMap<String, BundleEdges>,
        tail: &BTreeSet<&str>,
    ) -> Result<(), LegacyError> {
        let none = BTreeSet::new();
        let channels = nodes.get(name).map_or(&none, |it| &it.channels);
        self.doom_none()?;
        self.execute(
            "CREATE TEMP TABLE IF NOT EXISTS tail (name TEXT PRIMARY KEY);
             CREATE TEMP TABLE IF NOT EXISTS tail_channel (name TEXT PRIMARY KEY);
             DELETE FROM tail; DELETE FROM tail_channel",
        )?;
        for channel in channels {
            self.run("INSERT INTO tail_channel VALUES (?1)", &[channel])?;
        }
        for bundle in tail.iter().filter(|it| **it != name) {
            self.run("INSERT INTO tail VALUES (?1)", &[bundle])?;
            let Some(node) = nodes.get(*bundle) else { continue };
            let is_truncated =
                node.channels.is_subset(channels) && node.replaced_by.iter().all(|it| tail.contains(it.as_str()));
            if is_truncated {
                self.doom(bundle)?;
            }
        }
        // The entries of the tail in the channels of the bundle are removed, in its package.
        self.run(
            "DELETE FROM channel_entry
             WHERE operatorbundle_name IN (SELECT name FROM tail) AND channel_name IN (SELECT name FROM tail_channel)
               AND package_name IN (SELECT package_name FROM channel_entry WHERE operatorbundle_name = ?1)",
            &[name],
        )?;
        self.execute(
            "UPDATE channel_entry SET replaces = NULL
             WHERE replaces IS NOT NULL AND replaces NOT IN (SELECT entry_id FROM channel_entry)",
        )?;
        self.delete_doomed()?;
        self.run("UPDATE channel_entry SET replaces = NULL WHERE operatorbundle_name = ?1", &[name])?;
        self.run(
            "DELETE FROM channel_entry WHERE (package_name, channel_name) IN
                 (SELECT package_name, name FROM channel WHERE head_operatorbundle_name = ?1)",
            &[name],
        )?;
        self.run("DELETE FROM channel WHERE head_operatorbundle_name = ?1", &[name])
    }

    /// Writes down that a bundle is deprecated.
    fn mark(&mut self, name: &str) -> Result<(), LegacyError> {
        self.run(
            "INSERT INTO properties (type, value, operatorbundle_name, operatorbundle_version, operatorbundle_path)
                 SELECT 'olm.deprecated', '{}', name, version, bundlepath FROM operatorbundle WHERE name = ?1",
            &[name],
        )?;
        self.run("INSERT OR REPLACE INTO deprecated (operatorbundle_name) VALUES (?1)", &[name])
    }

    fn execute(&self, sql: &str) -> Result<(), LegacyError> {
        self.connection.execute_batch(sql).map_err(|error| self.failed(&error))
    }

    /// The graph of the packages that a bundle is in, all channels together.
    fn nodes(&self, bundle: &str) -> Result<HashMap<String, BundleEdges>, LegacyError> {
        let mut nodes: HashMap<String, BundleEdges> = HashMap::new();
        let sql = "SELECT e.operatorbundle_name, e.channel_name, r.operatorbundle_name
                   FROM channel_entry e LEFT JOIN channel_entry r ON r.entry_id = e.replaces
                   WHERE e.package_name IN
                       (SELECT package_name FROM channel_entry WHERE operatorbundle_name = (SELECT name FROM asked))";
        let mut read = || -> rusqlite::Result<()> {
            self.connection.execute_batch("CREATE TEMP TABLE IF NOT EXISTS asked (name TEXT); DELETE FROM asked")?;
            self.connection.execute("INSERT INTO asked VALUES (?1)", [bundle])?;
            each(&self.connection, sql, |row| {
                let (Some(bundle), channel, replaced) = (text(row, 0)?, text(row, 1)?, text(row, 2)?) else {
                    return Ok(());
                };
                if let Some(replaced) = &replaced {
                    nodes.entry(replaced.clone()).or_default().replaced_by.insert(bundle.clone());
                }
                let node = nodes.entry(bundle).or_default();
                node.channels.extend(channel);
                node.replaces.extend(replaced);
                Ok(())
            })
        };
        read().map_err(|error| self.failed(&error))?;
        Ok(nodes)
    }
}

/// All bundles that a bundle replaces or skips, directly or not, itself included.
fn tail<'a>(nodes: &'a HashMap<String, BundleEdges>, bundle: &'a str) -> BTreeSet<&'a str> {
    let mut tail = BTreeSet::new();
    let mut open = VecDeque::from([bundle]);
    while let Some(name) = open.pop_front() {
        if tail.insert(name)
            && let Some(node) = nodes.get(name)
        {
            open.extend(node.replaces.iter().map(String::as_str));
        }
    }
    tail
}
