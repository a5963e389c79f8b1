//! Routes: the page that an address names, and the one address of each page.
//!
//! A path is compared with a list of forms; none leads to a file. The part after the names of a page is its question,
//! in a query whose parameters are sorted and leave out defaults.

use super::query::{Query, decoded};
use super::reply::PageError;
use olmdex_base::olm::Olm;
use olmdex_index::query::Status;
use olmdex_text::encoding::percent;

/// A page, or a file that pages consist of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// The catalogs.
    Home,
    /// Packages that are searched for.
    Packages(List),
    /// A package.
    Package(String),
    /// All versions and channels of a package.
    Versions(PackagePage),
    /// The manifests that install a package.
    Install(Install),
    /// A version of a package.
    Version(PackageVersion, Part),
    /// The graph of a channel.
    Channel(Stream),
    /// The way from a version, and to one.
    Path(PathQuery),
    /// Why a version is not taken; this has no page of its own.
    WhyNot(PathQuery),
    /// Whether versions support a version of OpenShift.
    Compat(Fit),
    /// The rights that an operator's installation grants.
    Permissions(Rights),
    /// When versions came and went.
    History(PackagePage),
    /// The differences between two catalogs.
    Diff(Comparison),
    /// The plan of a cluster.
    Plan(Journey),
    /// The providers and the dependants of a kind of objects.
    Api {
        /// The group; empty for the core one.
        group: String,
        /// The kind.
        kind: String,
    },
    /// The APIs that packages provide.
    Apis(ApiList),
    /// The users of images with a text in their reference.
    Images(ImageSearch),
    /// The findings of the checks in a catalog.
    Lint {
        /// The catalog; `None` for the first.
        catalog: Option<String>,
        /// The package; `None` for all.
        package: Option<String>,
    },
    /// The picture of a package, by its digest and kind.
    Icon(String),
    /// The wanted contents of a mirror.
    Mirror(MirrorList),
    /// The list of all addresses, for people and for programs.
    Endpoints,
    /// Data for programs that is not about one answer.
    Machine(Machine),
    /// The style sheet.
    Style,
    /// The script.
    Script,
}

/// Data for readers of feeds, search engines and other pages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Machine {
    /// The addresses that search engines may read.
    Robots,
    /// The pages that search engines should know.
    Sitemap,
    /// The picture of the site in tabs and bookmarks.
    Favicon,
    /// The news of a package.
    PackageFeed(String),
    /// The news of a catalog.
    CatalogFeed(String),
    /// A picture with the version of a package, for other pages.
    Badge(String),
    /// The names of packages with their distinguishing values, as a script: pages in files search in it.
    Names,
    /// The versions of a package with the addresses of their pages, as a script: pages in files choose from it.
    Versions(String),
}

/// A choice of packages.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct List {
    /// Words.
    pub words: String,
    /// Catalogs; the package is in one of them.
    pub catalogs: Vec<String>,
    /// Providers; the package has one of them.
    pub providers: Vec<String>,
    /// Categories that it has.
    pub categories: Vec<String>,
    /// Capability levels; the package has one of them.
    pub capabilities: Vec<String>,
    /// Features that are `true`.
    pub features: Vec<String>,
    /// Architectures that it supports.
    pub archs: Vec<String>,
    /// Install modes that it supports.
    pub modes: Vec<String>,
    /// The status, a word of [`Status`].
    pub status: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Which page of the list, from 0.
    pub page: usize,
}

/// A search for images.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageSearch {
    /// A part of their references; empty if nothing is asked yet.
    pub text: String,
    /// The number of the page in the list of users, from 0.
    pub page: usize,
    /// Whether only the references are wanted, as text.
    pub is_text: bool,
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

/// A version of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageVersion {
    /// The package.
    pub package: String,
    /// The version; the name of a bundle without one.
    pub version: String,
    /// The catalog; `None` for the preferred one that has it.
    pub catalog: Option<String>,
}

