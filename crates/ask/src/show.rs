//! Everything that catalogs have of a name: a package, a channel, a version or a bundle.

use super::error::AskError;
use super::hint::{guess, left_out};
use super::name::{PackageName, named, no_channel, no_package, no_version, version_in};
use super::permissions::permissions_of;
use super::question::{Answer, Question, State, kind};
use olmdex_base::diag::closest_of_same_numbers;
use olmdex_fbc::Name;
use olmdex_index::Index;
use olmdex_index::query::{ApiPattern, BundleDetail, BundleSelector, ChannelDetail, Filter, PackageDetail};
use olmdex_olm::permissions::BundlePermissions;
use olmdex_text::encoding::shell::word;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// Everything about a package, a channel, a version or a bundle
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ShowQuestion {
    /// PKG, PKG@VERSION, PKG/CHANNEL or the name of a bundle
    #[cfg_attr(feature = "clap", arg(value_name = "NAME"))]
    pub name: String,
    /// Show the rights that its installation grants, for a package those of the head of its default channel; they are
    /// unknown if the catalog does not state them
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub permissions: bool,
    /// With `--permissions`: show the rights in addition to those of this version or bundle of the package
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME|VERSION", requires = "permissions"))]
    pub against: Option<String>,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(default)]
    pub catalog: Vec<String>,
}

/// A thing that a catalog has under a name. An answer has things of one kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Shown {
    /// A package.
    Package(PackageDetail),
    /// A channel.
    Channel(ChannelDetail),
    /// A bundle.
    Bundle(Box<BundleDetail>),
    /// The rights of a bundle.
    Permissions(BundlePermissions),
}

impl Question for ShowQuestion {
    const NAME: &'static str = "show";
    const KIND: &'static str = "Package";
    type Index = Index;
    type Item = Shown;

    fn kinds() -> Vec<(&'static str, Schema)> {
        let (package, channel) = (kind::<PackageDetail>("Package"), kind::<ChannelDetail>("Channel"));
        vec![package, channel, kind::<BundleDetail>("Bundle"), kind::<BundlePermissions>("Permissions")]
    }

    fn kind(items: &[Shown]) -> &'static str {
        match items.first() {
            Some(Shown::Channel(_)) => "Channel",
            Some(Shown::Bundle(_)) => "Bundle",
            Some(Shown::Package(_)) => Self::KIND,
            // Only a package without a head has nothing to show.
            Some(Shown::Permissions(_)) | None => "Permissions",
        }
    }

    fn names(&self) -> Vec<&String> {
        vec![&self.name]
    }

    /// The things under the name, or the rights of its bundle, in each catalog.
    fn ask(&self, state: &State<'_>) -> Result<Answer<Shown>, AskError> {
        let index = state.index;
        if !self.permissions && self.against.is_none() {
            return Ok(Answer::of(self.details(index)?));
        }
        let name = PackageName::find(index, &self.name)?;
        let found = permissions_of(index, &self.catalog, &name, self.against.as_deref())?;
        Ok(Answer::of(found.into_iter().map(Shown::Permissions).collect()))
    }
}

impl ShowQuestion {
    fn details(&self, index: &Index) -> Result<Vec<Shown>, AskError> {
        let (name, catalogs) = (named(index, &self.name)?, &self.catalog);
        let bundles = |wanted: BundleSelector| -> Result<Vec<Shown>, AskError> {
            let found = index.show_bundle(&BundleSelector { catalogs: catalogs.clone(), ..wanted })?;
            Ok(found.into_iter().map(|bundle| Shown::Bundle(Box::new(bundle))).collect())
        };
        let found = match name.clone() {
            Name::Plain(name) => match index.show_package(catalogs, &name)? {
                none if none.is_empty() => bundles(BundleSelector { name: Some(name), ..BundleSelector::default() })?,
                packages => packages.into_iter().map(Shown::Package).collect(),
            },
            Name::Version(package, version) => {
                let (package, version) = (Some(package), Some(version));
                bundles(BundleSelector { package, version, ..BundleSelector::default() })?
            }
            Name::Channel(package, channel) => {
                index.show_channel(catalogs, &package, &channel)?.into_iter().map(Shown::Channel).collect()
            }
        };
        if !found.is_empty() {
            return Ok(found);
        }
        Err(match name {
            Name::Plain(name) => unknown_name(index, catalogs, name),
            Name::Version(package, version) => no_version(index, catalogs, &package, &version),
            Name::Channel(package, _) if index.show_package(catalogs, &package)?.is_empty() => {
                no_package(index, &package)
            }
            Name::Channel(package, channel) => no_channel(index, &package, &channel),
        }?)
    }
}

fn unknown_name(index: &Index, catalogs: &[String], name: String) -> Result<AskError, AskError> {
    let packages = index.packages(&Filter::of_package(&name))?;
    let selector = BundleSelector { name: Some(name.clone()), ..BundleSelector::default() };
    let bundles = index.show_bundle(&selector)?.into_iter().map(|it| it.row.catalog);
    if let Some(help) = left_out(packages.into_iter().map(|it| it.catalog).chain(bundles)) {
        return Ok(AskError::NothingCalled { name, help });
    }
    // A bundle of another day of the index has the name.
    if let Some(PackageName { package, installed: Some(version), .. }) = version_in(index, &name)? {
        return no_version(index, catalogs, &package, &version);
    }
    let names = index.names(None)?;
    let all = [names.packages, names.bundles].concat();
    let help = match closest_of_same_numbers(&name, all.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if index.api_meant(&ApiPattern::parse(&name))?.is_some() => {
            format!("it is an API: `olmdex list apis {}` lists the bundles that provide it", word(&name))
        }
        None => {
            // A similar name is not meant if it is another version.
            let all: Vec<String> = all.into_iter().filter(|it| !it.contains(|c: char| c.is_ascii_digit())).collect();
            guess(&name, &all, "`olmdex list packages` and `olmdex search` show what there is")
        }
    };
    Ok(AskError::NothingCalled { name, help })
}
