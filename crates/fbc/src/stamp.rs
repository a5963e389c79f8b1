//! Facts of the file system about a file that change when the file does.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds and nanoseconds since 1970.
type Time = (i64, i64);

/// The identity of a file, its length, and the time of its last change. Two files with one stamp have the same content,
/// except for changes that the system does not show: a second change within one tick of the file system's clock
/// ([`Stamp::is_older_than`]), a change through memory that is shared with the file, and file systems that make times
/// of change up (images of a disk, some of the network).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    len: u64,
    /// When the content was changed last; programs can set it to anything.
    modified: Time,
    /// When anything of the file was changed last; only the clock sets it.
    changed: Time,
}

impl Stamp {
    /// The stamp of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The stamp of a file's content, which stays when only its mode, its owner or a link to it changes.
    pub fn of_content(metadata: &Metadata) -> Self {
        Self { changed: (0, 0), ..Self::of(metadata) }
    }

    /// Whether the last change of the file was before a moment: then every change from that moment on changes its
    /// stamp.
    pub fn is_older_than(&self, moment: SystemTime) -> bool {
        let Ok(since) = moment.duration_since(UNIX_EPOCH) else { return false };
        let older = |(seconds, nanoseconds): Time| match (u64::try_from(seconds), u32::try_from(nanoseconds)) {
            (Ok(seconds), Ok(nanoseconds)) => Duration::new(seconds, nanoseconds) < since,
            (Err(_), _) => true,
            _ => false,
        };
        older(self.modified) && older(self.changed)
    }

    /// The stamp as numbers, to be kept.
    pub fn to_numbers(self) -> [u64; 7] {
        let bits = i64::cast_unsigned;
        let (modified, changed) = (self.modified, self.changed);
        [self.device, self.inode, self.len, bits(modified.0), bits(modified.1), bits(changed.0), bits(changed.1)]
    }

    /// A stamp that was kept.
    pub fn from_numbers(numbers: [u64; 7]) -> Self {
        let [device, inode, len, modified, modified_ns, changed, changed_ns] = numbers;
        let signed = u64::cast_signed;
        let (modified, changed) = ((signed(modified), signed(modified_ns)), (signed(changed), signed(changed_ns)));
        Self { device, inode, len, modified, changed }
    }
}
