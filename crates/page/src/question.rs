//! The questions of pages: the names in the path of an address, and the parameters behind it.
//!
//! A question is a struct whose fields know how an address holds them ([`Value`]). Reading and writing addresses, and
//! the description of the addresses, come from its list of fields.

use std::collections::{BTreeMap, BTreeSet};

use super::reply::PageError;
use olmdex_base::olm::Olm;
use olmdex_index::query::Status;
use olmdex_text::encoding::percent;

/// The parameters of an address, by name.
pub(super) type Parameters = BTreeMap<String, Vec<String>>;

/// Reads the part of an address behind the question mark.
pub(super) fn parameters(text: &str) -> Result<Parameters, PageError> {
    let mut all = Parameters::new();
    for part in text.split('&').filter(|it| !it.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let name = decoded(name, true).ok_or(PageError::NoPage)?;
        let Some(value) = decoded(value, true) else {
            return Err(PageError::parameter(&name, "its value is not valid percent-encoded text"));
        };
        all.entry(name).or_default().push(value);
    }
    Ok(all)
}

/// A text without percent encoding; `None` if the encoding is not valid.
pub(super) fn decoded(text: &str, plus_is_blank: bool) -> Option<String> {
    String::from_utf8(percent::decoded(text, plus_is_blank)?).ok()
}

/// A text in percent encoding, so that no character has a meaning in an address.
pub(super) fn encoded(text: &str) -> String {
    percent::encoded(text, percent::RESERVED)
}

/// The value of a parameter; if there are several, the first counts.
pub(super) fn first(given: &[String]) -> Option<&String> {
    given.first().filter(|it| !it.trim().is_empty())
}

/// A part of a question, as addresses hold it. The default has no parameter.
pub(super) trait Value {
    /// Takes the values that an address has under a name.
    fn read(&mut self, name: &str, given: &[String]) -> Result<(), PageError>;
    /// The values that an address has under a name.
    fn written(&self, name: &str) -> Vec<String>;
}

/// The name for the core group, whose own name is empty.
const CORE: &str = "-";

/// A name in a path, or the text of a search, which needs no parameter if it is empty.
impl Value for String {
    fn read(&mut self, name: &str, given: &[String]) -> Result<(), PageError> {
        let text = given.first().map_or("", String::as_str);
        match name {
            "q" => text.trim(),
            "group" if text == CORE => "",
            _ => text,
        }
        .clone_into(self);
        Ok(())
    }

    fn written(&self, name: &str) -> Vec<String> {
        match name {
            "q" if self.is_empty() => Vec::new(),
            "group" if self.is_empty() => vec![CORE.to_owned()],
            _ => vec![self.clone()],
        }
    }
}

impl Value for Option<String> {
    fn read(&mut self, _: &str, given: &[String]) -> Result<(), PageError> {
        *self = first(given).cloned();
        Ok(())
    }

    fn written(&self, _: &str) -> Vec<String> {
        self.iter().cloned().collect()
    }
}

/// The lists whose order counts; an address writes each as one parameter. The others are sets.
const ORDERED: [&str; 2] = ["p", "scope"];

impl Value for Vec<String> {
    fn read(&mut self, name: &str, given: &[String]) -> Result<(), PageError> {
        let is_between = |c: char| c == ',' || c == '\n' || name == "scope" && c.is_whitespace();
        *self = match ORDERED.contains(&name) {
            true => given.iter().flat_map(|text| text.split(is_between)).map(|item| item.trim().to_owned()).collect(),
            false => given.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect(),
        };
        self.retain(|it| !it.trim().is_empty());
        Ok(())
    }

    fn written(&self, name: &str) -> Vec<String> {
        match ORDERED.contains(&name) {
            true if self.is_empty() => Vec::new(),
            true => vec![self.join(",")],
            false => self.clone(),
        }
    }
}

/// The number of a page of a list, from 0; readers count from 1.
impl Value for usize {
    fn read(&mut self, name: &str, given: &[String]) -> Result<(), PageError> {
        *self = match first(given).map(|it| it.parse::<Self>()) {
            None => 0,
            Some(Ok(number @ 1..=1_000_000)) => number - 1,
            Some(_) => return Err(PageError::parameter(name, "write a number from 1 up")),
        };
        Ok(())
    }

    fn written(&self, _: &str) -> Vec<String> {
        (*self > 0).then(|| (self + 1).to_string()).into_iter().collect()
    }
}

/// The values that words of an address stand for, beside the default.
macro_rules! words {
    ($type:ty, $($word:literal => $value:expr),*) => {
        impl Value for $type {
            fn read(&mut self, name: &str, given: &[String]) -> Result<(), PageError> {
                *self = match first(given).map(String::as_str) {
                    None => Self::default(),
                    $(Some($word) => $value,)*
                    Some(_) => return Err(unknown_word(name, &[$($word),*])),
                };
                Ok(())
            }

            fn written(&self, _: &str) -> Vec<String> {
                let words = [$(($word, $value)),*];
                let word = words.into_iter().find(|it| it.1 == *self && it.1 != Self::default());
                word.map(|it| it.0.to_owned()).into_iter().collect()
            }
        }
    };
}

