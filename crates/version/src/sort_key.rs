//! The byte form of versions that orders as they do. The format is documented at [`Version::sort_key`].
//!
//! Why it works: a number's count of bytes comes first, so longer is larger; every identifier starts with a tag that
//! ranks numeric (`01`) below other (`02`), while the end of a list (`00`) ranks below both, which makes a prefix the
//! lower one; `03`, for no pre-release, ranks above every pre-release; and the `00` that ends an identifier is lower
//! than any byte that an identifier can have. Each part says where it ends, so no key is the beginning of another.

use super::Version;
use super::parse::is_digits;

const END: u8 = 0x00;
const NUMERIC: u8 = 0x01;
const ALPHANUMERIC: u8 = 0x02;
const NO_PRE_RELEASE: u8 = 0x03;

/// The key of a version with a release; if `release` is empty, there is none.
pub(super) fn encode(version: &Version, release: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(16);
    push_number(&mut key, version.major());
    push_number(&mut key, version.minor());
    push_number(&mut key, version.patch());
    if version.is_prerelease() {
        push_identifiers(&mut key, version.pre());
    } else {
        key.push(NO_PRE_RELEASE);
    }
    push_identifiers(&mut key, release);
    key
}

/// The beginning of the keys of a minor version.
pub(super) fn encode_minor(major: u64, minor: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(4);
    push_number(&mut key, major);
    push_number(&mut key, minor);
    key
}

fn push_number(key: &mut Vec<u8>, number: u64) {
    let significant = number.to_be_bytes().into_iter().skip_while(|&byte| byte == 0);
    let at = key.len();
    key.push(0);
    key.extend(significant);
    // At most eight bytes, so the count fits one.
    key[at] = (key.len() - at - 1) as u8;
}

fn push_identifiers(key: &mut Vec<u8>, list: &str) {
    for identifier in list.split('.').filter(|identifier| !identifier.is_empty()) {
        match identifier.parse() {
            Ok(number) if is_digits(identifier) => {
                key.push(NUMERIC);
                push_number(key, number);
            }
            _ => {
                key.push(ALPHANUMERIC);
                key.extend_from_slice(identifier.as_bytes());
                key.push(END);
            }
        }
    }
    key.push(END);
}
