//! What the marks of a picture mean.

use std::fmt::Write as _;

use super::label::{BOX, SMALL_CHARACTER, write_shape};
use super::node::GraphNode;
use super::panel::{MARGIN, Panel};

/// What the marks mean; of lanes that lead down too, and of folds, only if there are some. `folds` says how to see each
/// entry.
pub(super) fn legend(has_mutual: bool, folds: Option<&str>) -> Panel {
    let node = GraphNode {
        name: String::new(),
        version: String::new(),
        is_entry: true,
        is_head: false,
        is_skipped: false,
        is_deprecated: false,
        is_dead_end: false,
        is_marked: false,
    };
    let shapes = [
        ("head", GraphNode { is_head: true, ..node.clone() }),
        ("deprecated", GraphNode { is_deprecated: true, ..node.clone() }),
        ("dead end", GraphNode { is_dead_end: true, ..node.clone() }),
        ("skipped", GraphNode { is_skipped: true, ..node.clone() }),
        ("not in the channel", GraphNode { is_entry: false, ..node.clone() }),
    ];
    let mut body = String::new();
    let mut x = MARGIN;
    for (words, node) in shapes {
        write_shape(&mut body, &node, (x, 8), (34, BOX));
        let _ = writeln!(body, "<text class=\"mark\" x=\"{}\" y=\"24\">{words}</text>", x + 42);
        x += 42 + (words.len() as f64 * SMALL_CHARACTER) as usize + 20;
    }
    let width = x;
    x = MARGIN;
    let lanes = [
        ("replaces", "replaces"),
        ("skips", "skips: from each circle up to the arrows"),
        ("skipRange", "skipRange: from each dot up to the arrows"),
        ("skipRange mutual", "skipRange: from each dot to all arrows, down too"),
    ];
    for (field, words) in lanes.into_iter().take(if has_mutual { 4 } else { 3 }) {
        let tip = field.split(' ').next().unwrap_or_default();
        let _ = writeln!(
            body,
            "<path class=\"{field}\" d=\"M{x} 50H{}\"/><path class=\"tip-{tip}\" d=\"M{} 46l6 4l-6 4z\"/>\
             <text class=\"mark\" x=\"{}\" y=\"54\">{words}</text>",
            x + 28,
            x + 28,
            x + 42
        );
        x += 42 + (words.len() as f64 * SMALL_CHARACTER) as usize + 20;
    }
    let width = width.max(x);
    let Some(how) = folds else {
        return Panel { body, width, height: 70, folds: Vec::new(), n_folded: 0, has_mutual };
    };
    let sheets = [6, 3, 0].map(|it| (MARGIN + it, 68 + it));
    for place in sheets {
        write_shape(&mut body, &node, place, (28, BOX - 6));
    }
    let words = format!("several entries; an arrow stands for at least one of them; {how}");
    let _ = writeln!(body, "<text class=\"mark\" x=\"{}\" y=\"84\">{words}</text>", MARGIN + 42);
    let width = width.max(MARGIN * 2 + 42 + (words.chars().count() as f64 * SMALL_CHARACTER) as usize);
    Panel { body, width, height: 104, folds: Vec::new(), n_folded: 0, has_mutual }
}
