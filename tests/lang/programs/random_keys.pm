# Random keys are JAX's threefry, with the bits of jax.random (jax 0.10, partitionable).
let key = random.key(0)
print(random.bits(key, (2,)), random.uniform(key, (3,)))
let (a, b) = random.split(key)
print(random.normal(a, (2,)), random.randint(b, (4,), 0, 10))
print(random.uniform(random.fold_in(key, 7)), vmap(fn(k) = random.uniform(k))(random.split(key, 3)))
print(random.permutation(key, 8))

# expect: [4070199207, 4202968722] [0.947667, 0.9785799, 0.33229148]
# expect: [1.0040143, -0.9063372] [2, 2, 6, 5]
# expect: 0.47504628 [0.8423141, 0.0072938204, 0.9024495]
# expect: [0, 1, 5, 6, 4, 3, 2, 7]