words!(Sort, "name" => Self::Name, "provider" => Self::Provider, "newest" => Self::Newest);
words!(Option<Olm>, "classic" => Some(Olm::Classic), "v1" => Some(Olm::V1), "both" => None);
words!(Approval, "automatic" => Self::Automatic, "manual" => Self::Manual);
words!(bool, "yes" => true, "no" => false);

fn unknown_word(name: &str, words: &[&str]) -> PageError {
    let [others @ .., last] = words else { return PageError::NoPage };
    PageError::parameter(name, &format!("write `{}` or `{last}`", others.join("`, `")))
}

/// The values of a question, by the names that [`super::route`] uses in its table.
pub(super) trait Question {
    fn values(&self) -> Vec<(&'static str, &dyn Value)>;
    fn values_mut(&mut self) -> Vec<(&'static str, &mut dyn Value)>;
}

/// A question that is the only name in the path.
impl Question for String {
    fn values(&self) -> Vec<(&'static str, &dyn Value)> {
        vec![("", self)]
    }

    fn values_mut(&mut self) -> Vec<(&'static str, &mut dyn Value)> {
        vec![("", self)]
    }
}

macro_rules! questions {
    ($($(#[$about:meta])* $question:ident { $($(#[$doc:meta])* $name:literal $field:ident: $type:ty,)* })*) => { $(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $question {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Question for $question {
            fn values(&self) -> Vec<(&'static str, &dyn Value)> {
                vec![$(($name, &self.$field)),*]
            }

            fn values_mut(&mut self) -> Vec<(&'static str, &mut dyn Value)> {
                vec![$(($name, &mut self.$field)),*]
            }
        }
    )* };
}

questions! {
    /// A choice of packages.
    List {
        /// Words.
        "q" words: String,
        /// Catalogs; the package is in one of them.
        "catalog" catalogs: Vec<String>,
        /// Providers; the package has one of them.
        "provider" providers: Vec<String>,
        /// Categories that it has.
        "category" categories: Vec<String>,
        /// Capability levels; the package has one of them.
        "capability" capabilities: Vec<String>,
        /// Features that are `true`.
        "feature" features: Vec<String>,
        /// Architectures that it supports.
        "arch" archs: Vec<String>,
        /// Install modes that it supports.
        "mode" modes: Vec<String>,
        /// The status, a word of [`Status`].
        "status" status: Option<String>,
        /// The order.
        "sort" sort: Sort,
        /// Which page of the list, from 0.
        "page" page: usize,
    }

    /// A search for images.
    ImageSearch {
        /// A part of their references; empty if nothing is asked yet.
        "q" text: String,
        /// The number of the page in the list of users, from 0.
        "page" page: usize,
    }

    /// A version of a package.
    PackageVersion {
        /// The package.
        "package" package: String,
        /// The version; the name of a bundle without one.
        "version" version: String,
        /// The catalog; `None` for the preferred one that has it.
        "catalog" catalog: Option<String>,
    }

    /// A channel of a package.
    Stream {
        /// The package.
        "package" package: String,
        /// The channel.
        "channel" channel: String,
        /// The catalog; `None` for the preferred one that has it.
        "catalog" catalog: Option<String>,
    }

    /// A page about a package. Each page reads some of the fields, and those that are about the package as a whole
    /// keep the version of the visitor for the links to other pages.
    PackagePage {
        /// The package.
        "package" package: String,
        /// The version, or the installed bundle; `None` for the default head.
        "version" version: Option<String>,
        /// The catalog; `None` for the preferred one that has it.
        "catalog" catalog: Option<String>,
        /// The channel; `None` for the default one, or for any.
        "channel" channel: Option<String>,
        /// The wanted bundle.
        "to" to: Option<String>,
        /// The generation of OLM; `None` for both.
        "olm" olm: Option<Olm>,
        /// The version of OpenShift that the cluster has, as in `4.16`.
        "openshift" openshift: Option<String>,
        /// The other version of a comparison.
        "against" against: Option<String>,
        /// How upgrades of OLM Classic are approved.
        "approval" approval: Approval,
    }

    /// A kind of objects.
    ApiKind {
        /// The group; empty for the core one.
        "group" group: String,
        /// The kind.
        "kind" kind: String,
    }

    /// Kinds of objects that are listed.
    ApiList {
        /// The first letter of the kinds; `None` for the first existing one.
        "letter" letter: Option<String>,
        /// A part of the kind or the group, instead of a letter; empty without a search.
        "q" text: String,
    }

    /// The part of the catalogs whose findings are wanted.
    Checked {
        /// The catalog; `None` for the first.
        "catalog" catalog: Option<String>,
        /// The package; `None` for all.
        "package" package: Option<String>,
    }

    /// A rule, with the catalog whose findings are wanted.
    RuleChecked {
        /// The identifier of the rule.
        "rule" rule: String,
        /// The catalog; `None` for the preferred one.
        "catalog" catalog: Option<String>,
    }

    /// Operators of the cluster.
    ClusterPart {
        /// Namespaces, packages or Subscriptions; all if there are none.
        "name" name: Vec<String>,
    }

    /// Two catalogs.
    Comparison {
        /// The old one.
        "a" old: Option<String>,
        /// The new one.
        "b" new: Option<String>,
        /// Only this package.
        "package" package: Option<String>,
        /// Only changes of this kind, such as `channel removed`, or `breaking`.
        "kind" kind: Option<String>,
    }

    /// The wanted contents of a mirror.
    MirrorList {
        /// The catalog of the items that name none; `None` for the preferred one.
        "catalog" catalog: Option<String>,
        /// Packages, as `PKG[/CHANNEL][@RANGE][ in CATALOG]`.
        "p" packages: Vec<String>,
        /// Whether all versions are wanted if no range is given, instead of the heads of channels.
        "full" is_full: bool,
    }

    /// The upgrade of a cluster.
    Journey {
        /// The version of OpenShift to go to.
        "to" to: Option<String>,
        /// The namespaces to cover; all if there are none.
        "scope" scope: Vec<String>,
        /// The day on which support is judged.
        "date" date: Option<String>,
        /// The kind of channels of its updates, or a channel; by default those of the cluster's kind.
        "channel" channel: Option<String>,
        /// The architecture; by default that of the cluster.
        "arch" arch: Option<String>,
    }
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// The best first for a search by words, else by name.
    #[default]
    Best,
    /// By name.
    Name,
    /// By provider.
    Provider,
    /// By the day of the default head, the newest first.
    Newest,
}

/// The way in which an upgrade is approved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Approval {
    /// By OLM.
    #[default]
    Automatic,
    /// By a person.
    Manual,
}

impl RuleChecked {
    /// The rule, and its findings in the preferred catalog.
    pub fn of(rule: &str) -> Self {
        Self { rule: rule.to_owned(), catalog: None }
    }
}

impl PackagePage {
    /// The page without a version.
    pub fn of(package: &str) -> Self {
        Self { package: package.to_owned(), ..Self::default() }
    }
}

impl List {
    /// Makes equal searches equal, and refuses a status that nothing has.
    pub(super) fn settle(&mut self) -> Result<(), PageError> {
        self.words = self.words.split_whitespace().collect::<Vec<_>>().join(" ");
        match self.status.as_deref().is_some_and(|it| Status::from_word(it).is_none()) {
            true => Err(unknown_word("status", &Status::ALL.map(Status::word))),
            false => Ok(()),
        }
    }
}

/// Leads to the catalog of an item of a mirror list.
const IN: &str = " in ";

impl MirrorList {
    /// The most packages of a list.
    const MAX: usize = 100;

