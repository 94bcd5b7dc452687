# Every collective in two forms: for one device, and as a function of the values of all devices, x[device, ...]. Maps,
# derivatives and batches of the first form are compared with the second form.
let n = 4
let groups = ((0, 2), (3, 1))
let unequal = ((2,), (3, 0, 1))
let all_of = ((1, 3, 0, 2),)

## y, repeated along a new first axis with one row for each device.
fn everywhere(y) = broadcast_to(y, (n,) + y.shape)
fn merged(y, axis) = y.reshape(y.shape[:axis] + (y.shape[axis] * y.shape[axis + 1],) + y.shape[axis + 2:])
fn apart(y, axis, outer) = y.reshape(y.shape[:axis] + (outer, y.shape[axis] // outer) + y.shape[axis + 1:])
## For each group its rows of x, in the order of the devices in the group: [group, ...].
fn rows_of(x, groups) = (x[array(g)] for g in groups)
## Calls f with the rows of each group. Each device of the group gets the result of f.
fn per_group(x, groups, f) {
    mut out = (none,) * n
    for g in groups {
        let y = f(x[array(g)])
        for d in g { out = out[:d] + (y,) + out[d + 1:] }
    }
    stack(out)
}
## As per_group, but each member gets a different part of the result: f returns [position in the group, ...].
fn per_member(x, groups, f) {
    mut out = (none,) * n
    for g in groups {
        let y = f(x[array(g)])
        for (k, d) in tuple(enumerate(g)) { out = out[:d] + (y[k],) + out[d + 1:] }
    }
    stack(out)
}
fn exchanged(x, split, concat) = moveaxis(moveaxis(x, split + 1, 0), 1, concat + 1)
fn exchanged_tiled(x, split, concat, parts) =
    merged(moveaxis(moveaxis(apart(x, split + 1, parts), split + 1, 0), 1, concat + 1), concat + 1)
fn scattered(x, axis) = moveaxis(sum(x, axis=0), axis, 0)
fn scattered_tiled(x, axis, parts) = moveaxis(apart(sum(x, axis=0), axis, parts), axis, 0)
fn with_zeros(x, pairs) {
    mut out = (zeros_like(x[0]),) * n
    for (from, to) in pairs { out = out[:to] + (x[from],) + out[to + 1:] }
    stack(out)
}

## {name, f: of one device over axis "i", all: of x[device, ...], shape: data of one device, equal: whether all results are equal}
fn case(name, f, all, shape, equal=false) = {name, f, all, shape, equal}

## Linear collectives.
let moving = (
    case("all_gather", fn(x) = all_gather(x, "i"), everywhere, (3, 2), equal=true),
    case("all_gather axis", fn(x) = all_gather(x, "i", axis=1), fn(x) = everywhere(moveaxis(x, 0, 1)), (3, 2), equal=true),
    case("all_gather last", fn(x) = all_gather(x, "i", axis=-1), fn(x) = everywhere(moveaxis(x, 0, 2)), (3, 2), equal=true),
    case("all_gather of numbers", fn(x) = all_gather(x, "i"), everywhere, (), equal=true),
    case("all_gather tiled", fn(x) = all_gather(x, "i", tiled=true), fn(x) = everywhere(merged(x, 0)), (3, 2), equal=true),
    case("all_gather tiled last", fn(x) = all_gather(x, "i", axis=-1, tiled=true), fn(x) = everywhere(merged(moveaxis(x, 0, 1), 1)), (3, 2), equal=true),
    case("ppermute", fn(x) = ppermute(x, "i", ((0, 1), (1, 2), (2, 3), (3, 0))), fn(x) = roll(x, 1, axis=0), (3,)),
    case("ppermute of some", fn(x) = ppermute(x, "i", ((0, 2), (3, 0))), fn(x) = with_zeros(x, ((0, 2), (3, 0))), (3,)),
    case("ppermute of none", fn(x) = ppermute(x, "i", ()), zeros_like, (3,)),
    case("pshuffle", fn(x) = pshuffle(x, "i", (2, 0, 3, 1)), fn(x) = x[[2, 0, 3, 1]], (3,)),
    case("pswapaxes", fn(x) = pswapaxes(x, "i", 0), fn(x) = swapaxes(x, 0, 1), (4, 3)),
    case("pswapaxes last", fn(x) = pswapaxes(x, "i", -1), fn(x) = swapaxes(x, 0, 2), (3, 4)),
    case("all_to_all", fn(x) = all_to_all(x, "i", 0, 1), fn(x) = exchanged(x, 0, 1), (4, 3, 2)),
    case("all_to_all back", fn(x) = all_to_all(x, "i", 1, 0), fn(x) = exchanged(x, 1, 0), (3, 4, 2)),
    case("all_to_all last", fn(x) = all_to_all(x, "i", -1, 0), fn(x) = exchanged(x, 2, 0), (2, 3, 4)),
    case("all_to_all tiled", fn(x) = all_to_all(x, "i", 0, 1, tiled=true), fn(x) = exchanged_tiled(x, 0, 1, n), (8, 3)),
    case("all_to_all tiled in place", fn(x) = all_to_all(x, "i", 0, 0, tiled=true), fn(x) = exchanged_tiled(x, 0, 0, n), (8, 2)),
    case("pbroadcast", fn(x) = pbroadcast(x, "i", 2), fn(x) = everywhere(x[2]), (3,), equal=true),
)
let adding = (
    case("psum", fn(x) = psum(x, "i"), fn(x) = everywhere(sum(x, axis=0)), (3,), equal=true),
    case("pmean", fn(x) = pmean(x, "i"), fn(x) = everywhere(mean(x, axis=0)), (3,), equal=true),
    case("psum_scatter", fn(x) = psum_scatter(x, "i"), fn(x) = scattered(x, 0), (4, 3)),
    case("psum_scatter last", fn(x) = psum_scatter(x, "i", scatter_dimension=-1), fn(x) = scattered(x, 1), (3, 4)),
    case("psum_scatter tiled", fn(x) = psum_scatter(x, "i", tiled=true), fn(x) = scattered_tiled(x, 0, n), (8, 3)),
    case("psum_scatter tiled last", fn(x) = psum_scatter(x, "i", scatter_dimension=1, tiled=true), fn(x) = scattered_tiled(x, 1, n), (3, 4)),
)
let choosing = (
    case("pmax", fn(x) = pmax(x, "i"), fn(x) = everywhere(max(x, axis=0)), (3,), equal=true),
    case("pmin", fn(x) = pmin(x, "i"), fn(x) = everywhere(min(x, axis=0)), (3,), equal=true),
    case("pmax of numbers", fn(x) = pmax(x, "i"), fn(x) = everywhere(max(x, axis=0)), (), equal=true),
)
let within_groups = (
    case("psum of groups", fn(x) = psum(x, "i", axis_index_groups=groups), fn(x) = per_group(x, groups, fn(y) = sum(y, axis=0)), (3,)),
    case("psum of unequal groups", fn(x) = psum(x, "i", axis_index_groups=unequal), fn(x) = per_group(x, unequal, fn(y) = sum(y, axis=0)), (3,)),
    case("psum of one group", fn(x) = psum(x, "i", axis_index_groups=all_of), fn(x) = everywhere(sum(x, axis=0)), (3,), equal=true),
    case("pmean of groups", fn(x) = pmean(x, "i", axis_index_groups=groups), fn(x) = per_group(x, groups, fn(y) = mean(y, axis=0)), (3,)),
    case("pmean of unequal groups", fn(x) = pmean(x, "i", axis_index_groups=unequal), fn(x) = per_group(x, unequal, fn(y) = mean(y, axis=0)), ()),
    case("pmax of groups", fn(x) = pmax(x, "i", axis_index_groups=groups), fn(x) = per_group(x, groups, fn(y) = max(y, axis=0)), (3,)),
    case("pmin of unequal groups", fn(x) = pmin(x, "i", axis_index_groups=unequal), fn(x) = per_group(x, unequal, fn(y) = min(y, axis=0)), (3,)),
    case("all_gather of groups", fn(x) = all_gather(x, "i", axis_index_groups=groups), fn(x) = per_group(x, groups, fn(y) = y), (3, 2)),
    case("all_gather of one group", fn(x) = all_gather(x, "i", axis_index_groups=all_of), fn(x) = everywhere(x[array(all_of[0])]), (3,), equal=true),
    case("all_gather of groups tiled", fn(x) = all_gather(x, "i", axis=1, tiled=true, axis_index_groups=groups), fn(x) = per_group(x, groups, fn(y) = merged(moveaxis(y, 0, 1), 1)), (3, 2)),
    case("psum_scatter of groups", fn(x) = psum_scatter(x, "i", axis_index_groups=groups), fn(x) = per_member(x, groups, fn(y) = scattered(y, 0)), (2, 3)),
    case("psum_scatter of groups tiled", fn(x) = psum_scatter(x, "i", scatter_dimension=1, tiled=true, axis_index_groups=groups), fn(x) = per_member(x, groups, fn(y) = scattered_tiled(y, 1, 2)), (3, 4)),
    case("all_to_all of groups", fn(x) = all_to_all(x, "i", 0, 1, axis_index_groups=groups), fn(x) = per_member(x, groups, fn(y) = exchanged(y, 0, 1)), (2, 3)),
    case("all_to_all of groups tiled", fn(x) = all_to_all(x, "i", 1, 0, tiled=true, axis_index_groups=groups), fn(x) = per_member(x, groups, fn(y) = exchanged_tiled(y, 1, 0, 2)), (3, 4)),
    case("pswapaxes of groups", fn(x) = pswapaxes(x, "i", 1, axis_index_groups=groups), fn(x) = per_member(x, groups, fn(y) = swapaxes(y, 0, 2)), (3, 2)),
)

## Pairwise different numbers that are not sorted.
fn sample(shape, start=0.0) {
    let k = f64(arange(zeros(shape).size)) + start
    (sin(k * k * 1.3 + k) + 0.01 * k).reshape(shape)
}
fn near(what, got, expected) {
    let same = tree.all(tree_map(fn(x, y) = x.dtype == y.dtype and x.shape == y.shape and allclose(x, y, rtol=1e-10, atol=1e-12), got, expected))
    assert(same, "{what}")
}