/// The options of an installation.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Install {
    /// The package.
    pub package: String,
    /// The catalog; `None` for the preferred one.
    pub catalog: Option<String>,
    /// The channel; `None` for the default one.
    pub channel: Option<String>,
    /// Whether a person approves each upgrade of OLM Classic.
    pub is_manual: bool,
}

/// The wanted part of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Whole,
    /// Its requirements, as data.
    Deps,
    /// Its images, as data.
    Images,
}

/// A channel of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The catalog; `None` for the preferred one that has it.
    pub catalog: Option<String>,
}

/// A way through the versions of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathQuery {
    /// The package.
    pub package: String,
    /// The installed bundle.
    pub from: Option<String>,
    /// The wanted bundle.
    pub to: Option<String>,
    /// The channel of the Subscription or ClusterExtension.
    pub channel: Option<String>,
    /// The generation of OLM; `None` for both.
    pub olm: Option<Olm>,
    /// The catalog; `None` for the preferred one.
    pub catalog: Option<String>,
}

/// A package and a version of OpenShift.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fit {
    /// The package.
    pub package: String,
    /// The version that the cluster has, as in `4.16`.
    pub openshift: Option<String>,
    /// The chosen version of the visitor, for the links to other pages.
    pub version: Option<String>,
    /// The catalog of that version.
    pub catalog: Option<String>,
}

/// Kinds of objects that are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiList {
    /// The first letter of the kinds; `None` for the first existing one.
    pub letter: Option<String>,
    /// A part of the kind or the group, instead of a letter; empty without a search.
    pub text: String,
}

/// A page about a package as a whole, which keeps the visitor's version for the links to other pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackagePage {
    /// The package.
    pub package: String,
    /// The version; `None` for the default head.
    pub version: Option<String>,
    /// The catalog of that version.
    pub catalog: Option<String>,
}

impl PackagePage {
    /// The page without a version.
    #[must_use]
    pub fn of(package: &str) -> Self {
        Self { package: package.to_owned(), ..Self::default() }
    }
}

/// A version of a package, and one that its permissions are compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rights {
    /// The package.
    pub package: String,
    /// The version; the default head, if none is named.
    pub version: Option<String>,
    /// The other version of the comparison.
    pub against: Option<String>,
    /// The catalog.
    pub catalog: Option<String>,
}

/// Two catalogs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comparison {
    /// The old one.
    pub old: Option<String>,
    /// The new one.
    pub new: Option<String>,
    /// Only this package.
    pub package: Option<String>,
    /// Only changes of this kind, such as `channel removed`, or `breaking`.
    pub kind: Option<String>,
}

/// The wanted contents of a mirror, from one catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MirrorList {
    /// The catalog; `None` for the preferred one.
    pub catalog: Option<String>,
    /// Packages, as `PKG[/CHANNEL][@RANGE]`.
    pub packages: Vec<String>,
    /// Whether all versions are wanted if no range is given, instead of the heads of channels.
    pub is_full: bool,
    /// Whether only the references of images are wanted, as text.
    pub is_text: bool,
    /// Whether a lock file is wanted.
    pub is_lock: bool,
}

/// The upgrade of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Journey {
    /// The version of OpenShift to go to.
    pub to: Option<String>,
    /// The namespaces to cover; all if there are none.
    pub scope: Vec<String>,
    /// The day on which support is judged.
    pub date: Option<String>,
    /// The kind of channels of its updates, or a channel; by default those of the cluster's kind.
    pub channel: Option<String>,
    /// The architecture; by default that of the cluster.
    pub arch: Option<String>,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A page, or an unchanged file.
    Page,
    /// The answer as data.
    Json,
}

/// The name for the core group, whose own name is empty.
const CORE: &str = "-";

/// Bytes of an address.
pub(super) const MAX_TARGET: usize = 8 << 10;

