fn f(z) = special.i0(z)
print(vmap(f)(array([1j, 2])))
# error: PM0203 "special.i0(z)"
# message: `special.i0` takes real numbers, not complex ones
# note: through `vmap(f)`
# help: take what is meant: real(z), imag(z) or abs(z)
