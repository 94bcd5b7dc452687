fn f(x) { print("{x:.2}"); x }
print(f(3))

# error: PM0116 "{x:.2}"
# message: `.2` is not a format for i32
# note: it is Python's format language: ">8", ".4f", "05d" ...
