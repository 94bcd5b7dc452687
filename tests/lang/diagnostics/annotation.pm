fn f(x: f32[n, n]) = sum(x)
print(f(zeros((2, 3))))

# error: PM0277 "zeros((2, 3))"
# message: the size `n` is 3 here, but 2 elsewhere
# second: "n"
# note: the value is f32[2, 3]
# note: sizes here: n = 2
