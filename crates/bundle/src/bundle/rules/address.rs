//! Addresses of email and of pages, as Go's libraries read them, with their error messages.

use olmdex_version::Quoted;

const SPECIAL: &str = "()<>[]:;@\\,\"";

fn is_atom(c: char, dot: bool) -> bool {
    match c {
        '.' => dot,
        c if SPECIAL.contains(c) => false,
        c => !c.is_ascii() || c.is_ascii_graphic(),
    }
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
        match self.0.strip_prefix(c) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn atom(&mut self, permissive: bool) -> Result<&'t str, &'static str> {
        let end = self.0.find(|c| !is_atom(c, true)).unwrap_or(self.0.len());
        let (atom, rest) = self.0.split_at(end);
        if atom.is_empty() {
            return Err("mail: invalid string");
        }
        self.0 = rest;
        match () {
            () if permissive => Ok(atom),
            () if atom.starts_with('.') => Err("mail: leading dot in atom"),
            () if atom.contains("..") => Err("mail: double dot in atom"),
            () if atom.ends_with('.') => Err("mail: trailing dot in atom"),
            () => Ok(atom),
        }
    }

    fn quoted(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        let mut chars = self.0.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err("mail: unclosed quoted-string")
    }

    fn address(&mut self) -> Result<(), &'static str> {
        let before = self.0;
        let done = self.try_address();
        if done.is_err() {
            self.0 = before;
        }
        done
    }

    fn try_address(&mut self) -> Result<(), &'static str> {
        self.skip_space();
        if self.0.is_empty() {
            return Err("mail: no addr-spec");
        }
        if self.0.starts_with('"') {
            if self.quoted()?.is_empty() {
                return Err("mail: empty quoted string in addr-spec");
            }
        } else {
            self.atom(false)?;
        }
        if !self.consume('@') {
            return Err("mail: missing @ in addr-spec");
        }
        self.skip_space();
        if self.0.is_empty() {
            return Err("mail: no domain in addr-spec");
        }
        self.atom(false).map(drop)
    }

    fn phrase(&mut self) -> Result<String, String> {
        let mut words: Vec<String> = Vec::new();
        loop {
            if !words.is_empty() && !self.skip_comments() {
                return Err("mail: misformatted parenthetical comment".to_owned());
            }
            self.skip_space();
            let word = if self.0.starts_with('"') { self.quoted() } else { self.atom(true).map(str::to_owned) };
            match word {
                Ok(word) => words.push(word),
                Err(error) if words.is_empty() => return Err(format!("mail: missing word in phrase: {error}")),
                Err(_) => return Ok(words.join(" ")),
            }
        }
    }
}

/// The error in an email address.
pub(super) fn mail_error(text: &str) -> Option<String> {
    parse_mail(&mut Mail(text)).err()
}

fn parse_mail(mail: &mut Mail<'_>) -> Result<(), String> {
    mail.skip_space();
    if mail.0.is_empty() {
        return Err("mail: no address".to_owned());
    }
    if mail.address().is_err() {
        let name = if mail.0.starts_with('<') { String::new() } else { mail.phrase()? };
        mail.skip_space();
        if !mail.consume('<') {
            let is_one_word = name.chars().all(|c| is_atom(c, true));
            return Err(if is_one_word { "mail: missing '@' or angle-addr" } else { "mail: no angle-addr" }.to_owned());
        }
        mail.address()?;
        if !mail.consume('>') {
            return Err("mail: unclosed angle-addr".to_owned());
        }
    }
    if !mail.skip_comments() {
        return Err("mail: misformatted parenthetical comment".to_owned());
    }
    match mail.0 {
        "" => Ok(()),
        rest => Err(format!("mail: expected single address, got {}", Quoted(rest))),
    }
}

/// The error in the address of a page, which must be absolute.
pub(super) fn url_error(text: &str) -> Option<String> {
    parse_url(text).err().map(|error| format!("parse {}: {error}", Quoted(text)))
}

fn parse_url(text: &str) -> Result<(), String> {
    if text.bytes().any(|it| it < b' ' || it == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() {
        return Err("empty url".to_owned());
    }
    if text == "*" {
        return Ok(());
    }
    if text.starts_with(':') {
        return Err("missing protocol scheme".to_owned());
    }
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = text.split_once(':').filter(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_of_scheme)
    });
    let rest = scheme.map_or(text, |(_, rest)| rest);
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        return if scheme.is_some() { Ok(()) } else { Err("invalid URI for request".to_owned()) };
    }
    let mut path = rest;
    if scheme.is_some()
        && let Some(authority) = rest.strip_prefix("//")
    {
        let end = authority.find('/').unwrap_or(authority.len());
        let (host, after) = authority.split_at(end);
        path = after;
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        if let Some(bad) = host.chars().find(|c| " \"<>\\^`{|}".contains(*c)) {
            return Err(format!("invalid character {} in host name", Quoted(&bad.to_string())));
        }
        if !host.starts_with('[')
            && let Some((_, port)) = host.rsplit_once(':')
            && !port.bytes().all(|it| it.is_ascii_digit())
        {
            return Err(format!("invalid port {} after host", Quoted(&format!(":{port}"))));
        }
    }
    let bytes = path.as_bytes();
    for (at, _) in bytes.iter().enumerate().filter(|(_, it)| **it == b'%') {
        let escape = bytes.get(at + 1..at + 3).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
        if escape.is_none() {
            let shown = String::from_utf8_lossy(bytes.get(at..bytes.len().min(at + 3)).unwrap_or_default());
            return Err(format!("invalid URL escape {}", Quoted(&shown)));
        }
    }
    Ok(())
}
