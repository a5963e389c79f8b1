//! The table of pages: for each the form of its address, its question, its forms, and its place among files.
//!
//! Everything about addresses follows from a row: which page an address names, the one address of each page, links,
//! the file in an export, and the entry in the OpenAPI description. No path leads to a file. Parameters are sorted and
//! leave out defaults.

use super::assets::{SCRIPT_DIGEST, STYLE_DIGEST, is_digest};
pub use super::question::{
    ApiKind, ApiList, Approval, Checked, ClusterPart, Comparison, ImageSearch, Journey, List, MirrorList, PackagePage,
    PackageVersion, RuleChecked, Sort, Stream,
};
use super::question::{Parameters, Question as _, Value, decoded, encoded, first, parameters};
use super::reply::PageError;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The form of the address: names in the path are in braces. The parameters follow by name; `from=version` reads
    /// the value `version`, and one with `~` only changes the links of a page, not its data.
    path: &'static str,
    /// Whether there is a page in HTML.
    pub(super) is_html: bool,
    /// The kind of its data, if it has some.
    pub(super) kind: Option<&'static str>,
    /// The name of the operation in the OpenAPI description, from which generators of clients make a function, and
    /// what it answers.
    pub(super) call: Option<(&'static str, &'static str)>,
    /// The file in the directory of the path: each part is the first of its alternatives that has a value. Without
    /// one, the file has the name of the path.
    pub(super) file: &'static str,
    /// Whether an export has the data in a file beside the page.
    pub(super) has_data_file: bool,
}

/// A page in HTML.
const fn page(path: &'static str) -> Row {
    Row { is_html: true, ..file(path) }
}

/// Anything else.
const fn file(path: &'static str) -> Row {
    Row { path, is_html: false, kind: None, call: None, file: "", has_data_file: false }
}

impl Row {
    const fn data(self, kind: &'static str) -> Self {
        Self { kind: Some(kind), ..self }
    }

    const fn call(self, id: &'static str, about: &'static str) -> Self {
        Self { call: Some((id, about)), ..self }
    }

    const fn file(self, file: &'static str) -> Self {
        Self { file, ..self }
    }

    const fn data_file(self) -> Self {
        Self { has_data_file: true, ..self }
    }

    fn has(&self, form: Form) -> bool {
        match form {
            Form::Json => self.kind.is_some(),
            Form::Page => self.is_html || self.kind.is_none(),
        }
    }

    /// The form of the path.
    pub(super) fn path(&self) -> &'static str {
        self.path.split_once('?').map_or(self.path, |it| it.0)
    }

    /// The parts of the path.
    fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.path().split('/').skip(1)
    }

    /// The parameters: the name in addresses, that of the value, and whether data depend on it.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        self.path.split_once('?').into_iter().flat_map(|it| it.1.split('&')).map(|it| {
            let name = it.trim_end_matches('~');
            let (name, value) = name.split_once('=').unwrap_or((name, name));
            (name, value, !it.ends_with('~'))
        })
    }
}

/// The name in a part of a path, and the text behind it.
pub(super) fn name_in(part: &'static str) -> Option<(&'static str, &'static str)> {
    part.strip_prefix('{')?.split_once('}')
}

