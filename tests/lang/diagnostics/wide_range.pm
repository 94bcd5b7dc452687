# The variable of a compiled loop is an i32; interpreted loops count further.
for i in 2147483646..2147483649 { print(i) }
fn f(x) {
    for i in 2147483646..2147483649 { print(i) }
    x
}
f(0.0)

# expect: 2147483646
# expect: 2147483647
# expect: 2147483648
# error: PM0012 "2147483646..2147483649"
# message: the number `2147483648` is too large for i32
