//! Checks of one bundle by itself: its properties, images and version.

use super::definitions::Carried;
use super::facts::{BundleFacts, PROPERTIES_STEP, Phase};
use super::inspect::{Inspector, draft, path_text, text_of};
use super::property::Misfit;
use super::{check_image, property, rules};
use olmdex_constraint::openshift::MAX_OPENSHIFT_VERSION;
use olmdex_constraint::{Topic, advise};
use olmdex_fbc::{Bundle, Syntax, for_each_object};
use olmdex_text::json::{Step, Value};
use olmdex_version::blang::Range;
use olmdex_version::{Quoted, Release, Version, VersionRelease};

impl Inspector {
    pub(super) fn bundle(&mut self, bundle: &Bundle<'_>, value: Value<'_>) -> BundleFacts {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let mut complaints = Vec::new();
        if package.is_empty() {
            let message = format!("bundle `{name}` names no package");
            let text = format!("package name must be set for bundle {}", Quoted(name));
            self.push(draft(rules::BUNDLE_WITHOUT_PACKAGE, message).at(vec!["package".into()]).opm(
                Phase::Bundles,
                8,
                text,
            ));
        }
        if name.is_empty() {
            complaints.push((31, "name must be set".to_owned()));
            let message = format!("a bundle of package `{package}` has no name");
            self.push(draft(rules::BUNDLE_WITHOUT_NAME, message).at(vec!["name".into()]));
        }
        let mut objects = Carried::default();
        match for_each_object(bundle, |object| objects.add(object)) {
            Ok(()) => self.definitions(bundle, &objects),
            Err(defect) => self.defect(&defect, "olm.bundle", Syntax::Json),
        }
        self.properties(bundle);
        self.images(bundle);
        let version = self.bundle_version(bundle, &mut complaints);
        let release = version.as_ref().and_then(|it| it.release.as_ref());
        let release = release.map(|it| it.as_str().to_owned()).unwrap_or_default();
        if bundle.image.is_empty() && objects.count() == 0 {
            complaints.push((33, "bundle image must be set".to_owned()));
            let message = format!("bundle `{name}` has no image");
            self.push(draft(rules::BUNDLE_WITHOUT_IMAGE, message).at(vec!["image".into()]));
        }
        self.property_form(&bundle.properties);
        self.empty_fields(value, &[]);
        let required = bundle.properties.iter().enumerate().filter(|(_, it)| it.kind == "olm.package.required");
        let required_packages = required.filter_map(|(idx, it)| {
            let name = it.value?.get_field("packageName")?.as_str()?;
            (!name.is_empty()).then(|| (idx, name.into_owned()))
        });
        BundleFacts {
            package: package.to_owned(),
            name: name.to_owned(),
            version: version.map(|it| it.to_string()),
            release,
            complaints,
            required_packages: required_packages.collect(),
        }
    }

    /// Rules 10 to 12, and the warnings about dependencies.
    fn properties(&mut self, bundle: &Bundle<'_>) {
        let name = &*bundle.name;
        let mut package_properties = Vec::new();
        let mut n_csv_metadata = 0;
        let mut n_max_versions = 0;
        for (idx, property) in bundle.properties.iter().enumerate() {
            let kind = &*property.kind;
            if kind == "olm.package" {
                package_properties.push(idx);
            }
            if let Some(misfit) = property::check(kind, property.value) {
                self.misfit(name, idx, kind, misfit);
                continue;
            }
            let Some(value) = property.value else { continue };
            match kind {
                "olm.csv.metadata" => {
                    n_csv_metadata += 1;
                    if n_csv_metadata == 2 {
                        let message = format!("bundle `{name}` has several `olm.csv.metadata` properties");
                        self.push(property::draft_at(draft(rules::SEVERAL_CSV_METADATA, message), idx, Vec::new()));
                    }
                }
                "olm.gvk" | "olm.gvk.required" if !value.is_null() => self.api(name, idx, kind, value),
                "olm.package.required" if !value.is_null() => self.required_package(name, idx, value),
                MAX_OPENSHIFT_VERSION => {
                    n_max_versions += 1;
                    if n_max_versions == 2 {
                        let message = format!(
                            "bundle `{name}` has several `{MAX_OPENSHIFT_VERSION}` properties, which OLM refuses"
                        );
                        let it = draft(rules::INVALID_MAX_OPENSHIFT_VERSION, message);
                        self.push(property::draft_at(it, idx, Vec::new()).help("keep one of them"));
                    }
                }
                _ => {}
            }
            if !value.is_null() {
                self.advice(name, idx, kind, value);
            }
        }
        self.package_properties(bundle, &package_properties);
    }

