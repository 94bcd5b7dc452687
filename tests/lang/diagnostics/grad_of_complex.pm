fn f(z) = z * z
print(grad(f)(1 + 2j))
# error: PM0401 "grad(f)(1 + 2j)"
# message: `grad` needs a function that returns one number; `f` returns c64
# help: return a real number: real(...), imag(...) or abs(...)
# help: for the derivative of a holomorphic function give holomorphic=true
