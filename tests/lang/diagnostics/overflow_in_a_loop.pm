# options: --check-overflow
fn factorial(n) {
    mut product = 1
    for i in 1..n + 1 { product *= i }
    product
}
print(factorial(12))
print(factorial(13))

# expect: 479001600
# error: PM0506 "product *= i"
# message: `*` wraps around: 479001600 * 13
# calls: 8:7
# help: convert to a type with a larger range first: i64(x)
