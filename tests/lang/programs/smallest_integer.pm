# The smallest i64 is a valid literal, although its digits without the minus do not fit an i64.
let least = -9223372036854775808
print(least, least + 1, -9223372036854775808i64)
print(zip((1, 2), "ab"), enumerate((1, 2)), reversed(0..3))

# expect: -9223372036854775808 -9223372036854775807 -9223372036854775808
# expect: zip((1, 2), "ab") enumerate((1, 2)) reversed(0..3)
