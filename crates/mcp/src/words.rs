//! The command line that gives the same answer.

use olmdex_text::encoding::shell;

/// Words of a command line: options first, then words without an option.
#[derive(Debug, Default)]
pub(crate) struct Words {
    options: Vec<String>,
    names: Vec<String>,
}

impl Words {
    /// An option with a value, if it has one.
    pub(crate) fn option(mut self, option: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            let value = value.to_string();
            // A separate value that begins with a dash would be read as an option.
            if value.starts_with('-') {
                self.options.push(format!("{option}={value}"));
            } else {
                self.options.extend([option.to_owned(), value]);
            }
        }
        self
    }

    /// An option for each of several values.
    pub(crate) fn options(self, option: &str, values: &[String]) -> Self {
        values.iter().fold(self, |words, it| words.option(option, Some(it)))
    }

    /// An option without a value, if it is chosen.
    pub(crate) fn flag(mut self, option: &str, is_chosen: bool) -> Self {
        if is_chosen {
            self.options.push(option.to_owned());
        }
        self
    }

    /// Adds names, which need no option.
    pub(crate) fn names<'n>(mut self, names: impl IntoIterator<Item = &'n String>) -> Self {
        self.names.extend(names.into_iter().cloned());
        self
    }

    /// The command line, for a shell.
    pub(crate) fn line(self, command: &str) -> String {
        let separator = self.names.iter().any(|it| it.starts_with('-')).then(|| "--".to_owned());
        let words = self.options.into_iter().chain(["-o".to_owned(), "json".to_owned()]);
        let words: Vec<String> = words.chain(separator).chain(self.names).map(|it| shell::word(&it)).collect();
        format!("olmdex {command} {}", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = Words::default()
            .option("--installed", Some("2.8.1"))
            .option("--channel", Some("-x"))
            .option("--to", None::<&str>)
            .flag("--shortest", true)
            .names([&"it's; rm -rf ~".to_owned()]);
        assert_eq!(
            words.line("path"),
            r"olmdex path --installed 2.8.1 --channel=-x --shortest -o json 'it'\''s; rm -rf ~'"
        );
        assert_eq!(Words::default().names([&"-i".to_owned()]).line("show"), "olmdex show -o json -- -i");
    }
}
