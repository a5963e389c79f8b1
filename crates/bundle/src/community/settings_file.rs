//! The settings of an operator that a publisher keeps beside its catalogs, to be copied into a repository of operators:
//! `ci.yaml`, and the release configuration of a version.

use std::path::Path;

use super::check::settings;
use super::checks::Checked;
use super::file::{RepositoryFile, Unread};
use super::operator::Operator;
use super::schema::{CI, RELEASE};
use olmdex_base::diag::Finding;
use olmdex_text::json::Reader;

/// The key of `ci.yaml` that other programs use, too.
const COMMON_KEY: &str = "merge";

/// The directory of a file or directory, as a path that can be opened.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a file holds the settings of an operator: by its name, since that is what the pipelines look for, and by its
/// keys, since other programs have a `ci.yaml`, too.
pub fn is_settings(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let form = match name {
        "ci.yaml" => &CI,
        "release-config.yaml" | "release-config.yml" => &RELEASE,
        _ => return false,
    };
    let Ok(file) = RepositoryFile::read(directory_of(path), name) else { return false };
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&file.json) else { return false };
    let is_known = |key: &str| form.has_key(key) && key != COMMON_KEY;
    value.members().any(|(key, _)| key.as_str().is_some_and(|key| is_known(&key)))
}

/// The findings about a file of settings. A release configuration is compared with the `ci.yaml` beside it, or above
/// it.
pub fn settings_findings(path: &Path) -> Vec<Finding> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let directory = directory_of(path);
    let mut found = Vec::new();
    if name == "ci.yaml" {
        let ci = RepositoryFile::read(directory, name);
        settings(&Operator::of_versions(String::new(), directory, ci, Vec::new()), &mut found);
    } else {
        let ci = match RepositoryFile::read(directory, "ci.yaml") {
            Err(Unread::Absent) => RepositoryFile::read(directory_of(directory), "ci.yaml"),
            read => read,
        };
        let has_settings = ci != Err(Unread::Absent);
        let operator = Operator::of_versions(String::new(), directory, ci, vec![String::new()]);
        let mut checked = Checked { operator: &operator, number: 0, found: Vec::new() };
        match RepositoryFile::read(directory, name) {
            Ok(file) => {
                checked.release_schema(&file);
                if has_settings {
                    checked.release_config(&file);
                }
                if name == "release-config.yml" {
                    checked.release_name(&file);
                }
            }
            Err(_) => checked.release(),
        }
        found = checked.found;
    }
    found.into_iter().map(|finding| finding.check(None)).collect()
}
