//! The proposals in the files of a bundle's `metadata/`.

use std::path::Path;

use super::completion::{Proposal, Sort};
use super::cursor::Cursor;
use super::fields;

/// The prefix of the annotations of a bundle.
const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// The annotations that tools read, without the prefix where it is theirs.
const ANNOTATIONS: &[(&str, &str)] = &[
    ("mediatype.v1", "The form of the bundle: `registry+v1`, `plain+v0` or `helm`."),
    ("manifests.v1", "The directory of the manifests, with a slash at the end."),
    ("metadata.v1", "The directory of the metadata, with a slash at the end."),
    ("package.v1", "The package that the bundle belongs to."),
    ("channels.v1", "The channels that the bundle is for, separated by commas."),
    ("channel.default.v1", "The default channel of the package."),
];

/// The types of dependencies.
const DEPENDENCIES: &[(&str, &str)] = &[
    ("olm.package", "A package that must also be installed, with a version range."),
    ("olm.gvk", "An API that another operator must provide."),
    ("olm.constraint", "A rule of CEL."),
];

/// The proposals at a cursor in a file of a bundle.
pub(super) fn proposals(path: Option<&Path>, cursor: &Cursor) -> Vec<Proposal> {
    let is_metadata = path.and_then(Path::parent).and_then(Path::file_name).is_some_and(|it| it == "metadata");
    if !is_metadata {
        return Vec::new();
    }
    let path: Vec<&str> = cursor.path.iter().map(String::as_str).collect();
    let keys = |all: &[(&str, &str)]| -> Vec<Proposal> {
        let new = all.iter().filter(|it| !cursor.has(it.0));
        new.map(|it| proposal(it.0, format!("{}: ", it.0), it.1, Sort::Field)).collect()
    };
    let fields_of = |schema: &str, path: &[&str], kind: &str| -> Vec<Proposal> {
        let path: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
        let new = fields::fields(schema, &path, kind).into_iter().filter(|it| !cursor.has(&it.name));
        new.map(|it| proposal(&it.name, format!("{}: ", it.name), &it.about, Sort::Field)).collect()
    };
    match (path.as_slice(), cursor.is_value) {
        ([], false) => keys(&[
            ("annotations", "The bundle's name, channels and media type, in one file of `metadata/`."),
            ("dependencies", "Packages and APIs that must also be installed."),
            ("properties", "Properties of the bundle, which constraints can require."),
        ]),
        (["annotations"], false) => {
            let named = ANNOTATIONS.iter().map(|it| (format!("{PREFIX}{}", it.0), it.1));
            let others =
                [("com.redhat.openshift.versions".to_owned(), "The OpenShift versions that the bundle is for.")];
            let new = named.chain(others).filter(|it| !cursor.has(&it.0));
            new.map(|it| proposal(&it.0, format!("{}: ", it.0), it.1, Sort::Field)).collect()
        }
        (["properties" | "dependencies", "-"], false) => fields_of("olm.bundle", &["properties", "-"], ""),
        (["properties", "-", "type"], true) => {
            let all = fields::property_types().into_iter();
            all.map(|it| proposal(&it.0, it.0.clone(), &it.1, Sort::Value)).collect()
        }
        (["dependencies", "-", "type"], true) => {
            DEPENDENCIES.iter().map(|it| proposal(it.0, it.0.to_owned(), it.1, Sort::Value)).collect()
        }
        (["properties", "-", "value"], false) => {
            fields_of("olm.bundle", &["properties", "-", "value"], cursor.member(2, "type"))
        }
        (["dependencies", "-", "value"], false) => match cursor.member(2, "type") {
            "olm.package" => keys(&[("packageName", "Name of the package."), ("version", "Range of its versions.")]),
            "olm.gvk" => keys(&[
                ("group", "Group of the API."),
                ("version", "Version of the API."),
                ("kind", "Kind of the API."),
            ]),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn proposal(label: &str, text: String, about: &str, sort: Sort) -> Proposal {
    Proposal { label: label.to_owned(), text, about: about.to_owned(), sort }
}
