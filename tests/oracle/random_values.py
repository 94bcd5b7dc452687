# Writes tests/oracle/random_values.txt: values of jax.random, with which random_values.pm compares.
# python3 random_values.py > random_values.txt   (jax 0.10.2, CPU)
import jax
import jax.numpy as jnp
import numpy as np


def show(name, value):
    value = np.asarray(value)
    if value.dtype == np.float32:
        words = [f"{w:08x}" for w in value.ravel().view(np.uint32)]
    else:
        words = [str(w) for w in value.ravel()]
    print(name, *words)


r, key = jax.random, jax.random.key(42)
for name, k in [("key", key), ("split", r.split(key, 3)), ("fold_in", r.fold_in(key, 7)), ("key_large", r.key(2**31 - 1))]:
    show(name, r.key_data(k))
show("bits", r.bits(key, (5,)))
show("bits8", r.bits(key, (5,), jnp.uint8))
show("bits16", r.bits(key, (2, 3), jnp.uint16))
show("uniform", r.uniform(key, (2, 4)))
show("uniform_range", r.uniform(key, (6,), minval=-3.0, maxval=5.0))
show("normal", r.normal(key, (8,)))
show("truncated_normal", r.truncated_normal(key, -2.0, 2.0, (6,)))
show("randint", r.randint(key, (10,), 0, 1000))
show("randint_wide", r.randint(key, (4,), -(2**31), 2**31 - 1))
show("randint8", r.randint(key, (6,), -5, 100, jnp.int8))
show("permutation", r.permutation(key, 20))
show("permutation_array", r.permutation(key, jnp.arange(12).reshape(4, 3)))
show("permutation_axis", r.permutation(key, jnp.arange(12).reshape(4, 3), axis=1, independent=True))
show("permutation_long", r.permutation(key, 2000)[:10])
show("choice", r.choice(key, 10, (6,)))
show("choice_without", r.choice(key, jnp.arange(10) * 10, (4,), replace=False))
show("choice_p", r.choice(key, 4, (8,), p=jnp.array([0.1, 0.2, 0.3, 0.4])))
show("choice_without_p", r.choice(key, 5, (3,), replace=False, p=jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])))
show("bernoulli", r.bernoulli(key, 0.3, (12,)).astype(jnp.int32))
show("gumbel", r.gumbel(key, (4,)))
show("categorical", r.categorical(key, jnp.log(jnp.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])), shape=(5, 2)))
show("categorical_axis", r.categorical(key, jnp.arange(12.0).reshape(3, 4) / 4, axis=0))
show("exponential", r.exponential(key, (4,)))
show("laplace", r.laplace(key, (4,)))
show("logistic", r.logistic(key, (4,)))
show("cauchy", r.cauchy(key, (4,)))
show("rademacher", r.rademacher(key, (8,)))
show("loggamma", r.loggamma(key, jnp.array([0.5, 1.0, 3.0, 20.0])))
show("gamma", r.gamma(key, jnp.array([0.5, 1.0, 3.0, 20.0])))
show("beta", r.beta(key, 2.0, 3.0, (4,)))
show("dirichlet", r.dirichlet(key, jnp.array([1.0, 2.0, 3.0])))
show("poisson", r.poisson(key, jnp.array([0.5, 4.0, 30.0, 200.0])))
show("triangular", r.triangular(key, 0.0, 1.0, 3.0, (4,)))
show("geometric", r.geometric(key, 0.3, (6,)))
