# For names of Python, NumPy, JAX, Optax, Flax and PyTorch the message has the equivalent of this language.
# session: yes
jnp.zeros((3,))
np.float32(3)
jax.random.PRNGKey(0)
jnp.linalg.invert(eye(2))
jax.nn.relu(1.0)
jax.tree_util.tree_map(abs, 1)
torch.zeros(3)
optax.adam(0.1)
math.sqrt(2.0)
np.nothing(3)
import math
import os
remat(fn(x) = x)
isinstance(3, int)
list(range(3))
raise("x")
ValueError("x")
__name__
stats.norm.logpdf(1.0)
linalg.invert(eye(2))
optim.chain(1.0)
random.rand(3)
random.seed(0)
nn.mse_loss(ones(2), ones(2))
nn.Linear(3, 4)
special.igamma(1.0, 2.0)
special.nothing(1.0)
tree.tree_map(abs, 1)
{a: 1}.items()
{a: 1} | {b: 2}
ones(3).item()
ones(3).numpy()
ones(3).view(3)
ones(3).at[0].set(1.0)
"a,b".split(",")
"a".format(3)
(1, 2).append(3)
optim.adam(learning_rate=0.1)
mean(ones(3), dim=0)
ones(3).sum(dim=0)
random.normal(seed=0)
random.normal(random.key(0), size=(3,))
jit(abs, static_argnums=0)
jit(abs, donate_argnums=0)
linalg.norm(ones(3), out=3)
checkpoint(abs, policy=("dots_saveable",))
pass
println(3)
dict(a=1)
type(3)
open("x")

