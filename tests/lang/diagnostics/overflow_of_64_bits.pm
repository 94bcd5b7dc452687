# options: --check-overflow
let big = array([9223372036854775807, 1], i64)
print(big - 1)
print(big + 1)

# expect: [9223372036854775806, 0]
# error: PM0506 "big + 1"
# message: `+` wraps around at [0]: 9223372036854775807 + 1
# help: no integer has more than 64 bits: convert to f64 first, f64(x)
