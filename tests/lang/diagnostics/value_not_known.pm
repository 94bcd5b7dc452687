fn f(x) = zeros(i32(sum(x)))
print(f(ones(3)))

# error: PM0274 "i32(sum(x))"
# message: a shape must be known before the program runs, but it is computed from the elements of an array
# note: sizes, axes, tuple indices and slice bounds are fixed while a function is compiled
