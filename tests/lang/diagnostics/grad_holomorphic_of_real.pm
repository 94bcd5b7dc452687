fn f(z) = z * z
print(grad(f, holomorphic=true)(2.0))

# error: PM0401 "grad(f, holomorphic=true)(2.0)"
# message: `grad` needs a function that returns one number; `f` returns f32, not a complex number
# second: "fn f(z)" returns f32
# note: with holomorphic=true the function goes from complex to complex numbers
# help: leave out holomorphic=true, or give complex arguments: c64(x)
