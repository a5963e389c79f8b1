//! Names of entries, as paths that cannot climb over the root.

use super::error::ArchiveError;
use super::limits::Limits;

/// A name as a path below the root: without leading, double and trailing slashes, `.` and `..`, which stops at the root
/// as it does for a process that has it as its root. Also returns whether it would have climbed over the root.
///
/// ```
/// # use olmdex_base::archive::clean;
/// assert_eq!(clean(b"./configs//shop/../till.yaml"), (b"configs/till.yaml".to_vec(), false));
/// assert_eq!(clean(b"../../etc/passwd"), (b"etc/passwd".to_vec(), true));
/// ```
pub fn clean(name: &[u8]) -> (Vec<u8>, bool) {
    let mut path: Vec<u8> = Vec::with_capacity(name.len());
    let mut has_climbed = false;
    for component in name.split(|&byte| byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." if path.is_empty() => has_climbed = true,
            b".." => path.truncate(path.iter().rposition(|&byte| byte == b'/').unwrap_or(0)),
            _ => {
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(component);
            }
        }
    }
    (path, has_climbed)
}

/// A path below another one.
pub(super) fn join(above: &[u8], name: &[u8]) -> Vec<u8> {
    match (above, name) {
        ([], _) => name.to_vec(),
        (_, []) => above.to_vec(),
        _ => [above, b"/", name].concat(),
    }
}

/// The path above, and the last component.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

/// Whether a file system could hold a path.
pub(super) fn check(path: &[u8]) -> Result<(), ArchiveError> {
    if path.len() > Limits::PATH {
        return Err(ArchiveError::entry(&path[..64], format!("… is longer than {} bytes", Limits::PATH)));
    }
    if path.contains(&0) {
        return Err(ArchiveError::entry(path, "has a zero byte in its name"));
    }
    match path.split(|&byte| byte == b'/').find(|it| it.len() > Limits::COMPONENT) {
        Some(long) => {
            let message = format!("and so on: a name is longer than {} bytes", Limits::COMPONENT);
            Err(ArchiveError::entry(&long[..64], message))
        }
        None => Ok(()),
    }
}
