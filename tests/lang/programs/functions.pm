# Functions have defaults, named and rest arguments, closures, methods, and recursion that known values end.
fn f(x, y=2, scale=1) = (x + y) * scale
fn count(first, *rest) = len(rest)
print(f(1), f(1, 3), f(1, scale=10), f(*(1, 2)), count(1, 2, 3))
fn adder(n) = fn(x) = x + n
let add3 = adder(3)
print(add3(4), 5.adder()(1))
fn compose(*fs) = fn(x) {
    mut y = x
    for f in fs { y = f(y) }
    y
}
print(compose(fn(x) = x * 2, fn(x) = x + 1)(10))
fn fib(n) = if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
print(fib(15))
fn fact(n) {
    if n == 0 { return 1 }
    n * fact(n - 1)
}
print(fact(10), [1.0, 2.0].sum(), arange(6).reshape(2, 3).shape)

# expect: 3 4 30 3 2
# expect: 7 6
# expect: 21
# expect: 610
# expect: 3628800 3.0 (2, 3)
