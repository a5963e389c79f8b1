//! Texts as rows hold them, unpacked and compared with their digests.

use rayon::prelude::*;
use rusqlite::{Params, Row};

use super::compression::{self, digest};
use super::error::IndexError;
use super::open::Index;

/// The texts that are unpacked at a time at most, and their bytes, of which the last text may have more.
const BATCH: usize = 64;
const BATCH_BYTES: i64 = 8 << 20;

/// The reason why a text cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrongText {
    /// It cannot be unpacked, or is no text.
    Damaged,
    /// Its digest is that of another one.
    Another,
}

struct StoredText {
    digest: Vec<u8>,
    codec: i64,
    size: i64,
    bytes: Vec<u8>,
}

impl StoredText {
    /// The first four columns of a row.
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        // A value of another type is no text of ours.
        let blob = |column| row.get_ref(column).map(|value| value.as_blob().unwrap_or_default().to_vec());
        Ok(Self { digest: blob(0)?, codec: row.get(1)?, size: row.get(2)?, bytes: blob(3)? })
    }

    fn text(&self) -> Result<String, WrongText> {
        let text = compression::load(self.codec, self.size, &self.bytes).ok_or(WrongText::Damaged)?;
        if digest(&text)[..] != self.digest[..] {
            return Err(WrongText::Another);
        }
        String::from_utf8(text.into_owned()).map_err(|_| WrongText::Damaged)
    }
}

impl Index {
    /// Hands the texts of a statement out in its order, each with what `head` makes of its row; it passes over rows for
    /// which `head` has nothing. The first columns are the digest, the codec, the size and the stored bytes of the
    /// text.
    ///
    /// # Errors
    /// If the index is damaged, and the errors of `each`.
    pub(super) fn stored_texts<H, E: From<IndexError>>(
        &self,
        sql: &str,
        parameters: impl Params,
        mut head: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<H>>,
        mut each: impl FnMut(H, Result<String, WrongText>) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(self.failed(&error));
        let mut statement = self.connection().prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query(parameters).map_err(failed)?;
        let mut ready: Vec<(H, Result<String, WrongText>)> = Vec::new();
        loop {
            let (mut heads, mut batch, mut n_bytes) = (Vec::new(), Vec::new(), 0);
            while batch.len() < BATCH && n_bytes < BATCH_BYTES {
                let Some(row) = rows.next().map_err(failed)? else { break };
                let Some(head) = head(row).map_err(failed)? else { continue };
                let stored = StoredText::of(row).map_err(failed)?;
                n_bytes = n_bytes.saturating_add(stored.size.max(0));
                heads.push(head);
                batch.push(stored);
            }
            // Unpacking and hashing are most of the work, so the texts of a batch are used while the next are unpacked.
            let mut texts = Vec::new();
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| texts = batch.par_iter().map(StoredText::text).collect());
                ready.drain(..).try_for_each(|(head, text)| each(head, text))
            })?;
            if heads.is_empty() {
                return Ok(());
            }
            ready.extend(heads.into_iter().zip(texts));
        }
    }
}
