print(full(3, 1j, dtype=f64))
# error: PM0208 "full(3, 1j, dtype=f64)"
