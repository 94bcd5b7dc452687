# What the programs here share: numbers without a pattern, and a fingerprint of results.

## Between -1 and 1.
fn some(seed, shape, dtype=f32) =
    random.uniform(random.key(seed), shape, minval=-1.0, maxval=1.0).astype(dtype)

## Two runs that print the same here have had the same bits (but for chance).
fn bits(x) {
    let words = bitcast_convert_type(x.astype(f64), u64).reshape(-1)
    sum(words * (2 * arange(len(words), dtype=u64) + 1))
}

fn rms(x) = sqrt(mean(abs(x) ** 2))

## What was found is no farther from what is exact than `most`, element by element, and than `typical` by their root mean square.
fn hold(name, found, exact, most, typical=inf) {
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
