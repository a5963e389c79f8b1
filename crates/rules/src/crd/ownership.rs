//! Whether a ClusterServiceVersion and the definitions of its bundle fit each other, and whether definitions are
//! consistent in themselves (OLM's "Dependency Resolution and Upgrades", steps 1 and 2 of adding a version).

use super::bundle_rules as rules;
use super::outline::{Outline, Owned};
use olmdex_base::diag::{Finding, closest};

/// The subject of a complaint: its index among the values that were given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An entry of the owned.
    Owned(usize),
    /// A definition.
    Definition(usize),
}

/// A mismatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The finding, without its place.
    pub finding: Finding,
    /// Its subject.
    pub subject: Subject,
    /// The field of that which is wrong, from the entry or from the definition.
    pub field: &'static [&'static str],
}

/// The complaints about definitions by themselves.
pub fn check_definitions(definitions: &[Outline]) -> Vec<Complaint> {
    let of_one = |(idx, it): (usize, &Outline)| {
        let Outline { name, version, versions, .. } = it;
        let (first, _) = versions.first().filter(|_| it.is_v1beta1 && !version.is_empty())?;
        if first == version {
            return None;
        }
        let message = format!("{name}: `version` is `{version}`, but the first of `versions` is `{first}`");
        let finding = rules::FIRST_VERSION.finding(message).help(match versions.iter().any(|(it, _)| it == version) {
            true => format!("move `{version}` to the front of `versions`, or remove `version`, which is deprecated"),
            false => format!("set `version` to `{first}`, or remove it, since it is deprecated"),
        });
        Some(Complaint { finding, subject: Subject::Definition(idx), field: &["spec", "version"] })
    };
    definitions.iter().enumerate().filter_map(of_one).collect()
}

/// The mismatches between the definitions that a ClusterServiceVersion owns and those that its bundle has.
pub fn check_owned(owned: &[Owned], definitions: &[Outline]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (idx, entry) in owned.iter().enumerate() {
        let Owned { name, version, kind } = entry;
        let mut add = |field, finding| complaints.push(Complaint { finding, subject: Subject::Owned(idx), field });
        let same: Vec<&Outline> = definitions.iter().filter(|it| it.name == *name).collect();
        let Some(first) = same.first() else {
            let is_free = |it: &&str| owned.iter().all(|entry| entry.name != **it);
            let free = definitions.iter().map(|it| it.name.as_str()).filter(is_free);
            let help = match closest(name, free) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "add the definition to the bundle, or remove the entry from `owned`".to_owned(),
            };
            let message = format!("the ClusterServiceVersion owns `{name}`, but the bundle has no such definition");
            add(&["name"], rules::OWNED_WITHOUT_DEFINITION.finding(message).help(help));
            continue;
        };
        let versions: Vec<(&str, bool)> = same.iter().flat_map(|it| versions(it)).collect();
        let is_served = |it: &&(&str, bool)| it.1;
        if !versions.iter().filter(is_served).any(|(it, _)| it == version) {
            let served: Vec<&str> = versions.iter().filter(is_served).map(|(it, _)| *it).collect();
            let does_not = if versions.iter().any(|(it, _)| it == version) { "serve" } else { "have" };
            let message = match version.as_str() {
                "" => format!("the ClusterServiceVersion owns `{name}` without a version"),
                _ => format!(
                    "the ClusterServiceVersion owns version `{version}` of `{name}`, which the definition does not {does_not}"
                ),
            };
            let help = match served.as_slice() {
                [] => "serve a version of the definition".to_owned(),
                [only] => format!("set the entry's version to `{only}`, which is served"),
                several => format!("set the entry's version to one that is served: {}", several.join(", ")),
            };
            add(&["version"], rules::OWNED_VERSION.finding(message).help(help));
        }
        if same.iter().all(|it| it.kind != *kind) {
            let real = &first.kind;
            let message = match kind.as_str() {
                "" => format!("the ClusterServiceVersion owns `{name}` without a kind"),
                _ => format!("the ClusterServiceVersion owns `{name}` as kind `{kind}`, but its kind is `{real}`"),
            };
            add(&["kind"], rules::OWNED_KIND.finding(message).help(format!("set the entry's kind to `{real}`")));
        }
    }
    for (idx, it) in definitions.iter().enumerate().filter(|(_, it)| owned.iter().all(|entry| entry.name != it.name)) {
        let message =
            format!("the bundle has the definition `{}`, which its ClusterServiceVersion does not own", it.name);
        let help = "add it to `spec.customresourcedefinitions.owned`, or remove it from the bundle";
        let finding = rules::DEFINITION_NOT_OWNED.finding(message).help(help);
        complaints.push(Complaint { finding, subject: Subject::Definition(idx), field: &["metadata", "name"] });
    }
    complaints
}

/// The versions of a definition, and whether they are served. One of v1beta1 may have `version` only.
fn versions(of: &Outline) -> impl Iterator<Item = (&str, bool)> {
    let only = Some((of.version.as_str(), true)).filter(|(it, _)| of.versions.is_empty() && !it.is_empty());
    of.versions.iter().map(|(it, is_served)| (it.as_str(), *is_served)).chain(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &str, version: &str, versions: &[(&str, bool)]) -> Outline {
        Outline {
            name: name.to_owned(),
            kind: "Thing".to_owned(),
            is_v1beta1: !version.is_empty(),
            version: version.to_owned(),
            versions: versions.iter().map(|(it, is_served)| ((*it).to_owned(), *is_served)).collect(),
        }
    }

    #[test]
    fn the_owned_and_the_definitions_are_compared() {
        let definitions =
            [definition("things.g", "", &[("v1", true), ("v1alpha1", false)]), definition("old.g", "v1beta1", &[])];
        let rest = ("old.g", "v1beta1", "Thing");
        for (entries, expected) in [
            (vec![("things.g", "v1", "Thing"), rest], ""),
            (vec![("things.g", "v1alpha1", "Thing"), rest], "W0909 Owned(0)"),
            (vec![("things.g", "v2", "Thing"), rest], "W0909 Owned(0)"),
            (vec![("things.g", "", "Thing"), rest], "W0909 Owned(0)"),
            (vec![("things.g", "v1", "thing"), rest], "W0910 Owned(0)"),
            (vec![("things.g", "v1", "Thing"), ("things.g", "v1alpha1", "Thing"), rest], "W0909 Owned(1)"),
            (vec![("thing.g", "v1", "Thing"), rest], "W0908 Owned(0), W0911 Definition(0)"),
            (vec![], "W0911 Definition(0), W0911 Definition(1)"),
        ] {
            let owned: Vec<Owned> = entries
                .iter()
                .map(|(name, version, kind)| Owned {
                    name: (*name).to_owned(),
                    version: (*version).to_owned(),
                    kind: (*kind).to_owned(),
                })
                .collect();
            let found = check_owned(&owned, &definitions);
            let found: Vec<String> =
                found.iter().map(|it| format!("{} {:?}", it.finding.rule.id, it.subject)).collect();
            assert_eq!(found.join(", "), expected, "{entries:?}");
        }
    }

    #[test]
    fn the_version_of_v1beta1_is_the_first_of_the_versions() {
        let both = [("v1alpha1", true), ("v1beta1", true)];
        for (version, versions, is_wrong) in [
            ("v1alpha1", &both[..], false),
            ("v1beta1", &both[..], true),
            ("v2", &both[..], true),
            ("v2", &[], false),
            ("", &both[..], false),
        ] {
            let it = definition("things.g", version, versions);
            assert_eq!(!check_definitions(&[it]).is_empty(), is_wrong, "{version}");
        }
    }
}
