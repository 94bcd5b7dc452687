# Arrays and comprehensions with too many elements are errors before the program runs.
fn f(x) = sum([x * i for i in 0..3000000000])
print(f(1.0))

# error: PM0012 "[x * i for i in 0..3000000000]"
# message: the number `3000000000` does not fit i32
# note: i32 holds -2147483648 to 2147483647