# error: PM0101 "jnp"
# message: unknown name `jnp`
# help: write zeros
# error: PM0101 "np"
# message: unknown name `np`
# help: the dtype is called f32
# error: PM0101 "jax"
# message: unknown name `jax`
# help: a key is made by random.key(0)
# error: PM0101 "jnp"
# message: unknown name `jnp`
# help: linalg.inv(a)
# error: PM0101 "jax"
# message: unknown name `jax`
# help: write nn.relu
# error: PM0101 "jax"
# message: unknown name `jax`
# help: tree.map(f, t)
# error: PM0101 "torch"
# message: unknown name `torch`
# help: write zeros
# error: PM0101 "optax"
# message: unknown name `optax`
# help: write optim.adam
# error: PM0101 "math"
# message: unknown name `math`
# help: write sqrt
# error: PM0101 "np"
# message: unknown name `np`
# help: write functions of arrays without the name of a module: zeros(3), not jnp.zeros(3)
# error: PM0113 "math"
# message: cannot import `math`: the standard library has no such module
# help: nothing needs an import: zeros(3), grad(f), random.key(0), linalg.inv(a)
# error: PM0113 "os"
# message: cannot import `os`: the standard library has no such module
# help: nothing needs an import; files: read_text(path), write_text(path, text)
# error: PM0101 "remat"
# message: unknown name `remat`
# help: checkpoint(f)
# error: PM0101 "isinstance"
# message: unknown name `isinstance`
# help: kind(x) is "array", "number", "str", "tuple", "record", "function" ...; x.dtype is a dtype
# error: PM0101 "list"
# message: unknown name `list`
# help: tuple(x) has the elements of x, [f(v) for v in x] is an array of results
# error: PM0101 "raise"
# message: unknown name `raise`
# help: fail("why") stops with a message; attempt(f, x) has it as a record
# error: PM0101 "ValueError"
# message: unknown name `ValueError`
# help: fail("why") stops with a message; attempt(f, x) has it as a record
# error: PM0101 "__name__"
# message: unknown name `__name__`
# help: a file is run from its first line on: write the statements themselves
# error: PM0107 "norm"
# message: the module `stats` has no field `norm`
# help: its functions have its name in front: stats.norm_cdf, stats.norm_isf, stats.norm_logcdf
# error: PM0107 "invert"
# message: the module `linalg` has no field `invert`
# help: linalg.inv(a)
# error: PM0107 "chain"
# message: the module `optim` has no field `chain`
# help: an optimiser is whole: optim.clipped(optim.adam(0.1), 1.0) clips the gradients first
# error: PM0107 "rand"
# message: the module `random` has no field `rand`
# help: random.uniform(random.key(0), (2, 3))
# error: PM0107 "seed"
# message: the module `random` has no field `seed`
# help: numbers are drawn from keys: let key = random.key(0)
# error: PM0107 "mse_loss"
# message: the module `nn` has no field `mse_loss`
# help: nn.mse(predictions, targets)
# error: PM0107 "Linear"
# message: the module `nn` has no field `Linear`
# help: nn.dense(p, x), with p = nn.dense_init(key, inputs, outputs)
# error: PM0107 "igamma"
# message: the module `special` has no field `igamma`
# help: write it without the name of a module: igamma
# error: PM0107 "nothing"
# message: the module `special` has no field `nothing`
# error: PM0107 "tree_map"
# message: the module `tree` has no field `tree_map`
# help: tree.map(f, t)
# error: PM0107 "items"
# message: the record has no field `items`
# help: zip(keys(r), values(r)): for (name, value) in zip(keys(r), values(r)) { ... }
# error: PM0287 "{a: 1} | {b: 2}"
# message: `|` does not take a record {a} and a record {b}
# help: the fields of both: {..a, ..b}
# error: PM0101 "item"
# message: unknown name `item`
# help: an array without axes is a number already; x[0] takes one out of others
# error: PM0101 "numpy"
# message: unknown name `numpy`
# help: leave it out: arrays are printed, saved and computed with as they are
# error: PM0101 "view"
# message: unknown name `view`
# help: x.reshape(2, 3)
# error: PM0107 "at"
# message: f32[3] has no field `at`
# help: a changed copy: x with [i] = v; a `mut` name's element: x[i] = v, x[i] += v
# error: PM0107 "split"
# message: a string has no field `split`
# help: text.split(s, separator)
# error: PM0101 "format"
# message: unknown name `format`
# help: put the value into the text: "... {value:.3f}"
# error: PM0107 "append"
# message: a tuple of 2 has no field `append`
# help: a longer tuple: t + (v,)
# error: PM0104 "learning_rate"
# message: `optim.adam` has no argument named `learning_rate`
# help: did you mean `rate`?
# error: PM0104 "dim"
# message: `mean` has no argument named `dim`
# help: did you mean `axis`?
# error: PM0104 "dim"
# message: `sum` has no argument named `dim`
# help: did you mean `axis`?
# error: PM0104 "seed"
# message: `random.normal` has no argument named `seed`
# help: did you mean `key`?
# error: PM0104 "size"
# message: `random.normal` has no argument named `size`
# help: did you mean `shape`?
# error: PM0104 "static_argnums"
# message: `jit` has no argument named `static_argnums`
# help: leave it out: a number, text or function whose value is needed is known by itself
# error: PM0104 "donate_argnums"
# message: `jit` has no argument named `donate_argnums`
# help: leave it out: the memory of compiled code is shared out by itself; `pmap` alone takes donate_argnums
# error: PM0104 "out"
# message: `linalg.norm` has no argument named `out`
# help: leave it out: the function gives a new value
# error: PM0111 "("dots_saveable",)"
# message: `checkpoint` needs names of checkpoint_name in its tuple, got the policy "dots_saveable"
# help: give a policy by its name: policy="dots_saveable"
# error: PM0101 "pass"
# message: unknown name `pass`
# help: an empty block is { }
# error: PM0101 "println"
# message: unknown name `println`
# help: print(x) ends its line
# error: PM0101 "dict"
# message: unknown name `dict`
# help: a record is written {a: 1, "b c": 2}
# error: PM0101 "type"
# message: unknown name `type`
# help: kind(x) is "array", "number", "str", "tuple", "record", "function" ...; x.dtype is a dtype
# error: PM0101 "open"
# message: unknown name `open`
# help: read_text(path) and write_text(path, text) work with whole files
