# Values and derivatives of every collective equal those of a reference, `all`. Maps by pmap and vmap; four slices on two and on eight devices.
# slow: yes
# devices: 2 8
# configs: compiled evaluate mixed-3
import "_collectives.pm" as table

let maps = (
    ("pmap", fn(f) = pmap(f, axis_name="i")),
    ("vmap", fn(f) = vmap(f, axis_name="i")),
)
## The derivative of f, as the pullback of f's pullback.
fn twice_transposed(f, x, dx) {
    let (y, back) = vjp(f, x)
    vjp(fn(ct) = back(ct)[0], zeros_like(y))[1](dx)[0]
}
fn check(one, map_name, map) {
    let what = "{one.name}, {map_name}"
    let x = table.sample((table.n,) + one.shape)
    let dx = table.sample((table.n,) + one.shape, 7.0)
    let bent = fn(t) = sin(one.f(t * t))           # inputs for which second derivatives are not zero
    let bent_all = fn(t) = sin(one.all(t * t))
    let y = one.all(x)
    let w = table.sample(y.shape, 3.0)
    table.near("{what}: value", map(one.f)(x), y)
    table.near("{what}: jvp", jvp(map(bent), (x,), (dx,)), jvp(bent_all, (x,), (dx,)))
    table.near("{what}: vjp", vjp(map(bent), x)[1](w), vjp(bent_all, x)[1](w))
    table.near("{what}: vjp of vjp", twice_transposed(map(bent), x, dx), jvp(bent_all, (x,), (dx,))[1])
    # a gradient within the map is the gradient of the sum of the losses of all devices
    table.near(
        "{what}: grad inside",
        map(fn(t, v) = grad(fn(s) = sum(v * bent(s)))(t))(x, w),
        grad(fn(s) = sum(w * bent_all(s)))(x),
    )
    table.near(
        "{what}: second derivative",
        jvp(grad(fn(s) = sum(w * map(bent)(s))), (x,), (dx,))[1],
        jvp(grad(fn(s) = sum(w * bent_all(s))), (x,), (dx,))[1],
    )
    table.near(
        "{what}: second derivative inside",
        map(fn(t, v, dt) = jvp(grad(fn(s) = sum(v * bent(s))), (t,), (dt,))[1])(x, w, dx),
        jvp(grad(fn(s) = sum(w * bent_all(s))), (x,), (dx,))[1],
    )
}
for one in table.moving + table.adding + table.choosing + table.within_groups {
    for (map_name, map) in maps { check(one, map_name, map) }
}
print("done")
# expect: done
