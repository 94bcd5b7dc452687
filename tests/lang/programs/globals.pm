# A compiled function is valid only while the globals of the module that it read are unchanged.
mut n = sum(ones(3, i32))
fn f(x) = sum(x + ones(n))
print(f(1.0))
n = sum(ones(5, i32))
print(f(1.0))
let a = arange(3.0)
mut b = a
fn g(x) = x + a + b * 10.0
print(g(1.0))
b = arange(3.0) + 100.0
print(g(1.0))
fn s(x) = square(x) + 0.0
print(s(3.0))
fn square(x) = x + 100.0
print(s(3.0))
# The index of an update may read the array that the update changes.
mut x = arange(4.0)
x[len(x) - 1] = 9.0
x[argmax(x)] = 0.0
print(x)
# A local function calls itself; a loop that changes the type of a name is unrolled.
fn outer(n) {
    fn d(k) = if k == 0 { 0 } else { 1 + d(k - 1) }
    d(n)
}
print(outer(4))
fn h(x) {
    mut out = ()
    for i in 0..3 { out += (x * i,) }
    out
}
print(h(2.0))
fn app(k, x, y) = k(x, y)
print(app(grad(fn(x, y) = x * y * y, argnums=argmax(array((1.0, 0.0)))), 2.0, 3.0), app(grad(fn(x, y) = x * y * y, argnums=argmax(array((0.0, 1.0)))), 2.0, 3.0))

# expect: 6.0
# expect: 10.0
# expect: [1, 12, 23]
# expect: [1001, 1012, 1023]
# expect: 9.0
# expect: 103.0
# expect: [0, 1, 2, 0]
# expect: 4
# expect: (0.0, 2.0, 4.0)
# expect: 9.0 12.0
