# options: --check-overflow
print(-array([1, 0], i8))
print(-array([1, 0], u8))

# expect: [-1, 0]
# error: PM0506 "-array([1, 0], u8)"
# message: `-` wraps around at [0]: -(1)
# help: convert to a type with a larger range first: i32(x)
