//! Addresses of documents and the files that they name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use olmdex_text::encoding::percent::{IN_PATH, decoded, encoded};

/// The file that an address names, if it names one of this machine by an absolute path.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let slash = rest.find('/')?;
            let host = &rest[..slash];
            (host.is_empty() || host.eq_ignore_ascii_case("localhost")).then(|| &rest[slash..])?
        }
        None => rest,
    };
    let bytes = decoded(path, false)?;
    let is_path = bytes.starts_with(b"/") && !bytes.contains(&0);
    is_path.then(|| PathBuf::from(OsStr::from_bytes(&bytes)))
}

/// The address of a file, by its absolute path.
pub(super) fn uri_of(path: &Path) -> String {
    format!("file://{}", encoded(path.as_os_str().as_bytes(), IN_PATH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_addresses() {
        for (uri, path) in [
            ("file:///a/b.yaml", Some("/a/b.yaml")),
            ("file://localhost/a", Some("/a")),
            ("FILE:/a/%C3%A4%20b", Some("/a/ä b")),
            ("file:///c%3A/x?q#f", Some("/c:/x")),
            ("file://elsewhere/a", None),
            ("file:///a%00b", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%+1", None),
            ("file:a", None),
            ("file://", None),
            ("untitled:a", None),
            ("https://a/b", None),
            ("", None),
        ] {
            assert_eq!(path_of(uri), path.map(PathBuf::from), "{uri}");
        }
        for path in ["/a/ä b%.yaml", "/", "/x:y/[z]"] {
            assert_eq!(path_of(&uri_of(Path::new(path))), Some(PathBuf::from(path)));
        }
    }
}