macro_rules! pages {
    ($($(#[$about:meta])* $page:ident $(($question:ident: $type:ty))? = $row:expr;)*) => {
        /// A page, or a file that pages consist of.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Route {
            $($(#[$about])* $page $(($type))?,)*
        }

        impl Route {
            /// All pages, without a question.
            pub(super) fn all() -> Vec<Self> {
                vec![$(Self::$page $((<$type>::default()))?),*]
            }

            pub(super) fn row(&self) -> Row {
                match self {
                    $(Self::$page { .. } => $row,)*
                }
            }

            fn values(&self) -> Vec<(&'static str, &dyn Value)> {
                match self {
                    $(Self::$page $(($question))? => values!($($question.values())?),)*
                }
            }

            fn values_mut(&mut self) -> Vec<(&'static str, &mut dyn Value)> {
                match self {
                    $(Self::$page $(($question))? => values!($($question.values_mut())?),)*
                }
            }
        }
    };
}

macro_rules! values {
    () => {
        Vec::new()
    };
    ($values:expr) => {
        $values
    };
}

pages! {
    /// The catalogs.
    Home = page("/").data("CatalogList").call("listCatalogs", "The catalogs").file("index").data_file();
    /// Packages that are searched for.
    Packages(it: List) =
        page("/packages?arch&capability&catalog&category&feature&mode&page&provider&q&sort&status")
            .data("PackageList").call("listPackages", "Packages; SearchResult if `q` is given").data_file();
    /// The wanted contents of a mirror.
    Mirror(it: MirrorList) = page("/mirror?catalog&full&p").data("FilterExplanation")
        .call("getMirrorList", "The versions that a mirror keeps for packages, channels and ranges, with the reasons");
    /// The references of its images, as text.
    MirrorImages(it: MirrorList) = file("/mirror/images.txt?catalog&full&p");
    /// A lock file for it.
    MirrorLock(it: MirrorList) = file("/mirror/operators.lock?catalog&full&p");
    /// A package.
    Package(it: PackagePage) =
        page("/p/{package}?catalog").data("Package").call("getPackage", "A package in each catalog").file("index").data_file();
    /// A version of a package.
    Version(it: PackageVersion) = page("/p/{package}/v/{version}?catalog").data("Bundle")
        .call("getVersion", "A version").file("in-{catalog}|index");
    /// Its requirements; these have no page of their own.
    Deps(it: PackageVersion) = file("/p/{package}/v/{version}/deps?catalog").data("Dependencies")
        .call("getRequirements", "The requirements of a version");
    /// Its images; these have no page of their own.
    VersionImages(it: PackageVersion) = file("/p/{package}/v/{version}/images?catalog").data("Image")
        .call("getImages", "The images of a version");
    /// The graph of a channel.
    Channel(it: Stream) = page("/p/{package}/c/{channel}?catalog").data("Graph")
        .call("getChannel", "The upgrade graph of a channel").file("in-{catalog}|index");
    /// The way from a version, and to one.
    Path(it: PackagePage) = page("/p/{package}/path?catalog&channel&from=version&olm&to").data("UpgradePath")
        .call("getUpgradePath", "The upgrade path that OLM takes");
    /// Why a version is not taken; this has no page of its own.
    WhyNot(it: PackagePage) = file("/p/{package}/why-not?catalog&channel&from=version&olm&to").data("WhyNot")
        .call("getWhyNot", "Why OLM does not take a version");
    /// Whether versions support a version of OpenShift.
    Compat(it: PackagePage) = page("/p/{package}/compat?catalog~&openshift&version~").data("CompatList")
        .call("getCompatibility", "The versions that may stay on a version of OpenShift");
    /// The rights that an operator's installation grants.
    Permissions(it: PackagePage) = page("/p/{package}/permissions?against&catalog&version").data("Permissions")
        .call("getPermissions", "The permissions that an installation grants, and those that a version asks for in \
            addition to another version");
    /// When versions came and went.
    History(it: PackagePage) = page("/p/{package}/history?catalog~&version~").data("History")
        .call("getHistory", "When versions were added and removed").data_file();
    /// The differences between two catalogs.
    Diff(it: Comparison) = page("/diff?a&b&kind~&package").data("CatalogDiff")
        .call("compareCatalogs", "The differences between two catalogs").file("{a}/{b}/{package}/index").data_file();
    /// The providers and the dependants of a kind of objects.
    Api(it: ApiKind) = page("/api/{group}/{kind}").data("Provider")
        .call("getApi", "The operators that provide and require an API; `-` is the core group");
    /// The users of images with a text in their reference.
    Images(it: ImageSearch) = page("/images?page&q").data("BundleList")
        .call("searchImages", "The operators that use images with a given text in the reference");
    /// These references, as text.
    ImagesText(it: ImageSearch) = file("/images.txt?q");
    /// The findings of the checks in a catalog.
    Lint(it: Checked) = page("/lint?catalog&package").data("Findings")
        .call("getFindings", "The findings of the checks").file("{catalog}|index").data_file();
    /// The rules of the checks.
    Rules = page("/rules");
    /// A rule.
    Rule(it: RuleChecked) = page("/rules/{rule}?catalog").file("index");
    /// All versions and channels of a package.
    Versions(it: PackagePage) = page("/p/{package}/versions?catalog~&version~");
    /// The manifests that install a package.
    Install(it: PackagePage) = page("/p/{package}/install?approval&catalog&channel");
    /// These manifests as a file.
    InstallFile(it: PackagePage) = file("/p/{package}/install.yaml?approval&catalog&channel&olm");
    /// The APIs that packages provide.
    Apis(it: ApiList) = page("/apis?letter&q");
    /// Why operators of a cluster are stuck.
    Diagnose(it: ClusterPart) = page("/diagnose?name").data("Diagnosis");
    /// The plan of a cluster.
    Plan(it: Journey) = page("/plan?arch&channel&date&scope&to").data("ClusterPlan");
    /// The list of all addresses, for people and for programs.
    Endpoints = page("/api").data("OpenAPI");
    /// The picture of a package, by its digest and kind.
    Icon(it: String) = file("/icon/{name}");
    /// The addresses that search engines may read.
    Robots = file("/robots.txt");
    /// The pages that search engines should know.
    Sitemap = file("/sitemap.xml");
    /// The picture of the site in tabs and bookmarks.
    Favicon = file("/favicon.svg");
    /// The news of a package.
    PackageFeed(it: String) = file("/p/{package}/feed.atom");
    /// The news of a catalog.
    CatalogFeed(it: String) = file("/feeds/{catalog}.atom");
    /// A picture with the version of a package, for other pages.
    Badge(it: String) = file("/p/{package}/badge.svg");
    /// The names of packages with their distinguishing values, as a script: pages in files search in it.
    Names = file("/packages.js");
    /// The versions of a package with the addresses of their pages, as a script: pages in files choose from it.
    VersionNames(it: String) = file("/p/{package}/versions.js");
    /// The style sheet.
    Style = file("/style.css");
    /// The script.
    Script = file("/olmdex.js");
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A page, or an unchanged file.
    Page,
    /// The answer as data.
    Json,
}

/// Bytes of an address.
pub(super) const MAX_TARGET: usize = 8 << 10;

/// Addresses that lead to another one: that of a file without the digest in its name, or with one of an older program.
fn renamed(path: &str) -> &str {
    let is_asset = |stem: &str, extension: &str| {
        let digest = path.strip_prefix(stem).and_then(|it| it.strip_suffix(extension));
        digest.is_some_and(is_digest)
    };
    match path {
        "/favicon.ico" => "/favicon.svg",
        _ if is_asset("/style.", ".css") => "/style.css",
        _ if is_asset("/olmdex.", ".js") => "/olmdex.js",
        _ => path,
    }
}

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
            Some("/index") => ("/", Form::Json),
            Some("/") => return Err(PageError::NoPage),
            Some(path) => (path, Form::Json),
            None => (path, Form::Page),
        };
        let parts: Option<Vec<String>> = renamed(path).split('/').skip(1).map(|it| decoded(it, false)).collect();
        let parts = parts.ok_or(PageError::NoPage)?;
        let given = parameters(query)?;
        if let ([p, package, v], Form::Page) = (parts.as_slice(), form)
            && (p.as_str(), v.as_str()) == ("p", "v")
        {
            return Ok((Self::chosen(package, &given)?, form));
        }
        for mut route in Self::all() {
            if route.row().has(form) && route.take_path(&parts) {
                route.take(&given)?;
                return Ok((route, form));
            }
        }
        Err(PageError::NoPage)
    }

    /// Takes the names of a path; `false` if it is that of another page.
    fn take_path(&mut self, parts: &[String]) -> bool {
        let row = self.row();
        let names = row.parts().zip(parts).map(|(form, part)| match name_in(form) {
            Some((name, after)) => part.strip_suffix(after).map(|it| Some((name, it.to_owned()))),
            None => (form == part).then_some(None),
        });
        let Some(names) = names.collect::<Option<Vec<_>>>().filter(|_| row.parts().count() == parts.len()) else {
            return false;
        };
        names.into_iter().flatten().all(|(name, text)| self.set(name, name, &[text]).is_ok())
    }

    /// Takes the parameters of an address.
    fn take(&mut self, given: &Parameters) -> Result<(), PageError> {
        for (name, value, _) in self.row().parameters() {
            self.set(value, name, given.get(name).map_or(&[], Vec::as_slice))?;
        }
        match self {
            Self::Packages(list) => list.settle(),
            Self::Mirror(list) | Self::MirrorImages(list) | Self::MirrorLock(list) => list.add(given),
            _ => Ok(()),
        }
    }

    /// Whether a question that is one name has it under this name.
    fn is_only(&self, name: &str) -> bool {
        self.row().parts().filter_map(name_in).any(|it| it.0 == name)
    }

    fn set(&mut self, value: &str, name: &str, given: &[String]) -> Result<(), PageError> {
        let is_only = self.is_only(value);
        let found = self.values_mut().into_iter().find(|it| it.0 == value || it.0.is_empty() && is_only);
        found.map_or(Ok(()), |it| it.1.read(name, given))
    }

    /// The values under a name.
    fn get(&self, value: &str, name: &str) -> Vec<String> {
        let found = self.values().into_iter().find(|it| it.0 == value || it.0.is_empty() && self.is_only(value));
        found.map(|it| it.1.written(name)).unwrap_or_default()
    }

    /// The value under a name, if it has one.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.get(name, name).into_iter().next()
    }

    /// The page of a package.
    pub(super) fn package_of(package: &str) -> Self {
        Self::Package(PackagePage::of(package))
    }

    /// The same page about a catalog, if it is about a package in one.
    pub(super) fn in_catalog(&self, catalog: &str) -> Option<Self> {
        let of = |page: &PackagePage| PackagePage { catalog: Some(catalog.to_owned()), ..page.clone() };
        // Another catalog need not have the version and the channel.
        let fresh = |page: &PackagePage| of(&PackagePage::of(&page.package));
        match self {
            Self::Package(page) => Some(Self::Package(of(page))),
            Self::Versions(page) => Some(Self::Versions(of(page))),
            Self::Install(page) => Some(Self::Install(fresh(page))),
            Self::Path(page) => Some(Self::Path(fresh(page))),
            Self::Permissions(page) => Some(Self::Permissions(fresh(page))),
            Self::Compat(page) if page.openshift.is_none() => {
                Some(Self::Compat(PackagePage { version: None, ..of(page) }))
            }
            _ => None,
        }
    }

    /// The package that the page is about.
    pub(super) fn package(&self) -> Option<String> {
        self.row().path.starts_with("/p/").then(|| self.value("package")).flatten()
    }

    /// Its one address.
    pub fn address(&self, form: Form) -> String {
        let mut path = match self {
            Self::Home if form == Form::Json => "/index".to_owned(),
            Self::Style => format!("/style.{}.css", STYLE_DIGEST.as_str()),
            Self::Script => format!("/olmdex.{}.js", SCRIPT_DIGEST.as_str()),
            _ => self
                .parts()
                .iter()
                .fold(String::new(), |path, (name, after)| format!("{path}/{}{after}", encoded(name))),
        };
        match form {
            Form::Json => path.push_str(".json"),
            // Without the escape, the address would ask for data.
            Form::Page if path.ends_with(".json") => path.replace_range(path.len() - 5..path.len() - 4, "%2E"),
            Form::Page => {}
        }
        let query: Vec<String> = self
            .row()
            .parameters()
            .flat_map(|(name, value, _)| self.get(value, name).into_iter().map(move |it| (name, it)))
            .map(|(name, value)| format!("{name}={}", encoded(&value)))
            .collect();
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }

    /// The parts of its path, each with the text that follows a name in it.
    pub(super) fn parts(&self) -> Vec<(String, &'static str)> {
        let part = |form| match name_in(form) {
            Some((name, after)) => (self.value(name).unwrap_or_default(), after),
            None => (form.to_owned(), ""),
        };
        self.row().parts().map(part).collect()
    }

    /// Whether every name in it can be part of a path.
    pub(super) fn can_be_named(&self) -> bool {
        let is_name = |it: &(String, &str)| !matches!(it.0.as_str(), "" | "." | "..");
        (*self == Self::Home || self.parts().iter().all(is_name)) && self.address(Form::Page).len() <= MAX_TARGET - 5
    }

    /// The page of a version that a form names; its parameter `tab` chooses the page, as [`Self::tab`] names it.
    fn chosen(package: &str, given: &Parameters) -> Result<Self, PageError> {
        let of = |name: &str| given.get(name).and_then(|it| first(it)).cloned();
        let version = of("version").ok_or(PageError::NoPage)?;
        let version = PackageVersion { package: package.to_owned(), version, catalog: of("catalog") };
        let tab = of("tab").and_then(|tab| Self::all().into_iter().find(|it| it.tab() == Some(&tab)));
        Ok(tab.unwrap_or(Self::Home).at(&version))
    }

    /// The same page about another version; if it is not about a version, the page of the version.
    pub(super) fn at(&self, of: &PackageVersion) -> Self {
        let mut route = self.clone();
        match &mut route {
            Self::Versions(page)
            | Self::Path(page)
            | Self::Compat(page)
            | Self::Permissions(page)
            | Self::History(page) => {
                let (version, catalog) = (Some(of.version.clone()), of.catalog.clone());
                *page = PackagePage { package: of.package.clone(), version, catalog, channel: None, ..page.clone() };
                route
            }
            _ => Self::Version(of.clone()),
        }
    }

    /// The word by which a form asks for the same page about another version.
    pub(super) fn tab(&self) -> Option<&'static str> {
        let row = self.row();
        let tab = row.path().strip_prefix("/p/{package}/")?;
        (row.is_html && row.parameters().any(|it| it.1 == "version")).then_some(tab)
    }
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
            ("/mirror?p=a,b&p=&p=c", "/mirror?p=a%2Cb%2Cc"),
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
        assert!(!Route::package_of("..").can_be_named());
    }
}
