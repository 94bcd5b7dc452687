# Defaults, named arguments, spreading, recursion and methods work equally at the top level and in a compiled function.

fn f(x, y=1) = x + y
print((f(1), f(1, 2), f(1, y=5), f(y=1, x=2)))
fn case1() {
    fn f(x, y=1) = x + y
    (f(1), f(1, 2), f(1, y=5), f(y=1, x=2))
}
print(case1())

fn serial(*layers) = len(layers)
print((serial(), serial(1, 2), serial(*(1, 2, 3)), serial(*[1, 2])))
fn case2() {
    fn serial(*layers) = len(layers)
    (serial(), serial(1, 2), serial(*(1, 2, 3)), serial(*[1, 2]))
}
print(case2())

fn f(x, y=x + 1) = y
print(f(2))
fn case3() {
    fn f(x, y=x + 1) = y
    f(2)
}
print(case3())

fn fact(n) = if n <= 1 { 1 } else { n * fact(n - 1) }
print(fact(10))
fn case4() {
    fn fact(n) = if n <= 1 { 1 } else { n * fact(n - 1) }
    fact(10)
}
print(case4())

let r = {f: fn(x) = x + 1}
print(r.f(2))
fn case5() {
    let r = {f: fn(x) = x + 1}
    r.f(2)
}
print(case5())

fn f(x, a) = x - a
print(5.f(3))
fn case6() {
    fn f(x, a) = x - a
    5.f(3)
}
print(case6())

let f = fn(x) = -x
print(f(2) ** 2)
fn case7() {
    let f = fn(x) = -x
    f(2) ** 2
}
print(case7())

# expect: (2, 3, 6, 3)
# expect: (2, 3, 6, 3)
# expect: (0, 2, 3, 2)
# expect: (0, 2, 3, 2)
# expect: 3
# expect: 3
# expect: 3628800
# expect: 3628800
# expect: 3
# expect: 3
# expect: 2
# expect: 2
# expect: 4
# expect: 4

# A function that was compiled for some types is compiled again for the same types under other device axes.
let share = jit(fn(x) = psum(x, "i") / axis_size("i") + axis_index("i"))
fn over_both(a, b) = (vmap(share, axis_name="i")(a), vmap(share, axis_name="i")(b))
print(jit(over_both)(ones((2, 3)), ones((3, 3))))
# expect: ([[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2], [3, 3, 3]])
