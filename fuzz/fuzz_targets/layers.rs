//! One or two layers of an image: nothing panics, every path of the tree stays below its root, and every link ends.
#![no_main]

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use libfuzzer_sys::fuzz_target;
use olmdex::archive::{Limits, TreeEntry};
use olmdex::oci::{
    Content, Descriptor, Digest, Image, ImageConfig, ImageOptions, ImageSelector, Manifest, OciError, Store,
};

/// Layers, by their digests.
struct Memory(Vec<(Digest, Vec<u8>)>);

impl Store for Memory {
    fn root(&self, _: &ImageSelector) -> Result<Descriptor, OciError> {
        Err(OciError::Missing("a manifest".to_owned()))
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        let found = self.0.iter().find(|it| it.0 == descriptor.digest);
        let (_, bytes) = found.ok_or_else(|| OciError::Missing("a layer".to_owned()))?;
        Ok(Box::new(Cursor::new(bytes.clone())))
    }
}

fn descriptor(bytes: &[u8]) -> Descriptor {
    let digest = Digest::of(bytes);
    Descriptor { media_type: String::new(), digest, size: bytes.len() as u64, annotations: BTreeMap::new(), platform: None }
}

/// An archive of named entries: kind, name, target or content.
fn archive(entries: &[(u8, Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (kind, name, content) in entries {
        let kind = b"01235x67L"[usize::from(*kind) % 9];
        let is_link = matches!(kind, b'1' | b'2');
        let mut header = [0_u8; 512];
        let put = |header: &mut [u8; 512], at: usize, len: usize, text: &[u8]| {
            let len = len.min(text.len());
            header[at..at + len].copy_from_slice(&text[..len]);
        };
        put(&mut header, 0, 100, name);
        let size = if is_link { 0 } else { content.len() };
        put(&mut header, 100, 8, b"0000644\0");
        put(&mut header, 124, 12, format!("{size:011o}\0").as_bytes());
        put(&mut header, 257, 8, b"ustar\x0000");
        header[156] = kind;
        if is_link {
            put(&mut header, 157, 100, content);
        }
        put(&mut header, 148, 8, b"        ");
        let sum: u32 = header.iter().map(|it| u32::from(*it)).sum();
        put(&mut header, 148, 8, format!("{sum:06o}\0 ").as_bytes());
        tar.extend_from_slice(&header);
        if !is_link {
            tar.extend_from_slice(content);
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
    }
    tar.extend_from_slice(&[0; 1024]);
    tar
}

type Entries = Vec<(u8, Vec<u8>, Vec<u8>)>;

fuzz_target!(|data: (bool, &[u8], Entries, Entries)| {
    let (is_raw, raw, first, second) = data;
    let layers = if is_raw { vec![raw.to_vec(), archive(&first)] } else { vec![archive(&first), archive(&second)] };
    let mut options = ImageOptions::new(std::env::temp_dir());
    options.limits = Limits { archive: 16 << 20, file: 1 << 20, ..Limits::default() };
    let image = Image {
        digest: Digest::of(raw),
        manifest: Manifest {
            artifact_type: String::new(),
            config: descriptor(b""),
            layers: layers.iter().map(|it| descriptor(it)).collect(),
        },
        config: ImageConfig::default(),
    };
    let store = Memory(layers.into_iter().map(|it| (Digest::of(&it), it)).collect());
    let Ok(tree) = Content::tree(&store, &image, &options) else { return };
    for (path, node) in tree.below(b"") {
        assert!(!path.is_empty() && !path.starts_with(b"/"), "{path:?}");
        for component in path.split(|byte| *byte == b'/') {
            assert!(!matches!(component, b"" | b"." | b".."), "{path:?}");
        }
        let found = tree.find(path);
        assert!(matches!(node, TreeEntry::Link(_)) || found.is_ok(), "{path:?}: {found:?}");
    }
});
