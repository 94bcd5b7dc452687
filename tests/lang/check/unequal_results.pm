# If out_axes declares one value, unequal results of collectives are errors, also after further operations.
# command: check
# configs: compiled
fn permuted(x: f32[4]) = ppermute(x, "i", ((0, 1), (1, 0)))
fn shuffled(x: f32[4]) = pshuffle(x, "i", (1, 0))
fn scattered(x: f32[4]) = psum_scatter(x, "i", tiled=true)
fn exchanged(x: f32[4]) = all_to_all(x, "i", 0, 0, tiled=true)
fn swapped(x: f32[2, 3]) = pswapaxes(x, "i", 0)
fn placed(x: f32) = x + axis_index("i")
fn in_groups(x: f32) = psum(x, "i", axis_index_groups=((0,), (1,)))
fn gathered_in_groups(x: f32) = all_gather(x, "i", axis_index_groups=((0,), (1,)))
fn beside(x: f32) = psum(x, "i") + x
fn in_a_tree(x: f32) = {all: psum(x, "i"), own: {part: x * 2}}
fn in_a_loop(x: f32) {
    mut sum = pmean(x, "i")
    for k in 0..3 { sum = sum + 0.1 * sum * pbroadcast(x, "i", 0) + sin(x) * k }
    sum
}
fn in_a_branch(x: f32) = if x > 0.0 { 1.0 } else { psum(2.0, "i") }
let two = arange(2.0)
let a = pmap(permuted, axis_name="i", out_axes=none)(zeros((2, 4)))
let b = pmap(shuffled, axis_name="i", out_axes=none)(zeros((2, 4)))
let c = pmap(scattered, axis_name="i", out_axes=none)(zeros((2, 4)))
let d = pmap(exchanged, axis_name="i", out_axes=none)(zeros((2, 4)))
let e = pmap(swapped, axis_name="i", out_axes=none)(zeros((2, 2, 3)))
let f = pmap(placed, axis_name="i", out_axes=none)(two)
let g = pmap(in_groups, axis_name="i", out_axes=none)(two)
let h = pmap(gathered_in_groups, axis_name="i", out_axes=none)(two)
let i = pmap(beside, axis_name="i", out_axes=none)(two)
let j = pmap(in_a_tree, axis_name="i", out_axes={all: none, own: none})(two)
let k = pmap(in_a_loop, axis_name="i", out_axes=none)(two)
let l = pmap(in_a_branch, axis_name="i", out_axes=none)(two)
let m = vmap(placed, axis_name="i", out_axes=none)(two)
# equal along one axis of a mesh, but not along the other axis
let n = pmap(pmap(fn(x) = psum(x, "b"), axis_name="b"), axis_name="a", out_axes=none)(zeros((2, 2)))
# error: PM0315 "pmap(permuted, axis_name="i", out_axes=none)(zeros((2, 4)))"
# second: "ppermute(x, "i", ((0, 1), (1, 0)))" depends on a value that is split over axis `i`; nothing combines it afterwards
# error: PM0315 "pmap(shuffled, axis_name="i", out_axes=none)(zeros((2, 4)))"
# error: PM0315 "pmap(scattered, axis_name="i", out_axes=none)(zeros((2, 4)))"
# error: PM0315 "pmap(exchanged, axis_name="i", out_axes=none)(zeros((2, 4)))"
# error: PM0315 "pmap(swapped, axis_name="i", out_axes=none)(zeros((2, 2, 3)))"
# error: PM0315 "pmap(placed, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(in_groups, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(gathered_in_groups, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(beside, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(in_a_tree, axis_name="i", out_axes={all: none, own: none})(two)"
# error: PM0315 "pmap(in_a_loop, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(in_a_branch, axis_name="i", out_axes=none)(two)"
# error: PM0314 "vmap(placed, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(pmap(fn(x) = psum(x, "b"), axis_name="b"), axis_name="a", out_axes=none)(zeros((2, 2)))"
