# Powers of integers wrap around; all bits of the exponent are used.
let bases = [0, 1, -1, 2, 3, -3, 6]
print(bases ** 64, bases ** 65)
print(bases ** broadcast_to(64, (7,)), bases ** broadcast_to(65, (7,)), bases ** broadcast_to(1 << 30, (7,)))
print(u8([0, 1, 2, 3, 255]) ** u8(16), u8([0, 1, 2, 3, 255]) ** u8(255), u8([2, 3, 0]) ** u8(128))
print(i8([0, 1, 2, 3, -1, -2]) ** i8(100), i16([3, 2]) ** i16([12345, 15]))
print(i64([3, 2, 7, 0]) ** i64([100, 64, 1 << 40, 1 << 62]), u64([3, 2]) ** u64([18446744073709551615u64, 63]))
fn power(x, n) = x ** n
print(power(3, 20), power(3, 31), power(2, 40), vmap(power)([3, 2], [31, 33]), power(0, 0))
print(power(3i64, 40), power(2u8, 9))

# Functions that capture complex numbers are equal if both parts of the captured numbers are equal.
fn adds(z) = fn(x) = x + z
let (f, g, h) = (adds(1 + 2j), adds(1 + 3j), adds(1 + 2j))
print(f == g, f == h, adds(0.0) == adds(-0.0), adds(nan) == adds(nan))

# expect: [0, 1, 1, 0, 2038349057, 2038349057, 0] [0, 1, -1, 0, 1820079875, -1820079875, 0]
# expect: [0, 1, 1, 0, 2038349057, 2038349057, 0] [0, 1, -1, 0, 1820079875, -1820079875, 0] [0, 1, 1, 0, 1, 1, 0]
# expect: [0, 1, 0, 65, 1] [0, 1, 0, 171, 255] [0, 1, 0]
# expect: [0, 1, 0, -47, 1, 0] [13859, -32768]
# expect: [-2984622845537545263, 0, -1286384624032808959, 0] [12297829382473034411, 9223372036854775808]
# expect: -808182895 1264544299 0 [1264544299, 0] 1
# expect: -6289078614652622815 0
# expect: false true false true