    /// Rule 10.
    fn misfit(&mut self, bundle: &str, idx: usize, kind: &str, misfit: Misfit) {
        let text = format!(
            "parse properties for bundle {}: parse property[{idx}] of type {}: {}",
            Quoted(bundle),
            Quoted(kind),
            misfit.opm
        );
        let message = match misfit.path.as_slice() {
            [] => format!("property `{kind}` of bundle `{bundle}`: {}", misfit.message),
            path => format!("property `{kind}` of bundle `{bundle}`, {}: {}", path_text(path), misfit.message),
        };
        let mut it = draft(rules::INVALID_PROPERTY, message).opm(Phase::Bundles, PROPERTIES_STEP, text);
        if misfit.wants_quotes {
            it = it.help("put quotes around the value");
        }
        self.push(property::draft_at(it, idx, misfit.path));
    }

    fn api(&mut self, bundle: &str, idx: usize, kind: &str, value: Value<'_>) {
        let missing: Vec<&str> =
            ["group", "version", "kind"].into_iter().filter(|it| text_of(value, it).is_empty()).collect();
        // The core API group has no name.
        if !missing.is_empty() && missing != ["group"] {
            let message = format!("property `{kind}` of bundle `{bundle}` has no {}", missing.join(" and no "));
            self.push(property::draft_at(draft(rules::INCOMPLETE_API, message), idx, Vec::new()));
        }
    }

    /// Rules 11 and 12, given the places of the `olm.package` properties.
    fn package_properties(&mut self, bundle: &Bundle<'_>, places: &[usize]) {
        let (package, name) = (&*bundle.package, &*bundle.name);
        if places.len() != 1 {
            let n_found = places.len();
            let message = format!("bundle `{name}` has {n_found} `olm.package` properties, but needs exactly one");
            let text = format!(
                "package {} bundle {} must have exactly 1 \"olm.package\" property, found {n_found}",
                Quoted(package),
                Quoted(name)
            );
            let mut path: Vec<Step> = vec!["properties".into()];
            path.extend(places.get(1).map(|&idx| Step::Index(idx)));
            self.push(draft(rules::PACKAGE_PROPERTY_COUNT, message).at(path).opm(Phase::Bundles, 11, text));
        }
        for &idx in places {
            let property = &bundle.properties[idx];
            let Some(value) = property.value else { continue };
            let found = text_of(value, "packageName");
            // An absent name, or one that is not a text, has been reported already.
            if found != package && !package.is_empty() && property::check(&property.kind, property.value).is_none() {
                let message = format!(
                    "bundle `{name}` belongs to package `{package}`, but its `olm.package` property says `{found}`"
                );
                let text =
                    format!("package {} does not match \"olm.package\" property {}", Quoted(package), Quoted(&found));
                let it = draft(rules::PACKAGE_PROPERTY_MISMATCH, message).opm(Phase::Bundles, 12, text);
                self.push(property::draft_at(it, idx, vec!["packageName".into()]));
            }
        }
    }

    /// Reports properties that OLM refuses, or whose effect is not what it seems, although opm accepts them.
    fn advice(&mut self, bundle: &str, idx: usize, kind: &str, value: Value<'_>) {
        for advice in advise(kind, value) {
            let rule = match advice.topic {
                Topic::Rule => rules::INVALID_CEL_RULE,
                Topic::Size => rules::LARGE_CONSTRAINT,
                Topic::WithoutEffect => rules::CONSTRAINT_WITHOUT_EFFECT,
                Topic::Impossible => rules::IMPOSSIBLE_CONSTRAINT,
                Topic::MaxOpenShift => rules::INVALID_MAX_OPENSHIFT_VERSION,
                Topic::ApiName => rules::IMPLAUSIBLE_API_NAME,
                _ => rules::UNREADABLE_CONSTRAINT,
            };
            let mut it = draft(rule, format!("property `{kind}` of bundle `{bundle}`: {}", advice.message));
            it.help = advice.help;
            self.push(property::draft_at(it, idx, advice.path));
        }
    }

    fn required_package(&mut self, bundle: &str, idx: usize, value: Value<'_>) {
        if text_of(value, "packageName").is_empty() {
            let message = format!("bundle `{bundle}` requires a package without a name");
            let it = draft(rules::REQUIRED_PACKAGE_WITHOUT_NAME, message);
            self.push(property::draft_at(it, idx, vec!["packageName".into()]));
        }
        let range = text_of(value, "versionRange");
        if let Err(error) = Range::parse(&range) {
            let message = format!("bundle `{bundle}`: `{range}` is not a version range: {}", error.plain());
            let it = draft(rules::INVALID_VERSION_RANGE, message);
            self.push(property::draft_at(it, idx, vec!["versionRange".into()]));
        }
    }

