//! The address of a mirror list, which holds all of it.

use super::query::Query;
use super::reply::PageError;
use super::route::MirrorList;

impl MirrorList {
    /// The most packages of a list.
    const MAX: usize = 100;

    /// A list, with the additions of a form.
    pub(super) fn read(query: &mut Query) -> Result<Self, PageError> {
        let listed = query.take("p").unwrap_or_default();
        let mut packages: Vec<String> =
            listed.split([',', '\n']).map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let [added, channel, min, max] =
            ["package", "channel", "min", "max"].map(|it| query.take(it).unwrap_or_default().trim().to_owned());
        if !added.is_empty() {
            let mut added = added.replace(',', " ");
            if !channel.is_empty() && !added.contains(['/', '@']) {
                added = format!("{added}/{channel}");
            }
            let bounds = [(">=", &min), ("<=", &max)].into_iter().filter(|it| !it.1.is_empty());
            let range = match min == max {
                true => min.clone(),
                false => bounds.map(|(sign, version)| format!("{sign}{version}")).collect::<Vec<_>>().join(" "),
            };
            if !range.is_empty() && !added.contains('@') {
                added = format!("{added}@{range}");
            }
            // A package that is added again replaces its earlier request.
            let name = |it: &str| it.split('@').next().unwrap_or_default().to_owned();
            packages.retain(|it| name(it) != name(&added));
            packages.push(added);
        }
        if packages.len() > Self::MAX {
            return Err(PageError::parameter("p", "a list has at most 100 packages"));
        }
        let is_full = match query.take("full").as_deref() {
            None | Some("no") => false,
            Some("yes") => true,
            Some(_) => return Err(PageError::parameter("full", "write `yes` or `no`")),
        };
        Ok(Self { catalog: query.take("catalog"), packages, is_full, ..Self::default() })
    }

    pub(super) fn parameters(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("catalog", self.catalog.clone()),
            ("full", self.is_full.then(|| "yes".to_owned())),
            ("p", Some(self.packages.join(",")).filter(|it| !it.is_empty())),
        ]
    }
}
