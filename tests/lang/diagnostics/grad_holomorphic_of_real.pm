fn f(z) = z * z
print(grad(f, holomorphic=true)(2.0))
# error: PM0401 "grad(f, holomorphic=true)(2.0)"
