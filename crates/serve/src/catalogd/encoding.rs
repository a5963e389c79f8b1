//! How a body is compressed.

use super::exchange::Encoding;

/// Smaller bodies stay as they are.
pub const MIN_COMPRESSED: u64 = 1024;

/// Chooses the encoding that a client prefers by its `Accept-Encoding`, among equal ones zstd, and adjusts the headers
/// of a body of `len` bytes.
pub fn compress(accepted: &str, len: u64, headers: &mut Vec<(&'static str, String)>) -> Encoding {
    if len < MIN_COMPRESSED {
        return Encoding::None;
    }
    let (mut gzip, mut zstd) = (0.0, 0.0);
    for part in accepted.split(',') {
        let (name, parameter) = part.split_once(';').unwrap_or((part, ""));
        let weight = parameter.trim().strip_prefix("q=").map_or(Some(1.0), |it| it.trim().parse::<f64>().ok());
        let weight = weight.unwrap_or(0.0).clamp(0.0, 1.0);
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" => gzip = weight,
            "zstd" => zstd = weight,
            _ => {}
        }
    }
    let (encoding, name) = if zstd > 0.0 && zstd >= gzip {
        (Encoding::Zstd, "zstd")
    } else if gzip > 0.0 {
        (Encoding::Gzip, "gzip")
    } else {
        return Encoding::None;
    };
    headers.retain(|it| !matches!(it.0, "Accept-Ranges" | "Content-Length"));
    for (_, value) in headers.iter_mut().filter(|it| it.0 == "ETag") {
        *value = format!("{}-{name}\"", value.trim_end_matches('"'));
    }
    headers.push(("Content-Encoding", name.to_owned()));
    encoding
}
