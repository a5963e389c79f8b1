//! Descriptions in Markdown, as HTML that can do no harm.
//!
//! Raw HTML is shown as text, pictures are left out, and links lead to the web or to mail only. Headings begin below
//! those of the page. The events of the parser are written by hand, one by one, so that only intended markup gets into
//! a page.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::parts::is_web_address;
use olmdex_base::diag::is_hidden;

/// Bytes of a text that are shown.
const MAX_BYTES: usize = 200 << 10;

/// The level of the first heading of a description.
const FIRST_HEADING: usize = 3;

/// A text in Markdown.
pub(super) fn markdown(text: &str) -> Markup {
    let read = read_part(text);
    let mut writer = Writer::default();
    for event in Parser::new_ext(read, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        writer.event(event);
    }
    let mut out = writer.out;
    if read.len() < text.len() {
        out.push_str("<p><em>The description is longer than 200 KB; the rest is left out.</em></p>");
    }
    PreEscaped(out)
}

/// The part of a text that is read.
fn read_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}

/// The first paragraph of a text as plain words, at most so many characters, cut between words.
pub(super) fn first_words(text: &str, n_most: usize) -> String {
    let (mut words, mut is_inside) = (String::new(), false);
    for event in Parser::new(read_part(text)) {
        match event {
            Event::Start(Tag::Paragraph) => is_inside = true,
            Event::End(TagEnd::Paragraph) if !words.trim().is_empty() => break,
            Event::Text(text) | Event::Code(text) if is_inside => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak if is_inside => words.push(' '),
            _ => {}
        }
    }
    let words = words.trim();
    match words.char_indices().nth(n_most) {
        None => words.to_owned(),
        Some((end, _)) => format!("{}…", words[..end].rsplit_once(' ').map_or(&words[..end], |it| it.0)),
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Whether each open link is a real link.
    links: Vec<bool>,
    /// How many pictures are open, whose words are shown as text.
    n_images: usize,
    is_table_head: bool,
    /// The levels of the last heading and of those above it, as in the text.
    headings: Vec<HeadingLevel>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::Code(text) => {
                self.out.push_str("<code>");
                self.text(&text);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::FootnoteReference(text) => self.text(&text),
            Event::TaskListMarker(is_done) => self.out.push_str(if is_done { "☑ " } else { "☐ " }),
        }
    }

    /// The level of the last heading in the page: one below that of its parent, whatever levels were skipped between.
    fn heading(&self) -> usize {
        (FIRST_HEADING + self.headings.len().saturating_sub(1)).min(6)
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c if is_hidden(c) && !c.is_whitespace() => {
                    // Emoji have joiners, and are emoji without them.
                    if c.is_control() {
                        self.out.push('\u{FFFD}');
                    }
                }
                c => self.out.push(c),
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.out.push_str("<p>"),
            Tag::Heading { level, .. } => {
                self.headings.truncate(self.headings.partition_point(|it| *it < level));
                self.headings.push(level);
                self.out.push_str(&format!("<h{}>", self.heading()));
            }
            Tag::BlockQuote(_) => self.out.push_str("<blockquote>"),
            Tag::CodeBlock(_) => self.out.push_str("<pre tabindex=\"0\"><code>"),
            Tag::List(None) => self.out.push_str("<ul>"),
            Tag::List(Some(1)) => self.out.push_str("<ol>"),
            Tag::List(Some(start)) => self.out.push_str(&format!("<ol start=\"{start}\">")),
            Tag::Item => self.out.push_str("<li>"),
            Tag::Table(_) => self.out.push_str("<div class=\"scroll\"><table>"),
            Tag::TableHead => {
                self.is_table_head = true;
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => self.out.push_str("<tr>"),
            Tag::TableCell => self.out.push_str(if self.is_table_head { "<th scope=\"col\">" } else { "<td>" }),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { dest_url, .. } => {
                // A link inside a link becomes plain text.
                let is_link = is_web_address(&dest_url) && !self.links.contains(&true);
                if is_link {
                    self.out.push_str("<a rel=\"noopener nofollow ugc\" href=\"");
                    self.text(&dest_url);
                    self.out.push_str("\">");
                }
                self.links.push(is_link);
            }
            Tag::Image { .. } => self.n_images += 1,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>\n"),
            TagEnd::Heading(_) => self.out.push_str(&format!("</h{}>\n", self.heading())),
            TagEnd::BlockQuote(_) => self.out.push_str("</blockquote>\n"),
            TagEnd::CodeBlock => self.out.push_str("</code></pre>\n"),
            TagEnd::List(is_ordered) => self.out.push_str(if is_ordered { "</ol>\n" } else { "</ul>\n" }),
            TagEnd::Item => self.out.push_str("</li>\n"),
            TagEnd::Table => self.out.push_str("</tbody></table></div>\n"),
            TagEnd::TableHead => {
                self.is_table_head = false;
                self.out.push_str("</tr></thead><tbody>\n");
            }
            TagEnd::TableRow => self.out.push_str("</tr>\n"),
            TagEnd::TableCell => self.out.push_str(if self.is_table_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</del>"),
            TagEnd::Link => self.out.push_str(if self.links.pop() == Some(true) { "</a>" } else { "" }),
            TagEnd::Image => self.n_images = self.n_images.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn nothing_of_a_description_is_markup_but_markdown() {
        for (text, html) in [
            ("# A\n\n*b* `c<d`", "<h3>A</h3>\n<p><em>b</em> <code>c&lt;d</code></p>\n"),
            ("### A\n# B\n### C\n#### D\n## E", "<h3>A</h3>\n<h3>B</h3>\n<h4>C</h4>\n<h5>D</h5>\n<h4>E</h4>\n"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"),
            ("[x](javascript:alert(1))", "<p>x</p>\n"),
            ("[x](https://a.b/?\"c)", "<p><a rel=\"noopener nofollow ugc\" href=\"https://a.b/?&quot;c\">x</a></p>\n"),
            ("![words](https://a.b/c.png)", "<p>words</p>\n"),
            (
                "a | b\n--|--\n1 | 2",
                "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr></thead><tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody></table></div>\n",
            ),
        ] {
            assert_eq!(markdown(text).into_string(), html);
        }
    }

    #[test]
    fn a_description_of_any_size_and_depth_is_cut() {
        let deep = markdown(&"> ".repeat(300_000)).into_string();
        assert!(deep.ends_with("the rest is left out.</em></p>"));
        assert!(markdown(&"é*[".repeat(100_000)).into_string().len() > 1000);
    }
}