impl Route {
    /// Reads an address: a path and a query.
    ///
    /// # Errors
    /// [`PageError`] if it is too long, names nothing, or has a question that is not valid.
    pub fn parse(target: &str) -> Result<(Self, Form), PageError> {
        if target.len() > MAX_TARGET {
            return Err(PageError::TooLong);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, form) = match path.strip_suffix(".json") {
            Some(path) => (path, Form::Json),
            None => (path, Form::Page),
        };
        let segments: Option<Vec<String>> = path.split('/').skip(1).map(|it| decoded(it, false)).collect();
        let segments = segments.ok_or(PageError::NoPage)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let mut query = Query::read(query)?;
        let route = match (segments.as_slice(), form) {
            ([""], Form::Page) | (["index"], Form::Json) => Self::Home,
            (["packages"], _) => Self::Packages(List::read(&mut query)?),
            (["p", package], _) => Self::Package(own(package)),
            (["p", package, "install"], Form::Page) => Self::Install(Install::read(package, &mut query)?),
            (["p", package, "versions"], Form::Page) => Self::Versions(PackagePage::read(package, &mut query)),
            // The form that chooses a version leads here; the version has a page of its own.
            (["p", package, "v"], Form::Page) => Self::chosen(package, &mut query)?,
            (["p", package, "v", version], _) => Self::Version(release(package, version, &mut query), Part::Whole),
            (["p", package, "v", version, "deps"], Form::Json) => {
                Self::Version(release(package, version, &mut query), Part::Deps)
            }
            (["p", package, "v", version, "images"], Form::Json) => {
                Self::Version(release(package, version, &mut query), Part::Images)
            }
            (["p", package, "c", channel], _) => {
                Self::Channel(Stream { package: own(package), channel: own(channel), catalog: query.take("catalog") })
            }
            (["p", package, "path"], _) => Self::Path(PathQuery::read(package, &mut query)?),
            (["p", package, "why-not"], Form::Json) => Self::WhyNot(PathQuery::read(package, &mut query)?),
            (["p", package, "compat"], _) => {
                let openshift = query.take("openshift");
                let PackagePage { package, version, catalog } = PackagePage::read(package, &mut query);
                Self::Compat(Fit { package, openshift, version, catalog })
            }
            (["p", package, "permissions"], _) => Self::Permissions(Rights {
                package: own(package),
                version: query.take("version"),
                against: query.take("against"),
                catalog: query.take("catalog"),
            }),
            (["p", package, "history"], _) => Self::History(PackagePage::read(package, &mut query)),
            (["diff"], _) => Self::Diff(Comparison {
                old: query.take("a"),
                new: query.take("b"),
                package: query.take("package"),
                kind: query.take("kind"),
            }),
            (["plan"], _) => Self::Plan(Journey::read(&mut query)),
            (["api", group, kind], _) => {
                Self::Api { group: own(if *group == CORE { "" } else { group }), kind: own(kind) }
            }
            (["apis"], Form::Page) => Self::Apis(ApiList { letter: query.take("letter"), text: query.text() }),
            (["images"], _) => Self::Images(ImageSearch { text: query.text(), page: query.page()?, is_text: false }),
            (["images.txt"], Form::Page) => Self::Images(ImageSearch { text: query.text(), page: 0, is_text: true }),
            (["mirror"], _) => Self::Mirror(MirrorList::read(&mut query)?),
            (["mirror", "images.txt"], Form::Page) => {
                Self::Mirror(MirrorList { is_text: true, ..MirrorList::read(&mut query)? })
            }
            (["mirror", "operators.lock"], Form::Page) => {
                Self::Mirror(MirrorList { is_lock: true, ..MirrorList::read(&mut query)? })
            }
            (["lint"], _) => Self::Lint { catalog: query.take("catalog"), package: query.take("package") },
            (["icon", name], Form::Page) => Self::Icon(own(name)),
            (["api"], _) => Self::Endpoints,
            ([name], Form::Page) if is_asset(name, "style", "css") => Self::Style,
            ([name], Form::Page) if is_asset(name, "olmdex", "js") => Self::Script,
            (all, Form::Page) => Self::Machine(Machine::parse(all).ok_or(PageError::NoPage)?),
            _ => return Err(PageError::NoPage),
        };
        Ok((route, form))
    }

