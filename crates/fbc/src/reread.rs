//! Reading some documents of a catalog a second time, by their origins.

use std::sync::Arc;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::Input;
use super::input_file::{Reopened, RereadError};
use super::load::{Consumer, decode_again};
use super::origin::Origin;

/// About how many bytes are read at once.
const BATCH: u64 = 4 << 20;

/// The number of files that it may come from; they are open for that time.
const BATCH_FILES: usize = 64;

/// Hands documents of a catalog that has been read to `consumer` once more, in parallel, and the results to `sink` in
/// the order of `origins`.
///
/// # Errors
/// The sink's error, or [`RereadError`] if a file has changed since it was read.
pub fn load_again<C: Consumer, E: From<RereadError>>(
    input: &Input,
    origins: &[Origin],
    consumer: &C,
    mut sink: impl FnMut(C::Output) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = origins;
    let mut opened: Option<Arc<Reopened<'_>>> = None;
    while !rest.is_empty() {
        let (mut len, mut n_files) = (0, 0);
        let mut batch: Vec<(Origin, Arc<Reopened<'_>>)> = Vec::new();
        while let Some((origin, behind)) = rest.split_first()
            && len < BATCH
            && n_files < BATCH_FILES
        {
            rest = behind;
            let Some(file) = input.files.get(origin.file as usize) else { continue };
            len += origin.len;
            let reopened = match opened.take().filter(|it| std::ptr::eq(it.file(), file)) {
                Some(same) => same,
                None => {
                    n_files += 1;
                    Arc::new(file.reopen()?)
                }
            };
            opened = Some(reopened.clone());
            batch.push((*origin, reopened));
        }
        let read = |(origin, file): (Origin, Arc<Reopened<'_>>)| {
            let raw = file.part(origin.offset..origin.offset + origin.len)?;
            Ok(decode_again(origin, &raw, consumer))
        };
        let outputs: Vec<Result<C::Output, RereadError>> = batch.into_par_iter().map(read).collect();
        outputs.into_iter().try_for_each(|it| sink(it?))?;
    }
    Ok(())
}
