# library: NCCL
# gpus: 2
# Sums over lanes of several GPUs. Sums of integers are exact in any order. Sums of floats over g lanes have an error of
# (g - 1) * 2^-24 of the sum of the magnitudes.
import "_check_error.pm" as h

let g = int(args[0])
let n = 263_000
let rows = h.some(1, (g, n))
let whole = i32(rows * 1000)
let sums = pmap(fn(row) = psum(row, "i"), axis_name="i")
for dtype in (i32, i64, f32, f64) {
    let found = sums(whole.astype(dtype))
    assert(array_equal(i64(found), i64(tile(sum(whole, axis=0), (g, 1)))), "sums of {dtype}")
    print("whole numbers as {dtype}", h.bits(found[g - 1]))
}
let magnitudes = sum(abs(rows), axis=0)
for lane in (0, g - 1) {
    h.check_error(
        "sums in lane {lane}",
        sums(rows)[lane],
        sum(f64(rows), axis=0).astype(f32),
        (g * 2.0 ** -24) * magnitudes + 1e-12,
    )
}
let most = pmap(fn(row) = pmax(row, "i"), axis_name="i")(whole)
assert(array_equal(most[0], max(whole, axis=0)), "the greatest")
let least = pmap(fn(row) = pmin(row, "i"), axis_name="i")(whole)
assert(array_equal(least[g - 1], min(whole, axis=0)), "the least")
print("done")
