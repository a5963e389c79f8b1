//! The findings of a command that its options and `olmdex.toml` choose.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::baseline_file::{BaselineError, BaselineFile};
use olmdex_base::diag::baseline::Scope;
use olmdex_base::diag::selection::{Selection, Verdict};
use olmdex_base::diag::{Finding, Tally, with_severity};

/// The choice of findings.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The findings to show, and their severities.
    pub selection: Selection,
    /// The name of each layer of the selection.
    pub layers: Vec<String>,
    /// Whether warnings count as errors.
    pub strict: bool,
    /// The known findings.
    pub baseline: Option<BaselineFile>,
    /// The file to which the findings are written as known.
    pub write_to: Option<PathBuf>,
}

/// The chosen findings.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The findings that are shown and count.
    pub findings: Vec<Finding>,
    /// The hidden findings.
    pub hidden: Vec<Hidden>,
    /// The findings that are hidden only because other rules are selected. Findings that options ignore or a baseline
    /// knows are not among them: somebody has decided to hide those.
    pub unselected: Vec<Finding>,
    /// How many known findings are not there any more.
    pub n_gone: u64,
    /// Whether warnings count as errors.
    pub strict: bool,
}

/// Findings that are not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The option or file that hides them.
    pub by: String,
    /// How many there are.
    pub tally: Tally,
}

impl Choice {
    /// Applies the choice. If wanted, the selected findings are written down as known, and are known from then on.
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
        // The command did not look for findings of rules that are not selected.
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
        if findings.iter().any(Finding::counts) {
            self.hidden.push(Hidden { by, tally: Tally::of(findings) });
        }
    }

    /// How many findings count.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.findings)
    }

    /// Whether there are errors, or warnings that count as such.
    pub fn is_refused(&self) -> bool {
        let tally = self.tally();
        tally.errors > 0 || (self.strict && tally.warnings > 0)
    }

    /// Whether errors are hidden.
    pub fn has_hidden_errors(&self) -> bool {
        self.hidden.iter().any(|it| it.tally.errors > 0)
    }
}