    /// A request of a list with its catalog. A list separates its items by commas, so that a catalog with one in its
    /// name cannot be named.
    pub(super) fn item(request: &str, catalog: Option<&str>) -> String {
        match catalog.filter(|catalog| !catalog.contains([',', '\n'])) {
            Some(catalog) if Self::request_and_catalog(request).1.is_none() => format!("{request}{IN}{catalog}"),
            _ => request.to_owned(),
        }
    }

    /// The parts of an item. No package, channel or range has a word between blanks.
    pub(super) fn request_and_catalog(item: &str) -> (&str, Option<&str>) {
        item.split_once(IN).map_or((item, None), |(request, catalog)| (request, Some(catalog)))
    }

    /// Adds the package of a form.
    pub(super) fn add(&mut self, given: &Parameters) -> Result<(), PageError> {
        let [added, channel, min, max] = ["package", "channel", "min", "max"]
            .map(|name| given.get(name).and_then(|it| first(it)).map_or("", |it| it.trim()).to_owned());
        if !added.is_empty() {
            let mut added = added.replace(',', " ");
            if !channel.is_empty() && !added.contains(['/', '@']) {
                added = format!("{added}/{channel}");
            }
            let bounds = [(">=", &min), ("<=", &max)].into_iter().filter(|it| !it.1.is_empty());
            let range = match min == max {
                true => min.clone(),
                false => bounds.map(|(sign, version)| format!("{sign}{version}")).collect::<Vec<_>>().join(" "),
            };
            if !range.is_empty() && !added.contains('@') {
                added = format!("{added}@{range}");
            }
            if let Some(catalog) = &self.catalog {
                added = Self::item(&added, Some(catalog));
            }
            // A package that is added again replaces its earlier request.
            let name = |item: &str| {
                let (request, catalog) = Self::request_and_catalog(item);
                (request.split('@').next().unwrap_or_default().to_owned(), catalog.map(str::to_owned))
            };
            self.packages.retain(|item| name(item) != name(&added));
            self.packages.push(added);
        }
        match self.packages.len() > Self::MAX {
            true => Err(PageError::parameter("p", "a list has at most 100 packages")),
            false => Ok(()),
        }
    }
}
