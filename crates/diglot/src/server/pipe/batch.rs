//! The answers to batches, which come as one array when the last of them is there.

use std::collections::HashMap;

/// Names a batch.
pub(super) type BatchId = u64;

/// The batches of which not all is answered.
#[derive(Default)]
pub(super) struct Batches {
    next: BatchId,
    open: HashMap<BatchId, Batch>,
}

struct Batch {
    /// How many answers are still to come, and one more while the batch itself is being read.
    missing: usize,
    /// The array as far as it is known, without its end.
    answers: Vec<u8>,
}

impl Batches {
    /// Begins a batch, which is to be [released](Self::release) once it is read.
    pub(super) fn begin(&mut self) -> BatchId {
        self.next += 1;
        self.open.insert(self.next, Batch { missing: 1, answers: b"[".to_vec() });
        self.next
    }

    /// Waits for one answer more.
    pub(super) fn hold(&mut self, id: BatchId) {
        if let Some(batch) = self.open.get_mut(&id) {
            batch.missing += 1;
        }
    }

    /// Adds an answer.
    pub(super) fn add(&mut self, id: BatchId, answer: &[u8]) {
        if let Some(batch) = self.open.get_mut(&id) {
            if batch.answers.len() > 1 {
                batch.answers.push(b',');
            }
            batch.answers.extend_from_slice(answer);
        }
    }

    /// Waits for one answer less, and returns the array when it was the last and there are answers at all.
    pub(super) fn release(&mut self, id: BatchId) -> Option<Vec<u8>> {
        let batch = self.open.get_mut(&id)?;
        batch.missing = batch.missing.saturating_sub(1);
        if batch.missing > 0 {
            return None;
        }
        let mut answers = self.open.remove(&id)?.answers;
        answers.push(b']');
        (answers.len() > 2).then_some(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_array_comes_with_the_last_answer() {
        let mut batches = Batches::default();
        let id = batches.begin();
        batches.add(id, b"1");
        batches.hold(id);
        assert_eq!(batches.release(id), None);
        batches.add(id, b"2");
        assert_eq!(batches.release(id).as_deref(), Some(&b"[1,2]"[..]));
    }

    #[test]
    fn a_batch_without_answers_is_not_answered() {
        let mut batches = Batches::default();
        let id = batches.begin();
        assert_eq!(batches.release(id), None);
    }
}
