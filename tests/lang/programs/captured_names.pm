# A local function captures the names that it reads before it binds them, and no other names of the scopes around it.

# The parameter `c` of the solvers is not the tangent `c`. Reverse mode cannot run solvers that capture a tangent.
fn quotient(a, c) = custom_linear_solve(
    fn(x) = a * x,
    c,
    fn(_, c) = c / a,
    transpose_solve=fn(_, c) = c / a,
)
let linear = custom_jvp(quotient, fn((a, c), (_, dc)) {
    let y = quotient(a, c)
    let c = dc
    let solve = fn(_, r) {
        let c = r
        mut sum = 0.0
        for dc in (1.0, 3.0) { sum += dc * c }
        sum / (4 * a) + 0.0 * [c for c in [r]][0]
    }
    (y, custom_linear_solve(fn(x) = a * x, c, solve, transpose_solve=solve))
})
print(grad(fn(c) = linear(2.0, c))(3.0), jvp(linear, (2.0, 3.0), (0.0, 1.0)).1)
let direct = custom_jvp(quotient, fn((a, c), (_, dc)) {
    let y = quotient(a, c)
    let c = dc
    fn solve(f, c) {
        fn c_of(c) = c / a
        c_of(c)
    }
    (y, custom_linear_solve(fn(x) = a * x, c, solve, transpose_solve=solve))
})
print(grad(fn(c) = direct(4.0, c))(3.0))

# A name that is read before it is bound is captured: in a default, a value, a source, an inner function, a method.
fn outer(n, xs, twice) {
    fn by_default(x, n=n) = x * n
    fn by_value(x) {
        let n = n + x
        n
    }
    fn by_source(x) {
        mut sum = x
        for xs in xs { sum += xs }
        sum
    }
    fn by_inner(x) {
        let inner = fn() = n * x
        let n = 1
        inner() + n
    }
    fn by_method(x) {
        let y = x.twice()
        let twice = 1
        y + twice
    }
    fn by_branch(x) {
        if x > 0 {
            let n = 1
            print("inside {n}")
        }
        n
    }
    (by_default(2), by_value(2), by_source(2), by_inner(2), by_method(2), by_branch(2))
}
print(outer(10, (1, 2), fn(x) = 2 * x))

# The name of a size is a value of the function, which hides the name around it.
fn sizes(n, data) {
    fn length(x: f32[n]) = n
    fn later(x) {
        let y: f32[n] = x
        n + len(y)
    }
    fn by_default(x: f32[n], k=n) = (n, k)
    (length(data), later(data), by_default(data))
}
print(sizes(7, [1.0, 2.0, 3.0]))

# The name of a local function is the function itself in its body.
fn factorials(f) {
    let of_outer = f(1)
    fn f(k) = if k < 2 { 1 } else { k * f(k - 1) }
    (of_outer, f(5))
}
print(factorials(fn(x) = x + 1))

# expect: 0.5 0.5
# expect: 0.25
# expect: inside 1
# expect: (20, 12, 5, 21, 5, 10)
# expect: (3, 6, (3, 7))
# expect: (2, 120)
