# options: --check-overflow
fn f(x, n) = x * f32(sum(n * n))
print(grad(f)(2.0, array([3, 4])))
print(grad(f)(2.0, array([3, 65536])))

# expect: 25.0
# error: PM0506 "n * n"
# message: `*` wraps around at [1]: 65536 * 65536
# calls: 4:7
# note: through `grad(f)`
# help: convert to a type with a larger range first: i64(x)