    /// Its one address.
    #[must_use]
    pub fn address(&self, form: Form) -> String {
        let mut path = match self {
            Self::Home if form == Form::Json => "/index".to_owned(),
            Self::Home => "/".to_owned(),
            Self::Style => format!("/style.{}.css", super::assets::STYLE_DIGEST.as_str()),
            Self::Script => format!("/olmdex.{}.js", super::assets::SCRIPT_DIGEST.as_str()),
            Self::Machine(Machine::CatalogFeed(catalog)) => format!("/feeds/{}.atom", encoded(catalog)),
            _ => self.segments().iter().fold(String::new(), |path, it| format!("{path}/{}", encoded(it))),
        };
        match form {
            Form::Json => path.push_str(".json"),
            // Without the escape, the address would ask for data.
            Form::Page if path.ends_with(".json") => path.replace_range(path.len() - 5..path.len() - 4, "%2E"),
            Form::Page => {}
        }
        let query: Vec<String> =
            self.query().into_iter().map(|(name, value)| format!("{name}={}", encoded(&value))).collect();
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }

    /// The parts of its path.
    #[must_use]
    pub fn segments(&self) -> Vec<&str> {
        match self {
            Self::Home => Vec::new(),
            Self::Packages(_) => vec!["packages"],
            Self::Package(package) => vec!["p", package],
            Self::Versions(PackagePage { package, .. }) => vec!["p", package, "versions"],
            Self::Install(install) => vec!["p", &install.package, "install"],
            Self::Version(PackageVersion { package, version, .. }, Part::Whole) => vec!["p", package, "v", version],
            Self::Version(PackageVersion { package, version, .. }, Part::Deps) => {
                vec!["p", package, "v", version, "deps"]
            }
            Self::Version(PackageVersion { package, version, .. }, Part::Images) => {
                vec!["p", package, "v", version, "images"]
            }
            Self::Channel(Stream { package, channel, .. }) => vec!["p", package, "c", channel],
            Self::Path(PathQuery { package, .. }) => vec!["p", package, "path"],
            Self::WhyNot(PathQuery { package, .. }) => vec!["p", package, "why-not"],
            Self::Compat(Fit { package, .. }) => vec!["p", package, "compat"],
            Self::Permissions(Rights { package, .. }) => vec!["p", package, "permissions"],
            Self::History(PackagePage { package, .. }) => vec!["p", package, "history"],
            Self::Diff(_) => vec!["diff"],
            Self::Plan(_) => vec!["plan"],
            Self::Api { group, kind } => vec!["api", if group.is_empty() { CORE } else { group }, kind],
            Self::Apis(_) => vec!["apis"],
            Self::Images(ImageSearch { is_text: false, .. }) => vec!["images"],
            Self::Images(ImageSearch { is_text: true, .. }) => vec!["images.txt"],
            Self::Mirror(MirrorList { is_text: true, .. }) => vec!["mirror", "images.txt"],
            Self::Mirror(MirrorList { is_lock: true, .. }) => vec!["mirror", "operators.lock"],
            Self::Mirror(_) => vec!["mirror"],
            Self::Lint { .. } => vec!["lint"],
            Self::Icon(name) => vec!["icon", name],
            Self::Endpoints => vec!["api"],
            Self::Machine(Machine::Robots) => vec!["robots.txt"],
            Self::Machine(Machine::Sitemap) => vec!["sitemap.xml"],
            Self::Machine(Machine::Favicon) => vec!["favicon.svg"],
            Self::Machine(Machine::PackageFeed(package)) => vec!["p", package, "feed.atom"],
            Self::Machine(Machine::CatalogFeed(catalog)) => vec!["feeds", catalog],
            Self::Machine(Machine::Names) => vec!["packages.js"],
            Self::Machine(Machine::Versions(package)) => vec!["p", package, "versions.js"],
            Self::Machine(Machine::Badge(package)) => vec!["p", package, "badge.svg"],
            Self::Style => vec!["style.css"],
            Self::Script => vec!["olmdex.js"],
        }
    }

