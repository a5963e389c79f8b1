//! Addresses of email and of pages, as Go's libraries read them.

const SPECIAL: &str = "()<>[]:;@\\,\"";

fn is_atom(c: char) -> bool {
    !SPECIAL.contains(c) && (!c.is_ascii() || c.is_ascii_graphic())
}

/// A text that is consumed from the front.
struct Mail<'t>(&'t str);

impl<'t> Mail<'t> {
    fn skip_space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t']);
    }

    /// Blanks and comments in parentheses. Whether they are closed.
    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while let Some(rest) = self.0.strip_prefix('(') {
            let mut depth = 1;
            let mut end = None;
            for (at, c) in rest.char_indices() {
                depth += i32::from(c == '(') - i32::from(c == ')');
                if depth == 0 {
                    end = Some(at + 1);
                    break;
                }
            }
            let Some(end) = end else { return false };
            self.0 = &rest[end..];
            self.skip_space();
        }
        true
    }

    fn consume(&mut self, c: char) -> bool {
        let rest = self.0.strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// An atom; a strict one neither begins nor ends with a dot, nor has two in a row.
    fn atom(&mut self, permissive: bool) -> Option<&'t str> {
        let end = self.0.find(|c| !is_atom(c)).unwrap_or(self.0.len());
        let (atom, rest) = self.0.split_at(end);
        if atom.is_empty() {
            return None;
        }
        self.0 = rest;
        let is_strict = !atom.starts_with('.') && !atom.contains("..") && !atom.ends_with('.');
        (permissive || is_strict).then_some(atom)
    }

    /// A text in quotes: whether there is something in them. `None` if they are not closed.
    fn quoted(&mut self) -> Option<bool> {
        let mut is_filled = false;
        let mut chars = self.0.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Some(is_filled);
                }
                '\\' => is_filled |= chars.next().is_some(),
                _ => is_filled = true,
            }
        }
        None
    }

    /// An address. If there is none, nothing is consumed.
    fn address(&mut self) -> bool {
        let before = self.0;
        let is_there = self.try_address();
        if !is_there {
            self.0 = before;
        }
        is_there
    }

    fn try_address(&mut self) -> bool {
        self.skip_space();
        let is_local = if self.0.starts_with('"') { self.quoted() == Some(true) } else { self.atom(false).is_some() };
        if !is_local || !self.consume('@') {
            return false;
        }
        self.skip_space();
        self.atom(false).is_some()
    }

    /// The words before an address in angle brackets. Whether there is one.
    fn phrase(&mut self) -> bool {
        let mut has_word = false;
        loop {
            if has_word && !self.skip_comments() {
                return false;
            }
            self.skip_space();
            let is_word = if self.0.starts_with('"') { self.quoted().is_some() } else { self.atom(true).is_some() };
            if !is_word {
                return has_word;
            }
            has_word = true;
        }
    }
}

/// Whether a text is an email address, with or without a name before it.
pub(super) fn is_mail(text: &str) -> bool {
    let mut mail = Mail(text);
    mail.skip_space();
    if !mail.address() {
        if !mail.0.starts_with('<') && !mail.phrase() {
            return false;
        }
        mail.skip_space();
        if !mail.consume('<') || !mail.address() || !mail.consume('>') {
            return false;
        }
    }
    mail.skip_comments() && mail.0.is_empty()
}

/// Whether a text is the address of a page, which must be absolute.
pub(super) fn is_url(text: &str) -> bool {
    if text.is_empty() || text.starts_with(':') || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = text.split_once(':').filter(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_of_scheme)
    });
    let rest = scheme.map_or(text, |(_, rest)| rest);
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        return scheme.is_some();
    }
    let mut path = rest;
    if scheme.is_some()
        && let Some(authority) = rest.strip_prefix("//")
    {
        let end = authority.find('/').unwrap_or(authority.len());
        let (host, after) = authority.split_at(end);
        path = after;
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let port = host.rsplit_once(':').map(|(_, port)| port).filter(|_| !host.starts_with('['));
        if host.contains(|c| " \"<>\\^`{|}".contains(c)) || port.is_some_and(|port| !is_number(port)) {
            return false;
        }
    }
    let bytes = path.as_bytes();
    let is_escape = |at: usize| bytes.get(at..at + 2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(at, _)| is_escape(at + 1))
}

/// Digits, or nothing.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
