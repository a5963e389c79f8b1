//! What is chosen of the findings of a command, by its options and by `olmdex.toml`.
//!
//! What it deliberately does not do: it changes no verdict about a catalog, only what is shown and counts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::baseline_file::{BaselineError, BaselineFile};
use olmdex_base::diag::baseline::Scope;
use olmdex_base::diag::selection::{Selection, Verdict};
use olmdex_base::diag::{Finding, Tally, with_severity};

/// How findings are chosen.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Which are shown, and how bad they are.
    pub selection: Selection,
    /// What each layer of the selection is called.
    pub layers: Vec<String>,
    /// Whether warnings count as errors.
    pub strict: bool,
    /// What is known.
    pub baseline: Option<BaselineFile>,
    /// Where what is found is to be written down as known.
    pub write_to: Option<PathBuf>,
}

/// What was chosen.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The findings that are shown and count.
    pub findings: Vec<Finding>,
    /// What is not shown.
    pub hidden: Vec<Hidden>,
    /// The findings that are hidden only because other rules are selected. What options ignore and a baseline knows is not among them:
    /// somebody has decided that.
    pub unselected: Vec<Finding>,
    /// How many known findings are not there any more.
    pub n_gone: u64,
    /// Whether warnings count as errors.
    pub strict: bool,
}

/// Findings that are not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// What hides them.
    pub by: String,
    /// How many there are.
    pub tally: Tally,
}

impl Choice {
    /// Chooses. If so wanted, the findings that are selected are written down as known, and are known from then on.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn apply(&self, findings: Vec<Finding>, scope: &Scope<'_>) -> Result<Chosen, BaselineError> {
        let mut chosen = Chosen { strict: self.strict, ..Chosen::default() };
        let mut left_out: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
        let mut selected = Vec::new();
        for mut finding in findings {
            match self.selection.verdict(finding.rule) {
                Verdict::Shown(severity) => {
                    finding.rule = with_severity(finding.rule, severity);
                    selected.push(finding);
                }
                Verdict::Hidden(layer) => left_out.entry(layer).or_default().push(finding),
            }
        }
        for (layer, findings) in &left_out {
            chosen.hide(self.layers.get(*layer).cloned().unwrap_or_default(), findings);
        }
        let is_left_out = |it: &Finding| self.selection.is_left_out(it.rule);
        chosen.unselected = left_out.into_values().flatten().filter(is_left_out).collect();
        // What is not selected was not looked for.
        let is_selected = |it: &&&_| matches!(self.selection.verdict(it), Verdict::Shown(_));
        let rules: Vec<_> = scope.rules.iter().filter(is_selected).copied().collect();
        let scope = Scope { rules: &rules, ..*scope };
        let written = self.write_to.as_ref().map(|it| BaselineFile::write(it, &selected, &scope)).transpose()?;
        match written.as_ref().or(self.baseline.as_ref()) {
            None => chosen.findings = selected,
            Some(file) => {
                let compared = file.known.compare(selected, &scope);
                chosen.hide(format!("the baseline {}", file.path.display()), &compared.known);
                chosen.findings = compared.new;
                chosen.n_gone = compared.n_gone;
            }
        }
        Ok(chosen)
    }
}

impl Chosen {
    fn hide(&mut self, by: String, findings: &[Finding]) {
        if !findings.is_empty() {
            self.hidden.push(Hidden { by, tally: Tally::of(findings) });
        }
    }

    /// How many findings count.
    #[must_use]
    pub fn tally(&self) -> Tally {
        Tally::of(&self.findings)
    }

    /// Whether there are errors, or warnings that count as such.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        let tally = self.tally();
        tally.errors > 0 || (self.strict && tally.warnings > 0)
    }

    /// Whether errors are hidden.
    #[must_use]
    pub fn has_hidden_errors(&self) -> bool {
        self.hidden.iter().any(|it| it.tally.errors > 0)
    }
}
