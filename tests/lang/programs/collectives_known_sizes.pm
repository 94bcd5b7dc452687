# `psum` of a known number is a known number, so a size: over tuples of axes, equal groups, nested pmaps and vmaps.
# devices: 1 2 4
let groups = ((0, 2), (3, 1))
fn sizes(x) = (
    zeros(psum(1, "i")).size,
    zeros(psum(1, ("i", "j"))).size,
    zeros(psum(1, "i", axis_index_groups=groups)).size,
    zeros(psum(true, "j")).size,
    psum(2.5, "i"),
    pmean(3, "i"),
)
let all = (
    pmap(vmap(sizes, axis_name="j"), axis_name="i")(zeros((4, 3))),
    vmap(pmap(sizes, axis_name="i"), axis_name="j")(zeros((3, 4))),
    vmap(vmap(sizes, axis_name="i"), axis_name="j")(zeros((3, 4))),
    pmap(pmap(sizes, axis_name="i"), axis_name="j", uneven=true)(zeros((3, 4))),
)
for one in all { print(tree_map(fn(leaf) = leaf[0, 0], one)) }

# expect: (4, 12, 2, 3, 10.0, 3.0)
# expect: (4, 12, 2, 3, 10.0, 3.0)
# expect: (4, 12, 2, 3, 10.0, 3.0)
# expect: (4, 12, 2, 3, 10.0, 3.0)