    /// The parameters of its question, by name.
    #[must_use]
    pub fn query(&self) -> Vec<(&'static str, String)> {
        let mut all: Vec<(&'static str, Option<String>)> = match self {
            Self::Mirror(list) => list.parameters(),
            Self::Packages(list) => list.parameters(),
            Self::Version(PackageVersion { catalog, .. }, _) | Self::Channel(Stream { catalog, .. }) => {
                vec![("catalog", catalog.clone())]
            }
            Self::Lint { catalog, package } => vec![("catalog", catalog.clone()), ("package", package.clone())],
            Self::Path(way) | Self::WhyNot(way) => vec![
                ("catalog", way.catalog.clone()),
                ("channel", way.channel.clone()),
                ("from", way.from.clone()),
                ("olm", way.olm.map(|it| it.as_str().to_owned())),
                ("to", way.to.clone()),
            ],
            Self::Install(install) => vec![
                ("approval", install.is_manual.then(|| "manual".to_owned())),
                ("catalog", install.catalog.clone()),
                ("channel", install.channel.clone()),
            ],
            Self::Compat(fit) => vec![
                ("catalog", fit.catalog.clone()),
                ("openshift", fit.openshift.clone()),
                ("version", fit.version.clone()),
            ],
            Self::Apis(list) => {
                vec![("letter", list.letter.clone()), ("q", Some(list.text.clone()).filter(|it| !it.is_empty()))]
            }
            Self::Versions(kept) | Self::History(kept) => {
                vec![("catalog", kept.catalog.clone()), ("version", kept.version.clone())]
            }
            Self::Permissions(rights) => vec![
                ("against", rights.against.clone()),
                ("catalog", rights.catalog.clone()),
                ("version", rights.version.clone()),
            ],
            Self::Diff(Comparison { old, new, package, kind }) => {
                vec![("a", old.clone()), ("b", new.clone()), ("kind", kind.clone()), ("package", package.clone())]
            }
            Self::Plan(Journey { to, scope, date, channel, arch }) => vec![
                ("arch", arch.clone()),
                ("channel", channel.clone()),
                ("date", date.clone()),
                ("scope", Some(scope.join(",")).filter(|it| !it.is_empty())),
                ("to", to.clone()),
            ],
            Self::Images(ImageSearch { text, page, .. }) => {
                vec![("page", page_parameter(*page)), ("q", Some(text.clone()).filter(|it| !it.is_empty()))]
            }
            _ => Vec::new(),
        };
        all.sort_by_key(|it| it.0);
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Whether every name in it can be part of a path.
    #[must_use]
    pub(crate) fn can_be_named(&self) -> bool {
        self.segments().iter().all(|it| !matches!(*it, "" | "." | ".."))
            && self.address(Form::Page).len() <= MAX_TARGET - 5
    }
}

impl Machine {
    /// The data for programs at a path, if there is any.
    fn parse(segments: &[&str]) -> Option<Self> {
        Some(match segments {
            ["robots.txt"] => Self::Robots,
            ["sitemap.xml"] => Self::Sitemap,
            ["favicon.svg" | "favicon.ico"] => Self::Favicon,
            ["packages.js"] => Self::Names,
            ["feeds", catalog] => Self::CatalogFeed(own(catalog.strip_suffix(".atom")?)),
            ["p", package, "feed.atom"] => Self::PackageFeed(own(package)),
            ["p", package, "versions.js"] => Self::Versions(own(package)),
            ["p", package, "badge.svg"] => Self::Badge(own(package)),
            _ => return None,
        })
    }
}

impl List {
    fn read(query: &mut Query) -> Result<Self, PageError> {
        let sort = match query.take("sort").as_deref() {
            None => Sort::Best,
            Some("name") => Sort::Name,
            Some("provider") => Sort::Provider,
            Some("newest") => Sort::Newest,
            Some(_) => return Err(PageError::parameter("sort", "write `name`, `provider` or `newest`")),
        };
        let page = query.page()?;
        let status = query.take("status");
        if status.as_deref().is_some_and(|it| Status::from_word(it).is_none()) {
            return Err(PageError::parameter("status", "write `current`, `deprecated` or `invalid`"));
        }
        let words = query.take("q").unwrap_or_default();
        Ok(Self {
            words: words.split_whitespace().collect::<Vec<_>>().join(" "),
            catalogs: query.take_all("catalog"),
            providers: query.take_all("provider"),
            categories: query.take_all("category"),
            capabilities: query.take_all("capability"),
            features: query.take_all("feature"),
            archs: query.take_all("arch"),
            modes: query.take_all("mode"),
            status,
            sort,
            page,
        })
    }

