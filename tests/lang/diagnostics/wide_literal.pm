let a = array([3000000000, 1], dtype=i64)
print(a)
let b = [3000000000, 1]

# expect: [3000000000, 1]
# error: PM0012 "[3000000000, 1]"
# message: the number `3000000000` does not fit i32
