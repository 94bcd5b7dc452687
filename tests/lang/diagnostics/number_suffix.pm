print(3kg)

# configs: compiled
# error: PM0011 "3kg"
# message: `3kg` is not a number: unknown suffix `kg`
# help: a suffix is a dtype, as in 2f64 or 7i64, or j for an imaginary number; a product is written with `*`
