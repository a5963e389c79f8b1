//! How a body is compressed.

use super::exchange::{Answer, Asked, Encoding};

/// Smaller bodies stay as they are.
pub const MIN_COMPRESSED: u64 = 1024;

/// Chooses what the client prefers, of equal ones zstd, and adjusts the headers.
pub fn choose(asked: &Asked<'_>, len: u64, answer: &mut Answer) {
    if len < MIN_COMPRESSED {
        return;
    }
    let (mut gzip, mut zstd) = (0.0, 0.0);
    for part in asked.header("Accept-Encoding").unwrap_or_default().split(',') {
        let (name, parameter) = part.split_once(';').unwrap_or((part, ""));
        let weight = parameter.trim().strip_prefix("q=").map_or(Some(1.0), |it| it.trim().parse::<f64>().ok());
        let weight = weight.unwrap_or(0.0).clamp(0.0, 1.0);
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" => gzip = weight,
            "zstd" => zstd = weight,
            _ => {}
        }
    }
    let name = if zstd > 0.0 && zstd >= gzip {
        answer.encoding = Encoding::Zstd;
        "zstd"
    } else if gzip > 0.0 {
        answer.encoding = Encoding::Gzip;
        "gzip"
    } else {
        return;
    };
    answer.headers.retain(|it| !matches!(it.0, "Accept-Ranges" | "Content-Length"));
    for (_, value) in answer.headers.iter_mut().filter(|it| it.0 == "ETag") {
        *value = format!("{}-{name}\"", value.trim_end_matches('"'));
    }
    answer.headers.push(("Content-Encoding", name.to_owned()));
}
