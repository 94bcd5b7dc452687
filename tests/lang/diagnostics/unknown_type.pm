fn f(x: float[n]) = sum(x)
print(f(ones(3)))

# configs: compiled
# error: PM0029 "float"
# message: unknown type `float`
# note: types are the dtypes, f32[n, d], tuples and records of types, str, fn, any and _
# caret: did you mean `f32`?
