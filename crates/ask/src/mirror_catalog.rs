//! A catalog of an ImageSetConfiguration, opened, and the part of it that a mirror keeps.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use thiserror::Error;

use super::sources::{LoadedCatalog, documents_of};
use olmdex_base::diag::{Finding, Severity};
use olmdex_compose::mirror::{
    self, Blobs, Catalog, FilterError, FilterVersion, Filtered, Missing, NamelessError, Operator, Package, Range,
    Union, UnionEdge, Warning,
};
use olmdex_fbc::{Format, Input, RereadError};
use olmdex_index::{Index, IndexError};
use olmdex_olm::catalog_source::usual_image;
use olmdex_olm::upgrade::check_catalog;
use olmdex_rules::check::failure_findings;

/// A catalog of a configuration, opened.
#[derive(Debug)]
pub struct MirrorCatalog {
    /// The wanted part.
    pub operator: Operator,
    /// The name of the catalog for people.
    pub name: String,
    /// Its documents.
    pub input: Input,
    /// The catalog as filters see it.
    pub catalog: Catalog,
    /// The index that it comes from, and its name there.
    pub index: Option<(Rc<Index>, String)>,
}

/// The part of a catalog that a mirror keeps, which is valid by itself.
#[derive(Debug)]
pub struct KeptPart {
    /// The kept packages, channels and bundles.
    pub filtered: Filtered,
    /// Their blobs, as JSON.
    pub blobs: Blobs,
    /// Losses and changes, in the order in which they were found.
    pub remarks: Vec<KeptRemark>,
}

/// A remark about the part of a catalog that a mirror keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptRemark {
    /// The catalog does not have a requested name; oc-mirror ignores it.
    Missing(Missing),
    /// A document cannot be read.
    Broken(Vec<Finding>),
    /// A package is left out, because its request cannot be met.
    Refused { package: String, why: String },
    /// A package is left out, because it is not valid in the catalog itself.
    Invalid { package: String, why: String },
    /// Something was changed, or looks odd.
    Warning(String),
}

