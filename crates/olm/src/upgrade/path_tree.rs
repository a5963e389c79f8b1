//! Ways that share their beginnings, as a search finds them.

/// Ways under construction: each step with the one before it. A few jumps decide whether one step is on the way to
/// another, however long the way.
#[derive(Debug)]
pub(super) struct Trails {
    /// The step before, one further back, and how many there are.
    steps: Vec<(usize, usize, usize)>,
}

impl Trails {
    /// One trail of no steps.
    pub(super) fn new() -> Self {
        Self { steps: vec![(0, 0, 0)] }
    }

    pub(super) fn push(&mut self, before: usize) -> usize {
        let (_, jump, length) = self.steps[before];
        let (_, further, of_jump) = self.steps[jump];
        let of_further = self.steps[further].2;
        // Two jumps of one length become one.
        let jump = if length - of_jump == of_jump - of_further { further } else { before };
        self.steps.push((before, jump, length + 1));
        self.steps.len() - 1
    }

    /// The number of steps that a way has.
    pub(super) fn length(&self, at: usize) -> usize {
        self.steps[at].2
    }

    fn before(&self, at: usize) -> Option<usize> {
        (at > 0).then(|| self.steps[at].0)
    }

    /// Whether a step is on the way to another, or that one itself.
    pub(super) fn is_on(&self, step: usize, way: usize) -> bool {
        let wanted = self.steps[step].2;
        let mut at = way;
        while self.steps[at].2 > wanted {
            let (before, jump, _) = self.steps[at];
            at = if self.steps[jump].2 >= wanted { jump } else { before };
        }
        at == step
    }

    /// The steps of a way, from the last back, without where it begins.
    pub(super) fn back_from(&self, last: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(last), |&at| self.before(at)).take_while(|it| *it > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Trails;

    #[test]
    fn steps_are_found_on_their_ways_and_no_others() {
        // Step n follows n - 1, and every seventh begins a branch of its own.
        let mut trails = Trails::new();
        let mut befores = vec![0];
        for at in 1..400_usize {
            let before = if at % 7 == 0 { at / 2 } else { at - 1 };
            befores.push(before);
            assert_eq!(trails.push(before), at);
        }
        for way in 0..400 {
            let mut on_way = vec![false; 400];
            let mut at = way;
            while at > 0 {
                on_way[at] = true;
                at = befores[at];
            }
            for (step, is_on) in on_way.iter().enumerate().skip(1) {
                assert_eq!(trails.is_on(step, way), *is_on, "{step} on the way to {way}");
            }
            assert_eq!(trails.back_from(way).count(), on_way.iter().filter(|it| **it).count());
        }
    }
}
