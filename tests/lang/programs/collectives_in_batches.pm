# Collectives with a batch along every axis of the operand, with the vmap inside or outside of the map. In nested maps,
# an exchange of pmap and vmap changes no value.
# slow: yes
# devices: 1 4
# configs: compiled evaluate mixed-3
import "_collectives.pm" as table

let maps = (("pmap", pmap), ("vmap", vmap))

## The operand has a batch axis of size two at each position. Results have it last (vmap inside) or at 1 (outside).
fn check(one, map_name, map) {
    let what = "{one.name}, {map_name}"
    let x = table.sample((2, table.n) + one.shape)
    let y = stack((one.all(x[0]), one.all(x[1])))
    for place in tuple(range(len(one.shape) + 1)) {
        let inner = moveaxis(x, 0, place + 1)
        let got = map(vmap(one.f, in_axes=place, out_axes=-1), axis_name="i")(inner)
        table.near("{what}: a batch along axis {place} inside", got, moveaxis(y, 0, -1))
        let outer = moveaxis(x, 0, place)
        let got = vmap(map(one.f, axis_name="i"), in_axes=place, out_axes=1)(outer)
        table.near("{what}: a batch along axis {place} around", got, moveaxis(y, 0, 1))
    }
    # the mapped axis is the last axis
    let got = map(one.f, axis_name="i", in_axes=-1, out_axes=-1)(moveaxis(x[0], 0, -1))
    table.near("{what}: the last axis", got, moveaxis(y[0], 0, -1))
    # a batch of derivatives
    let w = table.sample(y.shape, 3.0)
    let slope = fn(t, v) = grad(fn(s) = sum(v * map(fn(u) = sin(one.f(u)), axis_name="i")(s)))(t)
    let slope_all = fn(t, v) = grad(fn(s) = sum(v * sin(one.all(s))))(t)
    table.near("{what}: a batch of gradients", vmap(slope)(x, w), stack((slope_all(x[0], w[0]), slope_all(x[1], w[1]))))
    # only one of two operands has a batch axis
    let sums = fn(a, b) = map(fn(s, t) = one.f(s) + one.f(t), axis_name="i", in_axes=(0, none))(a, b)
    let expected = stack((sums(x[0], x[1, 0]), sums(x[1], x[1, 0])))
    table.near("{what}: one of two batched", vmap(sums, in_axes=(0, none))(x, x[1, 0]), expected)
    # the values are equal on all devices: a psum multiplies by their number
    let common = map(fn(t) = one.f(t), axis_name="i", in_axes=none, axis_size=table.n)(x[0, 0])
    table.near("{what}: of a common value", common, one.all(table.everywhere(x[0, 0])))
}
## Collectives over the inner and over the outer of two maps; each map is a pmap or a vmap.
fn check_nested(one) {
    let x = table.sample((2, table.n) + one.shape)
    let y = stack((one.all(x[0]), one.all(x[1])))
    for (outer_name, outer) in maps {
        for (inner_name, inner) in maps {
            let what = "{one.name}, {inner_name} in {outer_name}"
            table.near("{what}: over the inner", outer(inner(one.f, axis_name="i"))(x), y)
            let over_outer = outer(inner(one.f, in_axes=0, out_axes=0), axis_name="i")
            table.near("{what}: over the outer", over_outer(moveaxis(x, 0, 1)), moveaxis(y, 0, 1))
            let named = inner(fn(t) = one.f(t) + axis_index("k"), axis_name="i")
            let offset = array([0, 1]).reshape((2,) + (1,) * (y.ndim - 1))
            table.near("{what}: beside another name", outer(named, axis_name="k")(x), y + offset)
            # if two axes have one name, a collective uses the inner axis
            table.near("{what}: one name for both", outer(inner(one.f, axis_name="i"), axis_name="i")(x), y)
        }
    }
}
for one in table.moving + table.adding + table.choosing + table.within_groups {
    for (map_name, map) in maps { check(one, map_name, map) }
    check_nested(one)
}
print("done")
# expect: done
