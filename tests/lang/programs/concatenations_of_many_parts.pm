# Many parts are concatenated: parts of one element, small arrays of one shape, arrays of several shapes.
fn beside(xs) = concatenate((x * 2 for x in xs), axis=1)
fn below(xs) = concatenate((x + 1 for x in xs), axis=0)
let xs = (arange(k * 20.0, k * 20 + 20).reshape(4, 5) for k in 0..12)
print(beside(xs)[1, 3:17], sum(beside(xs) * arange(240).reshape(4, 60)))
print(below(xs)[3:6, 2], sum(below(xs) * arange(240).reshape(48, 5)))
print(grad(fn(xs) = sum(beside(xs)[1] ** 2))(xs).3[1], vmap(below)((stack((x, -x)) for x in xs))[1, 7])
fn growing(axis) = concatenate((full((1, k), k) * (k + 1) for k in 0..12), axis=axis)
print(jit(fn(_) = growing(1))(0)[0, 40:])
fn numbers(t) = array(t)
print(sum(numbers(tuple(arange(1000)))), numbers((1, 2.5, 3, 4, 5, 6, 7, 8, 9, 10.5)))
fn turning(x) {
    mut y = x
    for i in 0..20 { y = array(tuple(y)[1:] + tuple(y)[:1]) * 2 - i }
    y
}
print(turning(arange(20.0)), grad(fn(x) = sum(turning(x) * x))(arange(20.0))[:3])
fn halves(x) = concatenate((x[k:k + 1].astype(f16) / (k + 1) for k in 0..20))
print(halves(arange(20.0))[16:], pmap(halves)(arange(40.0).reshape(2, 20))[1, 3:6])
# expect: [16, 18, 50, 52, 54, 56, 58, 90, 92, 94, 96, 98, 130, 132] 7607480.0
# expect: [18, 23, 28] 4607920.0
# expect: [520, 528, 536, 544, 552] [-34, -35, -36, -37, -38]
# expect: [90, 90, 90, 90, 90, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 132, 132, 132, 132, 132, 132, 132, 132, 132, 132, 132]
# expect: 499500 [1.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.5]
# expect: [-1048555, 21, 1048597, 2097173, 3145749, 4194325, 5242901, 6291477, 7340053, 8388629, 9437205, 10485781, 11534357, 12582933, 13631509, 14680085, 15728661, 16777236, 17825812, 18874388] [-1048555, 1048597, 3145749]
# expect: [0.9414, 0.9443, 0.9473, 0.95] [5.75, 4.8, 4.168]
