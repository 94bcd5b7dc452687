# Collectives may move random keys between devices, but may not compute with keys.
# session: yes
let keys = random.split(random.key(0), 2)
vmap(fn(k) = psum(k, "i"), axis_name="i")(keys)
vmap(fn(k) = pmean(k, "i"), axis_name="i")(keys)
vmap(fn(k) = pmax(k, "i", axis_index_groups=((0,), (1,))), axis_name="i")(keys)
vmap(fn(k) = pmin((k, 1.0), "i"), axis_name="i")(keys)
vmap(fn(k) = psum_scatter(random.split(k, 2), "i"), axis_name="i")(keys)
vmap(fn(k) = pargmax(k, "i"), axis_name="i")(keys)
# error: PM0111 "k"
# message: `psum` needs numbers, got random keys
# error: PM0111 "k"
# message: `pmean` needs numbers, got random keys
# error: PM0111 "k"
# message: `pmax` needs numbers, got random keys
# error: PM0111 "(k, 1.0)"
# message: `pmin` needs numbers, got random keys at `.0`
# error: PM0111 "random.split(k, 2)"
# message: `psum_scatter` needs numbers, got random keys
# error: PM0111 "pargmax(k, "i")"
# message: `pargmax` needs numbers, got random keys
