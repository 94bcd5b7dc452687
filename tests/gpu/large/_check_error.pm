# Shared by the programs of this folder: random numbers, comparisons, and a fingerprint of results.

## Uniform random numbers between -1 and 1.
fn some(seed, shape, dtype=f32) =
    random.uniform(random.key(seed), shape, minval=-1.0, maxval=1.0).astype(dtype)

## A fingerprint of the bits: if two runs have equal fingerprints, their bits are equal, except by chance.
fn bits(x) {
    let words = bitcast_convert_type(x.astype(f64), u64).reshape(-1)
    sum(words * (2 * arange(len(words), dtype=u64) + 1))
}

fn rms(x) = sqrt(mean(abs(x) ** 2))

## Fails if an error of an element of `found` exceeds `most`, or if the root mean square of all errors exceeds `typical`.
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
