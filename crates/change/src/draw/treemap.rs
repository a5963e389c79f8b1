//! A map of a whole catalog: a rectangle for each package, whose size shows its number of bundles.

/// A rectangle of a map, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tile {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Divides a rectangle among these descending weights, with tiles as square as possible (Bruls, Huizing, van Wijk:
/// "Squarified Treemaps", 2000).
pub(super) fn tiles(weights: &[f64], whole: Tile) -> Vec<Tile> {
    let total: f64 = weights.iter().sum();
    let scale = if total > 0.0 { whole.width * whole.height / total } else { 0.0 };
    let areas: Vec<f64> = weights.iter().map(|it| it * scale).collect();
    let mut tiles = Vec::with_capacity(areas.len());
    let mut rest = whole;
    let mut start = 0;
    while start < areas.len() {
        let side = rest.width.min(rest.height);
        let mut sum = areas[start];
        let mut end = start + 1;
        let mut worst = ratio(areas[start], areas[start], sum, side);
        while end < areas.len() {
            let next = ratio(areas[start], areas[end], sum + areas[end], side);
            if next > worst {
                break;
            }
            (worst, sum, end) = (next, sum + areas[end], end + 1);
        }
        let depth = if side > 0.0 { sum / side } else { 0.0 };
        let mut at = 0.0;
        for area in &areas[start..end] {
            let length = if depth > 0.0 { area / depth } else { 0.0 };
            tiles.push(if rest.width >= rest.height {
                Tile { x: rest.x, y: rest.y + at, width: depth, height: length }
            } else {
                Tile { x: rest.x + at, y: rest.y, width: length, height: depth }
            });
            at += length;
        }
        if rest.width >= rest.height {
            (rest.x, rest.width) = (rest.x + depth, (rest.width - depth).max(0.0));
        } else {
            (rest.y, rest.height) = (rest.y + depth, (rest.height - depth).max(0.0));
        }
        start = end;
    }
    tiles
}

/// The aspect ratio of the least square tile of a row, given the largest and the smallest area, the sum of all, and the
/// side.
fn ratio(largest: f64, smallest: f64, sum: f64, side: f64) -> f64 {
    let (sum, side) = (sum * sum, side * side);
    (side * largest / sum).max(sum / (side * smallest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fill_the_whole_and_do_not_overlap() {
        let whole = Tile { x: 10.0, y: 20.0, width: 600.0, height: 400.0 };
        for weights in [
            vec![1.0],
            vec![6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0],
            vec![1.0; 325],
            (1..500).rev().map(f64::from).collect(),
        ] {
            let tiles = tiles(&weights, whole);
            assert_eq!(tiles.len(), weights.len());
            let area: f64 = tiles.iter().map(|it| it.width * it.height).sum();
            assert!((area - 240_000.0).abs() < 1.0, "{area}");
            for (number, a) in tiles.iter().enumerate() {
                assert!(a.x >= 9.99 && a.y >= 19.99 && a.x + a.width < 610.01 && a.y + a.height < 420.01, "{a:?}");
                for b in &tiles[..number] {
                    let width = (a.x + a.width).min(b.x + b.width) - a.x.max(b.x);
                    let height = (a.y + a.height).min(b.y + b.height) - a.y.max(b.y);
                    assert!(width < 0.01 || height < 0.01, "{a:?} {b:?}");
                }
            }
        }
    }
}
