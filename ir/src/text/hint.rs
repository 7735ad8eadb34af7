//! Near misses: the name that was probably meant.

/// The candidate nearest to `name`, if it is near enough to be worth a hint. Ties go to the first.
pub(crate) fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Long names cost the square of their length and are seldom mistyped beyond recognition. The other bound keeps a
    // hundred errors in a huge text cheap.
    const LONGEST: usize = 64;
    const MOST: usize = 10_000;
    if name.len() > LONGEST {
        return None;
    }
    // One mistake in two letters, two in five, and so on.
    let mut limit = (name.chars().count() + 1) / 3 + 1;
    let mut best = None;
    for candidate in candidates.into_iter().take(MOST) {
        if candidate.len() > LONGEST || candidate == name || is_too_long(candidate, name, limit) {
            continue;
        }
        let distance = distance(name, candidate);
        if distance < limit {
            limit = distance;
            best = Some(candidate);
        }
    }
    best
}

/// Whether the numbers of characters alone are `limit` apart.
fn is_too_long(a: &str, b: &str, limit: usize) -> bool {
    a.chars().count().abs_diff(b.chars().count()) >= limit
}

/// How many characters have to be inserted, removed, changed or swapped with their neighbour; case costs nothing.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().map(|c| c.to_ascii_lowercase()).collect();
    let b: Vec<char> = b.chars().map(|c| c.to_ascii_lowercase()).collect();
    // Rows of the usual table: the one before the last, the last, and the one being filled.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = last.clone();
    for i in 0..a.len() {
        row[0] = i + 1;
        for j in 0..b.len() {
            let change = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}