    /// Rule 13.
    fn images(&mut self, bundle: &Bundle<'_>) {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let related = bundle.related_images.iter().enumerate().map(|(idx, it)| (Some(idx), &it.image));
        for (idx, image) in [(None, &bundle.image)].into_iter().chain(related).filter(|(_, image)| !image.is_empty()) {
            let Err(error) = check_image(image) else { continue };
            let (field, path) = match idx {
                None => ("image".to_owned(), vec!["image".into()]),
                Some(idx) => {
                    (format!("relatedImages[{idx}].image"), vec!["relatedImages".into(), idx.into(), "image".into()])
                }
            };
            let message = format!("bundle `{name}`: `{image}` is not a valid image reference: {error}");
            let text = format!(
                "package {} bundle {} {field}: invalid image pull spec {}: {error}",
                Quoted(package),
                Quoted(name),
                Quoted(image)
            );
            let mut it = draft(rules::INVALID_IMAGE, message).at(path).opm(Phase::Bundles, 13, text);
            if let Some((scheme, rest)) = image.split_once("://") {
                it = it.help(format!("leave out `{scheme}://`: `{rest}`"));
            } else if image.contains(char::is_whitespace) {
                let plain: String = image.split_whitespace().collect();
                if check_image(&plain).is_ok() {
                    let by_fix = if plain == image.trim() { "; `olmdex validate --fix` does this" } else { "" };
                    let help = "take out the white space, which may be a line break at the end";
                    it = it.help(format!("{help}: `{plain}`{by_fix}"));
                }
            } else if let Some(help) = digest_length(image) {
                it = it.help(help);
            }
            self.push(it);
        }
        for (idx, related) in bundle.related_images.iter().enumerate() {
            if related.image.is_empty() {
                let called = if related.name.is_empty() { String::new() } else { format!(" (`{}`)", related.name) };
                let message = format!("bundle `{name}`: `relatedImages[{idx}].image`{called} is empty");
                let path = vec!["relatedImages".into(), idx.into(), "image".into()];
                self.push(draft(rules::RELATED_IMAGE_WITHOUT_REFERENCE, message).at(path));
            }
        }
    }

    /// Checks rule 14, and adds the complaints of the second pass about versions. Returns the version that no other
    /// bundle may have.
    fn bundle_version(&mut self, bundle: &Bundle<'_>, complaints: &mut Vec<(u8, String)>) -> Option<VersionRelease> {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let (idx, value) = bundle
            .properties
            .iter()
            .enumerate()
            .filter(|(_, it)| it.kind == "olm.package")
            .find_map(|(idx, it)| it.value.map(|value| (idx, value)))
            .filter(|(idx, value)| property::check(&bundle.properties[*idx].kind, Some(*value)).is_none())?;
        let text = text_of(value, "version");
        let version = match Version::parse(&text) {
            Ok(version) => Some(version),
            Err(error) => {
                let message = format!("bundle `{name}`: `{text}` is not a semantic version: {error}");
                let opm = format!("error parsing bundle {} version {}: {error}", Quoted(name), Quoted(&text));
                let it = draft(rules::INVALID_VERSION, message).opm(Phase::Bundles, 14, opm);
                self.push(property::draft_at(it, idx, vec!["version".into()]));
                None
            }
        };
        let release_text = text_of(value, "release");
        let release = match Release::parse_optional(&release_text) {
            Ok(release) => release,
            Err(error) => {
                let message = format!("bundle `{name}`: {error}");
                let opm =
                    format!("error parsing bundle {} release version {}: {error}", Quoted(name), Quoted(&release_text));
                let it = draft(rules::INVALID_RELEASE, message).opm(Phase::Bundles, 14, opm);
                self.push(property::draft_at(it, idx, vec!["release".into()]));
                None
            }
        };
        let version = version?;
        if let Some(release) = &release {
            let normalized = format!("{package}-v{version}-{release}");
            if name != normalized {
                complaints.push((
                    31,
                    format!("name {} does not match normalized name {}", Quoted(name), Quoted(&normalized)),
                ));
                let message = format!("bundle `{name}` has a release, so its name must be `{normalized}`");
                self.push(draft(rules::RELEASE_NAME_MISMATCH, message).at(vec!["name".into()]));
            }
            if !version.build().is_empty() {
                complaints.push((35, "cannot use build metadata in version with a release version".to_owned()));
                let message = format!("bundle `{name}`: version `{version}` has build metadata and a release");
                let it = draft(rules::RELEASE_WITH_BUILD_METADATA, message);
                self.push(property::draft_at(it, idx, vec!["version".into()]));
            }
        }
        Some(VersionRelease { version, release })
    }
}

/// The help for a digest with too few or too many digits.
fn digest_length(image: &str) -> Option<String> {
    let (algorithm, digits) = image.rsplit_once('@')?.1.split_once(':')?;
    let wanted = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return None,
    };
    let n = digits.chars().count();
    let is_other = n != wanted && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_other
        .then(|| format!("the digest has {n} digits, and {algorithm} has {wanted}: copy it again from the registry"))
}
