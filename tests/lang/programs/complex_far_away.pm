# Inverse functions and exp of complex numbers with large or infinite parts.
fn near(z, w) =
    abs(real(z) - real(w)) <= 1e-5 * (abs(real(w)) + 1e-30) and
    abs(imag(z) - imag(w)) <= 1e-5 * abs(imag(w))
let pi2 = 1.5707963
print(
    near(arctan(complex(1e20, 1e20)), complex(pi2, 5e-21)),
    near(arctanh(complex(1e20, 1e20)), complex(5e-21, pi2)),
)
print(
    near(arcsin(complex(1e20, -1e20)), complex(0.7853982, -47.091423)),
    near(arccos(complex(1e20, -1e20)), complex(0.7853982, 47.091423)),
)
print(
    near(arcsinh(complex(-1e20, 1e20)), complex(-47.091423, 0.7853982)),
    near(arccosh(complex(-1e20, 1e20)), complex(47.091423, 2.3561945)),
)
# expect: true true
# expect: true true
# expect: true true

# Infinite parts: the values of C99, annex G.
print(arctan(complex(inf, inf)), arctanh(complex(1.0, inf)), arctanh(complex(inf, -1.0)))
print(arcsinh(complex(0.0, inf)), arcsinh(complex(-inf, 1.0)), arcsinh(complex(inf, inf)))
print(arccosh(complex(inf, inf)), arccosh(complex(-inf, 1.0)), arccos(complex(-inf, inf)))
# expect: 1.5707964+0j 0+1.5707964j 0-1.5707964j
# expect: inf+1.5707964j -inf+0j inf+0.7853982j
# expect: inf+0.7853982j inf+3.1415927j 2.3561945-infj

# A part of exp may be finite although exp of the real part is not.
print(
    abs(imag(exp(complex(100.0, 1e-6))) / 2.6881171e37 - 1) < 1e-6,
    abs(real(exp(complex(89.0, 1.5))) / 3.1757e37 - 1) < 1e-4,
)
print(imag(exp(complex(100.0, 0.0))), exp(complex(-inf, 1.0)), exp(complex(inf, 0.0)))
# expect: true true
# expect: 0.0 0+0j inf+0j
