//! The answers of a catalog's registry, without any network (`docs/behaviour/serving.md` B): a [`Registry`] is an index
//! and the name of a catalog in it.
//!
//! Where the real server answers in random order, ours is the order of names; where it picks one of several answers at
//! random, ours is that of the highest version.

mod admission;
mod bundle;
pub mod call;
mod custom;
pub mod descriptor;
pub mod encoded;
pub mod message;
pub mod reflection;
mod refusal;
pub mod value;

pub use admission::refusal;
pub use custom::{ACKNOWLEDGEMENT, is_name};
pub use refusal::{Code, Refusal};

use self::bundle::{Extent, message_of};
use self::message::{Bundle, Channel, ChannelEntry, Deprecation, Package, PackageName};
use olmdex_index::Index;
use olmdex_index::query::{EntryKey, ServedEntry, ServedPackage};
use olmdex_text::api::Api;
use olmdex_version::Version;

/// An API as errors write it.
fn shown(api: &Api) -> String {
    let quoted = olmdex_version::Quoted;
    format!("group:{} version:{} kind:{}", quoted(&api.group), quoted(&api.version), quoted(&api.kind))
}

/// The largest message that clients written in Go take by default, in bytes; OLM is one of them.
pub const MAX_TAKEN: usize = 4 << 20;

/// A bundle whose message clients refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// Its package.
    pub package: String,
    /// Its name.
    pub bundle: String,
    /// The bytes of its message.
    pub size: usize,
}

/// A catalog that answers.
#[derive(Debug, Clone, Copy)]
pub struct Registry<'i> {
    /// Its index.
    pub index: &'i Index,
    /// Its name there.
    pub catalog: &'i str,
}

