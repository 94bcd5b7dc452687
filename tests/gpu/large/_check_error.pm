# Shared by the programs of this folder: numbers without a pattern, comparisons, and a fingerprint of results.

## Random numbers between -1 and 1.
fn some(seed, shape, dtype=f32) =
    random.uniform(random.key(seed), shape, minval=-1.0, maxval=1.0).astype(dtype)

## A fingerprint of the bits: equal fingerprints of two runs mean equal bits (but for chance).
fn bits(x) {
    let words = bitcast_convert_type(x.astype(f64), u64).reshape(-1)
    sum(words * (2 * arange(len(words), dtype=u64) + 1))
}

fn rms(x) = sqrt(mean(abs(x) ** 2))

## Fails unless the errors of `found` are at most `most`, element by element, and their root mean square at most `typical`.
fn check_error(name, found, exact, most, typical=inf) {
    assert(found.shape == exact.shape, "{name}: {found.shape} is not {exact.shape}")
    assert(all(isfinite(found)), "{name}: not all is finite")
    let far = max(abs(found - exact) / most)
    assert(far <= 1, "{name}: {far} times as far from what is exact as it may be")
    let all_far = rms(found - exact) / typical
    assert(
        all_far <= 1,
        "{name}: all in all {all_far} times as far from what is exact as it may be",
    )
    print(name, bits(found))
}
