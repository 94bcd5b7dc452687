# A check that fails in a loop of compiled code names the iterations of the loops around it, innermost first.
fn told(f, *arguments) {
    let tried = attempt(f, *arguments)
    print(if tried.ok { "no error" } else { text.join(tried.error.notes, "; ") })
}

let xs = arange(3.0)
fn picked(xs, places) {
    mut sum = 0.0
    for i in range(2, 9, 2) {
        for k in places { sum += xs[k] * i }
    }
    sum
}
told(picked, xs, [0, 1, 2])
told(picked, xs, [0, 1, 7, 2])
told(value_and_grad(picked), xs, [0, 7])
told(grad(fn(xs) = grad(picked)(xs, [0, 1, 2, 5])[1]), xs)
told(vmap(picked), stack((xs, xs)), [[0, 1, 2], [0, 1, 9]])
told(vmap(grad(picked)), stack((xs, xs)), [[0, 1, 2], [0, 1, 9]])

# A failure in a function that the loop calls, under a condition, and in patterns.
fn root(x) {
    assert(x >= 0, "{x} has no root")
    sqrt(x)
}
fn roots(xs) {
    mut sum = 0.0
    for (i, x) in enumerate(xs) {
        if i != 1 { sum += root(x) }
    }
    sum
}
told(roots, array([1.0, -1.0, 4.0]))
told(roots, array([1.0, -1.0, 4.0, -9.0]))
told(fn(xs) = [root(x) for x in xs], array([1.0, 4.0, -9.0]))
told(fn(rows) = [[root(x) for x in row] for row in rows], array([[1.0, 4.0], [1.0, -4.0]]))
told(fn(xs) = scan(fn(sum, x) = (sum + root(x), sum), 0.0, xs), array([1.0, -4.0]))

# Loops that leave early, and loops around other loops.
fn until(xs, most) {
    mut sum = 0.0
    for x in xs {
        if sum > most { break }
        mut left = x
        while left > 1 { left = left / 2 }
        sum += root(x) * left
    }
    sum
}
told(until, array([1.0, 2.0, 0.5, -1.0]), 100.0)
told(until, array([1.0, 2.0, 2.0, -1.0]), 0.5)
told(until, array([4.0, 2.0, -1.0, -2.0]), 10.0)

# expect: no error
# expect: in iteration 2 of `for k in places`; in iteration 0 of `for i in range(2, 9, 2)`
# expect: in iteration 1 of `for k in places`; in iteration 0 of `for i in range(2, 9, 2)`; through `value_and_grad(picked)`
# expect: in iteration 3 of `for k in places`; in iteration 0 of `for i in range(2, 9, 2)`; through `grad(fn)`
# expect: at element 1 of the mapped axis; in iteration 2 of `for k in places`; in iteration 0 of `for i in range(2, 9, 2)`; through `vmap(picked)`
# expect: at element 1 of the mapped axis; in iteration 2 of `for k in places`; in iteration 0 of `for i in range(2, 9, 2)`; through `vmap(grad(picked))`
# expect: no error
# expect: in iteration 3 of `for (i, x) in enumerate(xs)`
# expect: in iteration 2 of `for x in xs`
# expect: in iteration 1 of `for x in row`; in iteration 1 of `for row in rows`
# expect: in iteration 1 of `scan(fn(sum, x) = (sum + root(x), sum), 0.0, xs)`
# expect: in iteration 3 of `for x in xs`
# expect: no error
# expect: in iteration 2 of `for x in xs`
