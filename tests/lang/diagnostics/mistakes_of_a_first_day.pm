# If arguments have the wrong position or the wrong brackets, the message has the form that was probably meant.
# session: yes
random.uniform(random.key(0), (3,), 5, 10)
random.uniform(random.key(0), minval=2.0, maxval=1.0)
fori_loop(0, 3, fn(a) = a + 1, 0)
cond(true, fn(x) = x, fn(x) = 2 * x)
scan(fn(c) = c, 0, arange(3))
nn.mlp_init(random.key(0), [4, 3])
vmap(fn(x, y) = x, in_axes=[0, none])(ones(3), 1)
switch(0, [sin, cos], 1.0)
solve(eye(2), ones(2))
import linalg, random
interp(1.0, [], [])
vjp(fn(x) = x * 2, ones(3))[1](ones(2))
vjp(fn(x) = x * 2, ones(3))[1]((ones(3), 1))
random.key(0) + 1
"-" * 10**12
arange(10**18)
arange(0, inf)
top_k([1.0], 2)
print(x = 3)
random.multivariate_normal(random.key(0), ones(0), ones((0, 0)))
import nothing_of_this_name
vmap(grad)(fn(x) = x * x)(ones(3))
scan(fn(c, x) = (c + 1.5, x), 0i32, arange(3))
fori_loop(0, 3, fn(i, c) = (c, i), 0.0)
while_loop(fn(c) = sum(c) < 3, fn(c) = stack((c, c)), ones(()))
nn.softmax(ones(0))
nn.log_softmax(ones((2, 0)), axis=0)

# expect: []
# expect: [[], []]
# error: PM0504 "random.uniform(random.key(0), (3,), 5, 10)"
# message: the `dtype` of `random.uniform` must be f16, bf16, f32 or f64, got 5; bounds are named: minval=0.0, maxval=1.0; a shape of several sizes is one tuple, (2, 3)
# error: PM0503 "random.uniform(random.key(0), minval=2.0, maxval=1.0)"
# message: the `minval` of `random.uniform` must be no greater than its `maxval`, got 2.0 and 1.0
# error: PM0103 "fn(a) = a + 1"
# message: `fori_loop` calls its `body_fun` with 2 arguments, but it takes 1 argument
# help: give `fori_loop` a function of 2 arguments
# error: PM0103 "fn(x) = x"
# message: `cond` calls its `true_fun` with no arguments, but it takes 1 argument
# help: give `cond` a function of no arguments
# error: PM0103 "fn(c) = c"
# message: `scan` calls its `f` with 2 arguments, but it takes 1 argument
# help: give `scan` a function of 2 arguments
# error: PM0504 "nn.mlp_init(random.key(0), [4, 3])"
# message: `nn.mlp_init` needs its sizes as a tuple, as (784, 128, 10), got the array [4, 3]
# error: PM0111 "[0, none]"
# message: an array needs numbers or arrays as elements, got `none`
# help: put anything else in a tuple, which has round brackets: (0, none)
# error: PM0111 "[sin, cos]"
# message: an array needs numbers or arrays as elements, got the function `sin`
# help: put anything else in a tuple, which has round brackets: (sin, cos)
# error: PM0101 "solve"
# message: unknown name `solve`
# help: the module `linalg` has one: linalg.solve
# error: PM0001 ","
# message: expected the end of the statement, found `,`
# help: each import is a statement of its own; modules of the library need none
# error: PM0504 "interp(1.0, [], [])"
# message: `interp` needs at least one point, got xp f32[0]
# error: PM0429 "vjp(fn(x) = x * 2, ones(3))[1](ones(2))"
# message: a pullback needs a cotangent like the result of the function: f32[2] against f32[3]
# error: PM0429 "vjp(fn(x) = x * 2, ones(3))[1]((ones(3), 1))"
# message: a pullback needs a cotangent like the result of the function: (f32[3], i32) against f32[3]
# error: PM0111 "random.key(0) + 1"
# message: this operation needs operands that are both random keys or both numbers, got key and an integer
# help: random.fold_in(key, n) makes a key of a key and a number
# error: PM0512 ""-" * 10**12"
# message: the product has no place in memory: `*` makes strings of at most 16777216 bytes
# error: PM0512 "arange(10**18)"
# message: the 1000000000000000000 elements of `arange` have no place in memory
# error: PM0111 "arange(0, inf)"
# message: `arange` needs finite bounds, got one that is not
# error: PM0111 "2"
# message: the `k` of `top_k` needs a number from 0 to 1, the size of axis 0 of f32[1], got 2
# error: PM0104 "x"
# message: `print` has no argument named `x`
# note: it is print(*values, sep=" ", end="\n")
# error: PM0504 "random.multivariate_normal(random.key(0), ones(0), ones((0, 0)))"
# message: `random.multivariate_normal` needs at least one dimension, got a mean f32[0]
# error: PM0113 "nothing_of_this_name"
# message: cannot import `nothing_of_this_name`: the standard library has no such module
# note: its modules are checkpoints, data, date, fft, image, json, linalg, mcmc, metrics, nn, ode, optim, random, regex, signal, sparse, special, stats, table, text, tree
# help: a file is imported by its path: import "nothing_of_this_name.pm"
# error: PM0313 "vmap(grad)(fn(x) = x * x)"
# message: `vmap` does not know how many slices there are: no argument holds an array
# help: an argument is a function: meant is vmap(grad(f))(x), not vmap(grad)(f)(x)
# error: PM0273 "0i32"
# message: `carry` changes its type in the loop: it comes in as i32 and leaves an iteration as f32
# help: begin with a value of the type that each iteration gives, as 0.0 for 0
# error: PM0273 "0.0"
# message: `carry` changes its type in the loop: it comes in as f32 and leaves an iteration as (f32, i32)
# help: let each iteration give `carry` a value as the first: f32
# error: PM0273 "ones(())"
# message: `carry` changes its type in the loop: it comes in as f32 and leaves an iteration as f32[2]
# help: begin with a value of the type that each iteration gives, as 0.0 for 0
