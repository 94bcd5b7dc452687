# Messages of assertions in compiled code can print whole arrays and any number of values.
fn f(x) {
    assert(all(x > 0), "x {x}, {x + 1}, {sum(x)}, {max(x)}, {min(x)}, {x.shape[0]}")
    x
}
print(f([1.0, 2.0]))
print(vmap(f)([[1.0, 2.0], [3.0, 0.0]]))

# expect: [1, 2]
# error: PM0503
# message: x [3, 0], [4, 1], 3.0, 3.0, 0.0, 2 ([3, 0] > 0)
