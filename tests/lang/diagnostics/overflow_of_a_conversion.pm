# options: --check-overflow
fn narrow(x) = i16(x)
print(narrow(array([7, -32768])))
print(narrow(array([7, 70000])))

# expect: [7, -32768]
# error: PM0506 "i16(x)"
# message: `i16` wraps around at [1]: i16(70000)
# calls: 4:7
# help: i16 holds the integers from -32768 to 32767: clip(x, -32768, 32767)
