# Loops of unknown trip count whose tapes of residuals are long, nested, or several.
fn close(a, b, tol=1e-9) = all(abs(a - b) <= tol * (1 + abs(b)))

# Computes x (1 + x) ** turns, for many elements and few iterations, and for few elements and many iterations.
fn until(x, limit) {
    mut y = x
    while sum(y) < limit { y = y + y * x }
    sum(y)
}
fn turns_of(x, limit) {
    mut y = x
    mut turns = 0
    while sum(y) < limit {
        y = y + y * x
        turns += 1
    }
    turns
}
fn known(x, limit) {
    let turns = turns_of(x, limit)
    (1 + x) ** turns + x * turns * (1 + x) ** (turns - 1)
}
let many = 0.5 + 0.5 * cos(arange(20000.0f64))
assert(turns_of(many, 1e6) > 3)
assert(close(grad(until)(many, 1e6), known(many, 1e6)))
let few = array((1e-4f64, 2e-4f64))
assert(turns_of(few, 1.0) > 40000)
assert(close(grad(until)(few, 1.0), known(few, 1.0), 1e-6))
assert(close(vmap(grad(until), in_axes=(0, none))(stack((few, few * 2, few * 50)), 1.0)[0], grad(until)(few, 1.0)))

# A piece of a tape becomes full within an iteration: after a branch, in an inner loop, or between two writes to it.
fn branches(x, n) {
    mut y = x
    mut i = 0
    while i < n {
        if i % 3 == 0 { y = sin(y) } else { y = y * y + cos(y) }
        mut j = 0
        while j < i % 4 {
            y = y * 0.5 + sqrt(1 + y * y)
            j += 1
        }
        y = y / (1 + y * y)
        i += 1
    }
    sum(y)
}
fn slope(f, x, h) = (f(x + h) - f(x - h)) / (2 * h)
let start = array((0.3f64, -0.7f64, 1.1f64))
for turns in (0, 1, 2, 5, 40) {
    let one = grad(fn(x) = branches(x, turns))(start)
    assert(close(one, array([slope(fn(t) = branches(t, turns), s, 1e-6) for s in start]), 1e-5))
}
let row = grad(fn(x) = branches(x, 40))
let twice = grad(fn(x) = sum(row(x)))(start)
assert(close(twice, array([slope(grad(fn(x) = branches(x, 40)), s, 1e-6) for s in start]), 1e-4))
assert(close(vmap(fn(x, n) = grad(branches)(x, n))(start, array((40, 0, 7))),
             array((grad(branches)(start[0], 40), grad(branches)(start[1], 0), grad(branches)(start[2], 7)))))

# When the piece of the tape is full, the memory of the loop index already holds another value.
fn late(x, n) {
    mut z = x
    for k in 0..3 {
        if x * k < 0.65 {
            mut w = x + 1
            while w < n { (z, w) = (z * w, w * 1.5) }
        } else { z = z * x }
    }
    z
}
assert(close(grad(late)(0.6f64, 4.0f64), slope(fn(x) = late(x, 4.0f64), 0.6f64, 1e-6), 1e-8))