    fn parameters(&self) -> Vec<(&'static str, Option<String>)> {
        let sort = match self.sort {
            Sort::Best => None,
            Sort::Name => Some("name".to_owned()),
            Sort::Provider => Some("provider".to_owned()),
            Sort::Newest => Some("newest".to_owned()),
        };
        let several = [
            ("arch", &self.archs),
            ("capability", &self.capabilities),
            ("catalog", &self.catalogs),
            ("category", &self.categories),
            ("feature", &self.features),
            ("mode", &self.modes),
            ("provider", &self.providers),
        ];
        let several = several.into_iter().flat_map(|(name, all)| all.iter().map(move |it| (name, Some(it.clone()))));
        let single = [
            ("page", page_parameter(self.page)),
            ("q", Some(self.words.clone()).filter(|it| !it.is_empty())),
            ("sort", sort),
            ("status", self.status.clone()),
        ];
        several.chain(single).collect()
    }
}

impl Journey {
    fn read(query: &mut Query) -> Self {
        let scope = query.take("scope").unwrap_or_default();
        let scope = scope.split(|c: char| c == ',' || c.is_whitespace()).filter(|it| !it.is_empty()).map(own).collect();
        Self {
            to: query.take("to"),
            scope,
            date: query.take("date"),
            channel: query.take("channel"),
            arch: query.take("arch"),
        }
    }
}

/// Whether a name is that of a file that pages use: without a digest, or with one, perhaps from an older program.
fn is_asset(name: &str, stem: &str, extension: &str) -> bool {
    let rest = name.strip_prefix(stem).and_then(|it| it.strip_suffix(extension));
    rest.is_some_and(|it| {
        it == "." || it.strip_prefix('.').and_then(|it| it.strip_suffix('.')).is_some_and(super::assets::is_digest)
    })
}

impl Install {
    fn read(package: &str, query: &mut Query) -> Result<Self, PageError> {
        let is_manual = match query.take("approval").as_deref() {
            None | Some("automatic") => false,
            Some("manual") => true,
            Some(_) => return Err(PageError::parameter("approval", "write `automatic` or `manual`")),
        };
        Ok(Self { package: own(package), catalog: query.take("catalog"), channel: query.take("channel"), is_manual })
    }
}

impl PathQuery {
    fn read(package: &str, query: &mut Query) -> Result<Self, PageError> {
        let olm = match query.take("olm").as_deref() {
            None | Some("both") => None,
            Some("classic") => Some(Olm::Classic),
            Some("v1") => Some(Olm::V1),
            Some(_) => return Err(PageError::parameter("olm", "write `classic`, `v1` or `both`")),
        };
        Ok(Self {
            package: own(package),
            from: query.take("from"),
            to: query.take("to"),
            channel: query.take("channel"),
            olm,
            catalog: query.take("catalog"),
        })
    }
}

fn release(package: &str, version: &str, query: &mut Query) -> PackageVersion {
    PackageVersion { package: own(package), version: own(version), catalog: query.take("catalog") }
}

fn own(text: &str) -> String {
    text.to_owned()
}

/// The parameter that asks for a page of a list; the first needs none.
fn page_parameter(page: usize) -> Option<String> {
    (page > 0).then(|| (page + 1).to_string())
}

/// A text in percent encoding, so that no character has a meaning in an address.
pub(super) fn encoded(text: &str) -> String {
    percent::encoded(text, percent::RESERVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_leads_back_to_its_page() {
        for target in [
            "/",
            "/packages",
            "/packages?category=Database&page=2&q=a%26b&sort=name",
            "/packages?arch=amd64&arch=arm64&provider=Red%20Hat%2C%20Inc",
            "/p/keda",
            "/p/a%2Fb%3F%23",
            "/p/keda/v/1.0.0-x%2Ejson",
            "/p/keda/v/1.0.0?catalog=a",
            "/p/keda/c/%22%3E%3Cscript%3E",
            "/p/keda/path?from=1.0.0&olm=v1&to=2.0.0",
            "/p/keda/compat?openshift=4.16",
            "/p/keda/permissions?against=1.0.0&catalog=a&version=1.1.0",
            "/p/keda/history",
            "/p/keda/history?catalog=a&version=1.0.0",
            "/p/keda/compat?catalog=a&openshift=4.16&version=1.0.0",
            "/diff?a=x&b=y",
            "/plan",
            "/plan?arch=arm64&channel=fast&date=2026-01-31&scope=a%2Cb&to=4.18",
            "/api/-/Secret",
            "/images?q=quay.io%2F",
            "/images?page=2&q=quay.io%2F",
            "/lint",
            "/lint?catalog=a&package=keda",
            "/mirror?catalog=a&full=yes&p=keda%2Fstable%40%3E%3D1.0.0%20%3C%3D2.0.0%2Cquay",
        ] {
            let (route, form) = Route::parse(target).unwrap();
            assert_eq!((route.address(form), form), (target.to_owned(), Form::Page));
            let json = route.address(Form::Json);
            assert_eq!(Route::parse(&json).unwrap(), (route, Form::Json), "{json}");
        }
        for (typed, canonical) in [
            ("/packages?q=&sort=&x=y", "/packages"),
            ("/packages?page=1&q=++a++b", "/packages?q=a%20b"),
            ("/packages?arch=b&arch=a&arch=&arch=b", "/packages?arch=a&arch=b"),
            ("/p/%6Beda", "/p/keda"),
            ("/plan?to=&scope=+b,,a+&x=y", "/plan?scope=b%2Ca"),
            ("/p/keda/path?to=2&from=1&olm=both", "/p/keda/path?from=1&to=2"),
            ("/apis?q=kafka&letter=K&x=y", "/apis?letter=K&q=kafka"),
            ("/p/keda/versions?version=1.0.0", "/p/keda/versions?version=1.0.0"),
            ("/p/keda/v?version=1.0.0&catalog=a", "/p/keda/v/1.0.0?catalog=a"),
            ("/p/keda/v?version=1.0.0&tab=path", "/p/keda/path?from=1.0.0"),
            ("/p/keda/v?version=1.0.0&tab=history", "/p/keda/history?version=1.0.0"),
            ("/mirror?p=a,b&package=c&channel=d&min=1&max=2", "/mirror?p=a%2Cb%2Cc%2Fd%40%3E%3D1%20%3C%3D2"),
            ("/mirror?p=a@1,b&package=a&min=2&max=2&full=no", "/mirror?p=b%2Ca%402"),
        ] {
            let (route, form) = Route::parse(typed).unwrap();
            assert_eq!(route.address(form), canonical);
        }
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        for target in
            ["/p", "/p/a/v", "/p/a/b/c", "/p/%ff", "/p/%4", "/catalogs/x", "/style.css.json", "/p/a/v/1/deps", ""]
        {
            assert!(Route::parse(target).is_err(), "{target}");
        }
        for (target, name) in [
            ("/packages?page=0", "page"),
            ("/images?q=a&page=x", "page"),
            ("/p/a/path?olm=2", "olm"),
            ("/images?q=%ff", "q"),
        ] {
            assert!(
                matches!(Route::parse(target), Err(PageError::Parameter { name: it, .. }) if it == name),
                "{target}"
            );
        }
        assert!(matches!(Route::parse(&format!("/images?q={}", "x".repeat(9000))), Err(PageError::TooLong)));
        assert!(!Route::Package("..".to_owned()).can_be_named());
    }
}
