# JAX's threefry: the same bits as jax.random (jax 0.10, partitionable).
let key = random.key(0)
print(random.bits(key, (2,)), random.uniform(key, (3,)))
let (a, b) = random.split(key)
print(random.normal(a, (2,)), random.randint(b, (4,), 0, 10))
print(random.uniform(random.fold_in(key, 7)), vmap(fn(k) = random.uniform(k))(random.split(key, 3)))
print(random.permutation(key, 8))