impl Registry<'_> {
    /// `ListPackages`
    ///
    /// # Errors
    /// [`Refusal::Index`].
    pub(crate) fn list_packages(&self) -> Result<Vec<PackageName>, Refusal> {
        let names = self.index.served_packages(self.catalog)?;
        Ok(names.into_iter().map(|name| PackageName { name }).collect())
    }

    /// `GetPackage`
    ///
    /// # Errors
    /// [`Refusal::Package`].
    pub fn package(&self, name: &str) -> Result<Package, Refusal> {
        let found = self.find_package(name)?;
        let deprecation = |message: String| Deprecation { message };
        let channels = found.channels.into_iter().map(|it| Channel {
            name: it.name,
            csv_name: it.head,
            deprecation: it.deprecation.map(deprecation),
        });
        Ok(Package {
            name: name.to_owned(),
            channels: channels.collect(),
            default_channel_name: found.default_channel,
            deprecation: found.deprecation.map(deprecation),
        })
    }

    /// `GetBundle`
    ///
    /// # Errors
    /// [`Refusal::Package`], [`Refusal::Channel`], [`Refusal::Bundle`].
    pub fn bundle(&self, package: &str, channel: &str, bundle: &str) -> Result<Bundle, Refusal> {
        let entries = self.index.served_channel(self.catalog, package, channel, Some(bundle))?;
        match entries.into_iter().next() {
            Some(entry) => self.single(entry),
            None => {
                self.head(package, channel)?;
                Err(Refusal::Bundle(package.to_owned(), channel.to_owned(), bundle.to_owned()))
            }
        }
    }

    /// `GetBundleForChannel`
    ///
    /// # Errors
    /// [`Refusal::Package`], [`Refusal::Channel`].
    pub fn bundle_for_channel(&self, package: &str, channel: &str) -> Result<Bundle, Refusal> {
        let head = self.head(package, channel)?;
        self.bundle(package, channel, &head)
    }

    /// `GetBundleThatReplaces`: if several bundles replace or skip it, the one of the highest version.
    ///
    /// # Errors
    /// [`Refusal::PlainPackage`], [`Refusal::Channel`], [`Refusal::NoSuccessor`].
    pub fn bundle_that_replaces(&self, bundle: &str, package: &str, channel: &str) -> Result<Bundle, Refusal> {
        self.head(package, channel).map_err(|refusal| match refusal {
            Refusal::Package(name) => Refusal::PlainPackage(name),
            other => other,
        })?;
        let entries = self.index.served_channel(self.catalog, package, channel, None)?;
        let replaces = |it: &ServedEntry| it.replaces == bundle || it.skips.iter().any(|skip| skip == bundle);
        let version = |it: &ServedEntry| Version::parse(&it.version).ok();
        let best = entries.into_iter().filter(replaces).max_by_key(version);
        let best = best.ok_or_else(|| Refusal::NoSuccessor(package.to_owned(), channel.to_owned()))?;
        self.single(best)
    }

    /// `GetChannelEntriesThatReplace`
    ///
    /// # Errors
    /// [`Refusal::NoEntries`].
    pub fn entries_that_replace(&self, bundle: &str) -> Result<Vec<ChannelEntry>, Refusal> {
        let mut found = Vec::new();
        let mut add = |entry: &ServedEntry| {
            let skips = entry.skips.iter().filter(|it| *it == bundle && *it != &entry.replaces).count();
            let times = usize::from(entry.replaces == bundle) + skips;
            found.extend(std::iter::repeat_with(|| entry_message(entry, &entry.replaces)).take(times));
        };
        if bundle.is_empty() {
            // An entry that replaces nothing replaces the empty name.
            for key in self.index.served_keys(self.catalog)? {
                add(&self.index.served_entry(self.catalog, key)?);
            }
        } else {
            self.index.served_successors(self.catalog, bundle)?.iter().for_each(add);
        }
        if found.is_empty() {
            return Err(Refusal::NoEntries(bundle.to_owned()));
        }
        found.sort_by(by_names);
        Ok(found)
    }

    /// `GetChannelEntriesThatProvide`
    ///
    /// # Errors
    /// [`Refusal::NoProvider`].
    pub fn entries_that_provide(&self, api: &Api) -> Result<Vec<ChannelEntry>, Refusal> {
        self.provided(api, false)
    }

    /// `GetLatestChannelEntriesThatProvide`
    ///
    /// # Errors
    /// [`Refusal::NoProvider`].
    pub fn latest_entries_that_provide(&self, api: &Api) -> Result<Vec<ChannelEntry>, Refusal> {
        self.provided(api, true)
    }

    fn provided(&self, api: &Api, heads_only: bool) -> Result<Vec<ChannelEntry>, Refusal> {
        let mut found = Vec::new();
        for entry in &self.providers(api, heads_only)? {
            found.push(entry_message(entry, &entry.replaces));
            // The latest entries count only for skips of bundles that the channel has.
            let names = match heads_only && !entry.skips.is_empty() {
                true => Some(self.index.served_names(self.catalog, &entry.package, &entry.channel)?),
                false => None,
            };
            let is_listed = |skip: &&String| names.as_ref().is_none_or(|names| names.contains(skip));
            let others = entry.skips.iter().filter(|it| **it != entry.replaces).filter(is_listed);
            found.extend(others.map(|skip| entry_message(entry, skip)));
        }
        found.sort_by(by_names);
        Ok(found)
    }

    /// `GetDefaultBundleThatProvides`: among the heads that provide it, the first by package whose channel is the
    /// default one.
    ///
    /// # Errors
    /// [`Refusal::NoProvider`], [`Refusal::NoDefaultProvider`].
    pub fn default_bundle_that_provides(&self, api: &Api) -> Result<Bundle, Refusal> {
        for entry in self.providers(api, true)? {
            if self.find_package(&entry.package)?.default_channel == entry.channel {
                return self.single(entry);
            }
        }
        Err(Refusal::NoDefaultProvider(shown(api)))
    }

    /// `ListBundles`: every bundle in each of its channels, by channel, package and bundle, until `each` returns false.
    ///
    /// # Errors
    /// [`Refusal::Index`].
    pub fn list_bundles(&self, mut each: impl FnMut(Bundle) -> bool) -> Result<(), Refusal> {
        for key in self.list_keys()? {
            if !each(self.listed(key)?) {
                break;
            }
        }
        Ok(())
    }

    /// The keys of the entries that `ListBundles` answers with, which are small.
    ///
    /// # Errors
    /// [`Refusal::Index`].
    pub(crate) fn list_keys(&self) -> Result<Vec<EntryKey>, Refusal> {
        Ok(self.index.served_keys(self.catalog)?)
    }

    /// One message of `ListBundles`.
    ///
    /// # Errors
    /// [`Refusal::Index`].
    pub fn listed(&self, key: EntryKey) -> Result<Bundle, Refusal> {
        let entry = self.index.served_entry(self.catalog, key)?;
        message_of(self.index, self.catalog, entry, Extent::Listed)
    }

    /// The bundles whose message is longer than gRPC clients accept, with the size of the message.
    ///
    /// # Errors
    /// [`Refusal::Index`].
    pub fn too_large(&self) -> Result<Vec<TooLarge>, Refusal> {
        let mut found = Vec::new();
        // The message has the ClusterServiceVersion twice, and no other part of the document can grow as much.
        for key in self.index.served_large_keys(self.catalog, MAX_TAKEN / 4)? {
            let entry = self.index.served_entry(self.catalog, key)?;
            let (package, bundle) = (entry.package.clone(), entry.bundle.clone());
            match self.single(entry) {
                Ok(message) => {
                    let size = prost::Message::encoded_len(&message);
                    if size > MAX_TAKEN {
                        found.push(TooLarge { package, bundle, size });
                    }
                }
                Err(error @ Refusal::Index(_)) => return Err(error),
                // A client that asks for it gets the error.
                Err(_) => {}
            }
        }
        Ok(found)
    }

    fn single(&self, entry: ServedEntry) -> Result<Bundle, Refusal> {
        message_of(self.index, self.catalog, entry, Extent::Single)
    }

    fn providers(&self, api: &Api, heads_only: bool) -> Result<Vec<ServedEntry>, Refusal> {
        let found = self.index.served_providers(self.catalog, api, heads_only)?;
        if found.is_empty() { Err(Refusal::NoProvider(shown(api))) } else { Ok(found) }
    }

    fn find_package(&self, name: &str) -> Result<ServedPackage, Refusal> {
        self.index.served_package(self.catalog, name)?.ok_or_else(|| Refusal::Package(name.to_owned()))
    }

    /// The head of a channel.
    fn head(&self, package: &str, channel: &str) -> Result<String, Refusal> {
        let found = self.find_package(package)?.channels.into_iter().find(|it| it.name == channel);
        found.map(|it| it.head).ok_or_else(|| Refusal::Channel(package.to_owned(), channel.to_owned()))
    }
}

fn entry_message(entry: &ServedEntry, replaces: &str) -> ChannelEntry {
    ChannelEntry {
        package_name: entry.package.clone(),
        channel_name: entry.channel.clone(),
        bundle_name: entry.bundle.clone(),
        replaces: replaces.to_owned(),
    }
}

fn by_names(a: &ChannelEntry, b: &ChannelEntry) -> std::cmp::Ordering {
    let names = (&a.package_name, &a.channel_name, &a.bundle_name, &a.replaces);
    names.cmp(&(&b.package_name, &b.channel_name, &b.bundle_name, &b.replaces))
}
