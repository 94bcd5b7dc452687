# Two pmaps, one directly after the other. The second reads the results of all lanes of the first, or has other lanes.
# devices: 1 2 3 8
let turns = fn(v) {
    mut t = v
    while t < 40.0 { t = 2.0 * t }
    t
}
let whole = jit(fn(v) {
    let first = pmap(fn(b) = v)([1.0, 2.0])
    pmap(fn(b, all) = b + all, in_axes=(0, none))([10.0, 20.0], first)
})
print(whole(0.5))
let reversed_rows = jit(fn(x) {
    let first = pmap(turns, uneven=true)(x)
    pmap(fn(i, all) = turns(all[7 - i]) - i, in_axes=(0, none), uneven=true)(arange(8), first)
})
let x = arange(1.0, 9.0)
print(reversed_rows(x), array_equal(reversed_rows(x), vmap(turns)(x)[::-1] - arange(8)))
let other_lanes = jit(fn(x, y) = (pmap(turns, uneven=true)(x), pmap(turns, uneven=true)(y), pmap(turns, uneven=true)(x[:2])))
print(other_lanes(x[:3], x))
print(jit(fn(v) = vmap(fn(q) = sum(pmap(fn(b) = q)([3.0, 4.0]) * [0.75, -0.5]))(pmap(fn(b) = v)([1.0, 2.0])))(0.5))
# expect: [[10.5, 10.5], [20.5, 20.5]]
# expect: [64, 55, 46, 37, 60, 43, 58, 57] true
# expect: ([64, 64, 48], [64, 64, 48, 64, 40, 48, 56, 64], [64, 64])
# expect: [0.125, 0.125]
