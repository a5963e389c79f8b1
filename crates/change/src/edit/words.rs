//! The words of an edit, and the channels, entries and bundles of the catalog that they name.

use super::catalog::CatalogEdit;
use super::change::{Change, Edges};
use super::error::EditError;
use super::target::Target;
use olmdex_fbc::Name;

impl CatalogEdit {
    /// A package and its channel: `PKG/CHANNEL`, or the other way round. A bundle stands for its package.
    ///
    /// # Errors
    /// [`EditError::NotNamed`]
    pub fn channel_named(&self, word: &str) -> Result<(String, String), EditError> {
        let Name::Channel(package, channel) = Name::parse(word) else {
            return Err(EditError::NotNamed { word: word.to_owned(), what: "channel" });
        };
        let package_of = |name: &str| self.find(&Name::Plain(name.to_owned())).ok().map(|it| it.0);
        Ok(match (package_of(&package), package_of(&channel)) {
            (Some(package), _) => (package, channel),
            // The words came in the other order: `CHANNEL PKG`.
            (None, Some(of_channel)) => (of_channel, package),
            (None, None) => (package, channel),
        })
    }

    /// The package and the channel of an entry: the word for the channel may be its name alone if the entry, a version
    /// or a bundle, tells the package.
    ///
    /// # Errors
    /// [`EditError::NotNamed`]
    pub fn channel_of_entry(&self, channel: &str, entry: &str) -> Result<(String, String), EditError> {
        self.channel_named(channel).or_else(|error| match Name::parse(entry) {
            Name::Version(package, _) => Ok((package, channel.to_owned())),
            bundle @ Name::Plain(_) => match self.find(&bundle) {
                Ok((package, Target::Bundle(_))) => Ok((package, channel.to_owned())),
                _ => Err(error),
            },
            Name::Channel(..) => Err(error),
        })
    }

    /// The name of the entry that a word stands for. An entry has the name of its bundle, whatever that looks like, and
    /// may name a removed one; a version that is not an entry's name stands for the entry of that version.
    ///
    /// # Errors
    /// [`EditError`] for a version that the catalog does not have, or that belongs to another package.
    pub fn entry_named(&self, package: &str, word: &str) -> Result<String, EditError> {
        let of_version = |name: &Name| {
            self.find(name).map(|(of, target)| match target {
                Target::Bundle(bundle) => (of, bundle),
                _ => (of, word.to_owned()),
            })
        };
        match Name::parse(word) {
            name @ Name::Version(..) => match of_version(&name)? {
                (of, bundle) if of == package => Ok(bundle),
                (of, _) => {
                    let (word, package) = (word.to_owned(), package.to_owned());
                    Err(EditError::OfAnotherPackage { word, of, package })
                }
            },
            name => match (self.find(&name), of_version(&Name::parse(&format!("{package}@{word}")))) {
                (Err(_), Ok((_, bundle))) => Ok(bundle),
                _ => Ok(word.to_owned()),
            },
        }
    }

    /// Edges whose entries are words for [`Self::entry_named`], with the names of these entries.
    ///
    /// # Errors
    /// Those of [`Self::entry_named`].
    pub fn edges_named(&self, package: &str, words: &Edges) -> Result<Edges, EditError> {
        let named = |it: &String| self.entry_named(package, it);
        let of_skips = |it: &Vec<String>| it.iter().filter(|it| !it.is_empty()).map(named).collect::<Result<_, _>>();
        Ok(Edges {
            replaces: words.replaces.as_ref().map(named).transpose()?,
            skips: words.skips.as_ref().map(of_skips).transpose()?,
            skip_range: words.skip_range.clone(),
        })
    }

    /// The promotion of the bundle that a word names, with its package. The channels may have the package in front.
    ///
    /// # Errors
    /// [`EditError`] if the word names no bundle of the catalog.
    pub fn promotion(
        &self,
        word: &str,
        to: &str,
        from: Option<&str>,
        only: bool,
    ) -> Result<(String, Change), EditError> {
        let (package, Target::Bundle(bundle)) = self.find(&Name::parse(word))? else {
            return Err(EditError::NotNamed { word: word.to_owned(), what: "bundle" });
        };
        let of_package = |it: &str| it.strip_prefix(&format!("{package}/")).unwrap_or(it).to_owned();
        let (to, from) = (of_package(to), from.map(of_package));
        Ok((package, Change::Promote { bundle, from, to, only }))
    }
}