/// The reasons why nothing of a catalog can be kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeepError {
    /// A request is about something that no catalog could have.
    #[error(transparent)]
    Nameless(#[from] NamelessError),
    /// oc-mirror cannot filter a package.
    #[error("failed to filter catalog: {0}")]
    Filter(FilterError),
    /// A file of the catalog has changed.
    #[error(transparent)]
    Reread(#[from] RereadError),
}

impl KeptPart {
    /// Its blobs in a format.
    ///
    /// # Errors
    /// If a file of the catalog has changed.
    pub fn blobs_in(&self, of: &MirrorCatalog, format: Format) -> Result<Blobs, RereadError> {
        mirror::write(&of.input, &of.catalog, &self.filtered, format)
    }
}

impl MirrorCatalog {
    /// Reads the wanted part of a catalog. `input` has the documents of [`LoadedCatalog::packages`].
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn read(operator: Operator, name: String, found: &LoadedCatalog<'_>, input: Input) -> Result<Self, IndexError> {
        let mut catalog = Catalog::read(&input, mirror::wanted(&operator).as_ref());
        let Some((index, of_index)) = found.index() else {
            return Ok(Self { operator, name, input, catalog, index: None });
        };
        catalog.names.extend(index.package_names()?);
        // A catalog without a reference has the name from its index.
        let name = if operator.catalog.is_empty() { of_index.to_owned() } else { name };
        Ok(Self { operator, name, input, catalog, index: Some((Rc::clone(index), of_index.to_owned())) })
    }

    /// The same catalog with other packages.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn with(self, operator: Operator) -> Result<Self, IndexError> {
        let wanted = mirror::wanted(&operator);
        let input = match &self.index {
            Some((index, name)) => documents_of(index, name, wanted.as_ref())?,
            // All of its files are known, and are read again.
            None => self.input,
        };
        let mut catalog = Catalog::read(&input, wanted.as_ref());
        catalog.names.extend(self.catalog.names);
        Ok(Self { operator, input, catalog, ..self })
    }

    /// Takes the reference that a catalog of this name usually has, and returns it: `None` if the catalog has a
    /// reference, or the name is none of OpenShift's own.
    pub fn take_usual_reference(&mut self, name: &str) -> Option<&str> {
        let name = self.index.as_ref().map_or(name, |(_, of_index)| of_index);
        let is_unnamed = self.operator.catalog.is_empty() || self.operator.catalog == name;
        self.operator.catalog = usual_image(name).filter(|_| is_unnamed)?;
        Some(&self.operator.catalog)
    }

    /// The same with requests for bundles by name taken apart into package and version.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn with_bundles_taken_apart(self) -> Result<Self, IndexError> {
        let known = &self.catalog.packages;
        let is_open =
            |asked: &Package| !known.contains_key(&asked.name) && asked.range.is_empty() && asked.channels.is_empty();
        let packages = &self.operator.packages;
        let open: Vec<String> =
            packages.iter().filter(|asked| is_open(asked)).map(|asked| asked.name.clone()).collect();
        if open.is_empty() {
            return Ok(self);
        }
        let mut operator = self.operator.clone();
        let whole = self.with(Operator { packages: Vec::new(), ..operator.clone() })?;
        for asked in operator.packages.iter_mut().filter(|asked| open.contains(&asked.name)) {
            let packages = whole.catalog.packages.iter();
            let mut bundles = packages.flat_map(|(package, facts)| facts.bundles.iter().map(move |it| (package, it)));
            let named = bundles.find_map(|(package, bundle)| {
                let version = bundle.version().filter(|_| bundle.name == asked.name)?;
                Some((package, version.to_string()))
            });
            if let Some((package, version)) = named {
                asked.range = Range::new(&version, &version);
                asked.name.clone_from(package);
            }
        }
        whole.with(operator)
    }

    /// The images of the whole catalog, whatever is wanted of it.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn all_images(&self) -> Result<BTreeSet<String>, IndexError> {
        if let Some((index, name)) = &self.index {
            return Ok(index.image_references_of(Some(name))?.into_iter().collect());
        }
        let bundles = Catalog::read(&self.input, None).packages.into_values().flat_map(|it| it.bundles);
        Ok(bundles.flat_map(|it| it.images).collect())
    }

    /// The images of the bundles with these names, whatever is wanted of the catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn images_of(&self, bundles: &BTreeSet<String>) -> Result<BTreeMap<String, BTreeSet<String>>, IndexError> {
        let input = match &self.index {
            Some((index, name)) => Cow::Owned(documents_of(index, name, None)?),
            None => Cow::Borrowed(&self.input),
        };
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for bundle in Catalog::read(&input, None).packages.into_values().flat_map(|facts| facts.bundles) {
            if bundles.contains(&bundle.name) {
                found.entry(bundle.name).or_default().extend(bundle.images);
            }
        }
        Ok(found)
    }

    /// The requested names that the catalog does not have.
    pub fn missing(&self) -> Vec<Missing> {
        mirror::missing(&self.catalog, &self.operator, self.catalog.names.iter().map(String::as_str))
    }

    /// The blobs that oc-mirror keeps, and its warnings, which it shows to nobody.
    ///
    /// # Errors
    /// [`KeepError`], with the first error that oc-mirror stops at.
    pub fn keep_as_oc_mirror(
        &self,
        release: FilterVersion,
        format: Format,
    ) -> Result<(Blobs, Vec<Warning>), KeepError> {
        let filtered = mirror::filter(&self.catalog, &self.operator, release)?;
        if let Some(error) = filtered.first_error() {
            return Err(KeepError::Filter(error.clone()));
        }
        let blobs = mirror::write(&self.input, &self.catalog, &filtered, format)?;
        Ok((blobs, filtered.warnings))
    }

    /// Filters and repairs the catalog, and leaves out the packages that are not valid then.
    ///
    /// # Errors
    /// [`KeepError`]
    pub fn keep(&self, release: FilterVersion) -> Result<KeptPart, KeepError> {
        let mut filtered = mirror::filter(&self.catalog, &self.operator, release)?;
        let mut remarks: Vec<KeptRemark> = self.missing().into_iter().map(KeptRemark::Missing).collect();
        remarks.extend(self.broken());
        for (package, kept) in &filtered.packages {
            if let (Err(error), Some(facts)) = (kept, self.catalog.packages.get(package)) {
                let why = mirror::refused(&error.error, facts);
                remarks.push(KeptRemark::Refused { package: package.clone(), why });
            }
        }
        filtered.packages.retain(|_, kept| kept.is_ok());
        remarks.extend(filtered.warnings.iter().map(|warning| KeptRemark::Warning(warning.in_words())));
        remarks.extend(filtered.hidden_channels(&self.catalog).into_iter().map(KeptRemark::Warning));
        let mends = mirror::mend(&self.catalog, &mut filtered);
        remarks.extend(mends.iter().map(|mended| KeptRemark::Warning(mended.to_string())));
        self.keep_valid(filtered, remarks)
    }

    /// Unites states of a mirror, the oldest first, with the edges of the full catalog. Packages that are not valid
    /// then are left out.
    ///
    /// # Errors
    /// [`KeepError`]
    pub fn united(name: String, states: Vec<Self>, full: Self) -> Result<(Self, KeptPart, Vec<UnionEdge>), KeepError> {
        let (mut files, mut catalogs) = (Vec::new(), Vec::new());
        for Self { input, catalog, .. } in states.into_iter().chain([full]) {
            catalogs.push(catalog.behind(files.len()));
            files.extend(input.files);
        }
        let full = catalogs.pop().unwrap_or_default();
        let Union { mut catalog, filtered, edges, remarks } = mirror::union(&catalogs, &full);
        catalog.broken = catalogs.into_iter().chain([full]).flat_map(|catalog| catalog.broken).collect();
        let input = Input { files, ..Input::default() };
        let united = Self { operator: Operator::default(), name, input, catalog, index: None };
        let remarks = united.broken().chain(remarks.into_iter().map(KeptRemark::Warning)).collect();
        let kept = united.keep_valid(filtered, remarks)?;
        Ok((united, kept, edges))
    }

    fn broken(&self) -> impl Iterator<Item = KeptRemark> {
        let broken = self.catalog.broken.iter();
        broken.map(|(origin, failure)| KeptRemark::Broken(failure_findings(&self.input, *origin, failure)))
    }

    /// Leaves out the packages that are not valid.
    fn keep_valid(&self, mut filtered: Filtered, mut remarks: Vec<KeptRemark>) -> Result<KeptPart, KeepError> {
        let mut blobs = mirror::write(&self.input, &self.catalog, &filtered, Format::Json)?;
        let report = check_catalog(&Input::bytes(&self.name, blobs.to_vec().into()), None);
        let mut said = BTreeSet::new();
        for finding in report.findings.iter().filter(|finding| finding.rule.severity == Severity::Error) {
            let package = finding.package.clone().unwrap_or_default();
            if said.insert(package.clone()) {
                remarks.push(KeptRemark::Invalid { package, why: finding.message.clone() });
            }
        }
        if report.has_errors() {
            blobs.retain(|package| !report.broken_packages.contains(package));
            filtered.packages.retain(|package, _| !report.broken_packages.contains(package));
        }
        Ok(KeptPart { filtered, blobs, remarks })
    }
}
