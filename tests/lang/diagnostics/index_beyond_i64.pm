let x = [1, 2, 3]
fn f(x, i) = x[i]
print(f(x, [2u64]))
print(f(x, [18446744073709551615u64]))

# expect: [3]
# error: PM0501 "i"
# message: index 18446744073709551615 is out of range for axis 0 of size 3
