# A function that the program defines hides a method of the prelude, from its definition on.
fn total(x) = x.sum()
print(total([1, 2]))
fn sum(x) = 42
print(total([1, 2]))

# Definitions of the program do not change the meaning of operators.
fn matmul(a, b) = 7
let minimum = 3
mut least = 5
least min= 2
least max= 1
print([[1, 2]] @ [3, 4], least)

# A recursive local function calls itself, not the function with its name in the module.
fn helper(n) = 100 + n
fn outer(n) {
    fn helper(n) = if n == 0 { 0 } else { 1 + helper(n - 1) }
    helper(n)
}
print(outer(3), helper(1))

# Functions and ranges are equal if all the values that they capture are equal.
fn adder(n) = fn(x) = x + n
print(adder(1) == adder(2), adder(1) == adder(1), (0..3) == (0..4), (0..3) == (0..3))

# A loop that assigns a function or a range is unrolled.
fn exchanged(x) {
    mut g = adder(2.0)
    mut turns = 0..3
    mut out = x
    for i in 0..2 {
        out = g(out)
        g = adder(5.0)
        for j in turns { out += 1.0 }
        turns = 0..i + 1
    }
    out
}
print(exchanged(1.0), exchanged(ones(2)))

# Captured numbers of functions have derivatives and batch axes like arguments.
print(jvp(fn(h, x) = h(x) * x, (adder(2.0), 3.0), (adder(1.0), 1.0)))
let (value, back) = vjp(fn(h, x) = h(x) * x, adder(2.0), 3.0)
let (dh, dx) = back(1.0)
print(value, dh(0.0), dx)
print(vmap(fn(x) = (0..3, x), out_axes=(0, 1))(ones((2, 3)))[1].shape)

# The expression of an index runs once.
fn noted(i) {
    print("index", i)
    i
}
mut grid = zeros((2, 2))
grid[noted(1)][0] = 5
grid[noted(0)][1] += 2
print(grid, (grid with [noted(0)][0] = 1)[0])

# The counter of a loop has no dtype, whether the trip count is known or unknown.
fn counted(n, t) {
    mut out = t
    for i in 0..n { out = out + out * i }
    out
}
print(counted(3, i8(2)), counted(3, u8([250])), fori_loop(0, 3, fn(i, t) = t + i, u8(250)))
fn bytes(n) = [u8(250) + i * 4 for i in 0..n]
print(bytes(3), [u8(250) + i * 4 for i in 0..3])
fn length(n) = (len(5..n), len(range(9, n, 2)))
print(length(3), length(8))

# expect: 3
# expect: 42
# expect: [11] 2
# expect: 3 101
# expect: false true false true
# expect: 12.0 [12, 12]
# expect: (15.0, 11.0)
# expect: 15.0 3.0 8.0
# expect: (3, 2)
# expect: index 1
# expect: index 0
# expect: index 0
# expect: [[0, 2], [5, 0]] [1, 2]
# expect: 12 [220] 253
# expect: [250, 254, 2] [250, 254, 2]
# expect: (0, 0) (3, 0)
