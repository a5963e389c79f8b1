//! Everything that catalogs have of a name: a package, a channel, a version or a bundle.

use super::error::AskError;
use super::hint::{guess, left_out};
use super::name::{no_channel, no_package, no_version};
use olmdex_base::diag::closest_of_same_numbers;
use olmdex_fbc::Name;
use olmdex_index::Index;
use olmdex_index::query::{BundleDetail, BundleSelector, ChannelDetail, Filter, PackageDetail};

/// The things that a name stands for, with all that the catalogs have of them.
#[derive(Debug)]
pub enum NameDetails {
    /// A package, of each catalog.
    Packages(Vec<PackageDetail>),
    /// A channel, of each catalog.
    Channels(Vec<ChannelDetail>),
    /// A bundle, of each catalog.
    Bundles(Vec<BundleDetail>),
}

/// All that catalogs have of a name: PKG, PKG@VERSION, PKG/CHANNEL or that of a bundle.
///
/// # Errors
/// If nothing has the name; if the catalogs cannot be read.
pub fn show(index: &Index, catalogs: &[String], name: &str) -> Result<NameDetails, AskError> {
    let selector = || BundleSelector { catalogs: catalogs.to_vec(), ..BundleSelector::default() };
    match Name::parse(name) {
        Name::Plain(name) => {
            let packages = index.show_package(catalogs, &name)?;
            if !packages.is_empty() {
                return Ok(NameDetails::Packages(packages));
            }
            match index.show_bundle(&BundleSelector { name: Some(name.clone()), ..selector() })? {
                bundles if bundles.is_empty() => Err(unknown_name(index, name)?),
                bundles => Ok(NameDetails::Bundles(bundles)),
            }
        }
        Name::Version(package, version) => {
            let wanted =
                BundleSelector { package: Some(package.clone()), version: Some(version.clone()), ..selector() };
            match index.show_bundle(&wanted)? {
                bundles if bundles.is_empty() => Err(no_version(index, catalogs, &package, &version)?),
                bundles => Ok(NameDetails::Bundles(bundles)),
            }
        }
        Name::Channel(package, channel) => match index.show_channel(catalogs, &package, &channel)? {
            channels if !channels.is_empty() => Ok(NameDetails::Channels(channels)),
            _ if index.show_package(catalogs, &package)?.is_empty() => Err(no_package(index, &package)?),
            _ => Err(no_channel(index, &package, &channel)?),
        },
    }
}

fn unknown_name(index: &Index, name: String) -> Result<AskError, AskError> {
    let packages = index.packages(&Filter { package: Some(name.clone()), ..Filter::default() })?;
    let selector = BundleSelector { name: Some(name.clone()), ..BundleSelector::default() };
    let bundles = index.show_bundle(&selector)?.into_iter().map(|it| it.row.catalog);
    if let Some(help) = left_out(packages.into_iter().map(|it| it.catalog).chain(bundles)) {
        return Ok(AskError::NothingCalled { name, help });
    }
    let names = index.names(None)?;
    let all = [names.packages, names.bundles].concat();
    let help = match closest_of_same_numbers(&name, all.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            // A similar name is not meant if it is another version.
            let all: Vec<String> = all.into_iter().filter(|it| !it.contains(|c: char| c.is_ascii_digit())).collect();
            guess(&name, &all, "`olmdex list packages` and `olmdex search` show what there is")
        }
    };
    Ok(AskError::NothingCalled { name, help })
}
