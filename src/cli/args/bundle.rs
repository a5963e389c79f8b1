//! The bundle that an argument means: PKG, PKG@VERSION, PKG/CHANNEL or the name of a bundle.
//!
//! What it deliberately does not do: it resolves nothing.

use crate::cli::args::name::{NameArgument, refuse_path, unknown_channel, unknown_package, unknown_version};
use crate::cli::speak::error::{CommandError, Exit};
use crate::index::Index;
use crate::index::query::{BundleSelector, Filter, preferred_catalog};
use crate::resolve::BundleName;
use crate::version::{Version, blang};

/// The bundle that a name means.
pub(crate) struct Target {
    pub(crate) package: String,
    pub(crate) bundle: String,
}

impl Target {
    /// It, in a catalog.
    pub(crate) fn in_catalog<'n>(&'n self, catalog: &'n str) -> BundleName<'n> {
        BundleName { catalog, package: &self.package, bundle: &self.bundle }
    }

    /// Finds it in an index.
    pub(crate) fn find(index: &Index, catalogs: &[String], name: &str) -> Result<Self, CommandError> {
        let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
        let head = |package: &str, channel: Option<&str>| -> Result<Option<String>, CommandError> {
            for graph in index.package_graphs(&filter, package)? {
                let wanted = channel.unwrap_or(&graph.default_channel).to_owned();
                let found = crate::upgrade::classic::Package::new(&graph);
                let order = found.channels.iter().find(|it| it.name == wanted).and_then(|it| it.order().ok());
                if let Some(head) = order.and_then(|it| it.live.first().map(|it| it.fields.name.clone())) {
                    return Ok(Some(head));
                }
            }
            Ok(None)
        };
        refuse_path(index, name)?;
        match NameArgument::parse(name) {
            NameArgument::Plain(name) => {
                if let Some(bundle) = head(&name, None)? {
                    return Ok(Self { package: name, bundle });
                }
                match index.packages_of_bundle(&name)?.into_iter().next() {
                    Some(package) => Ok(Self { package, bundle: name }),
                    None => Err(unknown_package(index, &name)?),
                }
            }
            NameArgument::Channel(package, channel) => match head(&package, Some(&channel))? {
                Some(bundle) => Ok(Self { package, bundle }),
                None if index.package_graphs(&filter, &package)?.is_empty() => Err(unknown_package(index, &package)?),
                None => Err(unknown_channel(index, &package, &channel)?),
            },
            NameArgument::Version(package, version) => {
                let selector = |name: Option<String>, version: Option<String>| BundleSelector {
                    catalogs: catalogs.to_vec(),
                    package: Some(package.clone()),
                    name,
                    version,
                };
                let mut found = index.show_bundle(&selector(None, Some(version.clone())))?;
                if found.is_empty() {
                    found = index.show_bundle(&selector(Some(version.clone()), None))?;
                }
                match found.into_iter().next() {
                    Some(it) => Ok(Self { bundle: it.row.bundle, package }),
                    None if index.package_graphs(&filter, &package)?.is_empty() => {
                        Err(unknown_package(index, &package)?)
                    }
                    None => Err(unknown_version(index, catalogs, &package, &version)?),
                }
            }
        }
    }
}

/// The bundles that a name means: one, as [`Target::find`] has it, or those of a range of versions, `PKG@RANGE` or
/// `PKG/CHANNEL@RANGE`, highest version first.
pub(crate) fn targets(index: &Index, catalogs: &[String], name: &str) -> Result<Vec<Target>, CommandError> {
    let Some((of, text)) = name.rsplit_once('@').filter(|it| !it.0.is_empty()) else {
        return Ok(vec![Target::find(index, catalogs, name)?]);
    };
    // What can be a version or a bundle is one; a channel may have an `@` in its name.
    let is_range = looks_like_range(text);
    if !is_range && !of.contains('/') {
        return Ok(vec![Target::find(index, catalogs, name)?]);
    }
    let range = match blang::Range::parse(text) {
        Ok(range) => range,
        Err(_) if !is_range => return Ok(vec![Target::find(index, catalogs, name)?]),
        Err(error) => {
            let error = CommandError::usage(format!("`{text}` is not a range of versions: {}", error.plain()));
            return Err(error.help("a range looks like `>=2.8.0 <2.11.0`, with all three numbers"));
        }
    };
    let (package, channel) = match of.split_once('/') {
        Some((package, channel)) => (package, Some(channel)),
        None => (of, None),
    };
    let filter =
        Filter { catalogs: catalogs.to_vec(), package: Some(package.to_owned()), channel: channel.map(str::to_owned) };
    let mut found = index.bundles(&filter)?;
    if found.is_empty() {
        return Err(unknown_package(index, package)?);
    }
    if let Some(channel) = channel {
        found.retain(|it| it.channels.iter().any(|name| name == channel));
        if found.is_empty() {
            return Err(unknown_channel(index, package, channel)?);
        }
    }
    found.retain(|it| Version::parse(&it.version).is_ok_and(|version| range.contains(&version).unwrap_or(false)));
    if found.is_empty() {
        let error = CommandError::new(Exit::NotFound, format!("no version of `{of}` is in the range `{text}`"));
        return Err(error.help(format!("`olmdex list bundles {of}` lists them")));
    }
    found.reverse();
    let mut targets: Vec<Target> = Vec::new();
    for row in found {
        if !targets.iter().any(|it| it.bundle == row.bundle) {
            targets.push(Target { package: row.package, bundle: row.bundle });
        }
    }
    Ok(targets)
}

/// Whether a text is meant as a range of versions, not as a version or a name.
pub(crate) fn looks_like_range(text: &str) -> bool {
    text.contains(['<', '>', '=', '|', ' ', '*', 'x', '!']) && Version::parse_tolerant(text).is_err()
}

/// The catalog that the bundle is taken from.
pub(crate) fn catalog_of(index: &Index, catalogs: &[String], target: &Target) -> Result<String, CommandError> {
    let selector = BundleSelector {
        catalogs: catalogs.to_vec(),
        package: Some(target.package.clone()),
        name: Some(target.bundle.clone()),
        version: None,
    };
    let found: Vec<String> = index.show_bundle(&selector)?.into_iter().map(|it| it.row.catalog).collect();
    let ranks = index.catalog_ranks(&Filter { catalogs: catalogs.to_vec(), ..Filter::default() })?;
    let priority = |name: &str| ranks.iter().find(|it| it.catalog == name).map_or(0, |it| it.priority);
    Ok(preferred_catalog(priority, found.iter().map(String::as_str)).unwrap_or_default().to_owned())
}
