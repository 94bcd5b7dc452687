# An error in a library function is reported as an error of its call, with the name and the place of the argument.
# session: yes
linalg.norm("abc")
nn.rms_norm("a")
igamma("a", 2)
data.standardize("a")
nn.dense(3.0, ones(3))
nn.embedding(ones((3, 2)), [5])
random.normal(3)
random.choice(random.key(0), "abc")
median(ones(3), axis=4)
repeat(ones(3), -1)
pad(ones(3), "a")
pad(ones(3), 1, mode="foo")
ones(3).append("a")
stack((ones(2), ones(3)))
vstack((ones(2), "a"))
nn.layer_norm(ones(3), ones(2), zeros(2))
tree.unflatten({a: 1})
fn f(x) = linalg.norm(nn.dense("a", x))
f(ones(3))
ode.odeint(fn(y) = y, ones(2), linspace(0.0, 1.0, 3))
ode.odeint(fn(y, t) = (y, y), ones(2), linspace(0.0, 1.0, 3))
ode.odeint(fn(y, t) = {a: y.a}, {a: ones(2), b: 1.0}, linspace(0.0, 1.0, 3))
ode.odeint(fn(y, t) = -y, ones(2), linspace(0.0, 1.0, 3), rtol="x")
jacrev(fn(x) = x)(3)
jacfwd(fn(x) = x)("a")
jacrev(fn(x, y) = x)(ones(2))
hessian(fn(x, y) = x)(ones(2))
interp(1.0, [1, 2], [1])
split(arange(5), 2)
data.shuffle(ones(3), random.key(0))
data.train_test_split(ones(3), random.key(0))
data.split(ones(3), random.key(0))

# error: PM0111 ""abc""
# message: the `x` of `linalg.norm` needs a number or an array, got a string
# note: it is linalg.norm(x, ord=none, axis=none, keepdims=false): the norm of x over `axis`, real
# error: PM0103 "nn.rms_norm("a")"
# message: `nn.rms_norm` takes 2 to 3 arguments, got 1
# note: it is nn.rms_norm(x, scale, epsilon=1e-6): x / sqrt(mean(x^2) + epsilon) * scale with the mean along the last axis
# help: call it as nn.rms_norm(x, scale)
# error: PM0111 ""a""
# message: the `a` of `igamma` needs a number or an array, got a string
# note: it is igamma(a, x): the regularized lower incomplete gamma function
# error: PM0111 ""a""
# message: the `train` of `data.standardize` needs a number or an array, got a string
# note: it is data.standardize(train, *others): The arrays f[n, ...] standardized by the columns of `train`, a tuple in the order of the arguments
# error: PM0111 "3.0"
# message: the `p` of `nn.dense` needs a value with the field `w`, got f32
# note: it is nn.dense(p, x): x @ p.w + p.b, f[..., inputs] -> f[..., outputs]
# error: PM0111 "ones((3, 2))"
# message: the `p` of `nn.embedding` needs a value with the field `w`, got f32[3, 2]
# note: it is nn.embedding(p, ids): The rows of the table p.w at the indices `ids`, i32[...] -> f[..., features]
# error: PM0111 "3"
# message: the `key` of `random.normal` needs a random key, got i32
# note: it is random.normal(key, shape=(), dtype=f32): standard normal numbers
# help: make one: random.key(0)
# error: PM0111 ""abc""
# message: the `a` of `random.choice` needs a number or an array, got a string
# note: it is random.choice(key, a, shape=(), replace=true, p=none, axis=0): elements of a along axis, or of 0 .. a - 1
# error: PM0270 "4"
# message: `median`: axis 4 is out of range for an array with 1 axis
# note: it is median(x, axis=none, keepdims=false): the median over `axis`: the middle element in sorted order, or the mean of the two middle ones
# help: its only axis is 0 (or -1)
# error: PM0205 "-1"
# message: `repeat`: a shape cannot hold the negative size -1
# note: it is repeat(x, repeats, axis=none, total_repeat_length=none): x with every element repeated `repeats` times along `axis`, or flattened if `axis` is none
# error: PM0111 ""a""
# message: the `pad_width` of `pad` needs an integer, got a string
# note: it is pad(x, pad_width, mode="constant", constant_values=0, end_values=0, stat_length=none): x with padding along its axes
# error: PM0111 ""foo""
# message: the `mode` of `pad` needs constant, edge, wrap, reflect or symmetric, got "foo"
# note: it is pad(x, pad_width, mode="constant", constant_values=0, end_values=0, stat_length=none): x with padding along its axes
# error: PM0111 ""a""
# message: the `values` of `append` needs a number or an array, got a string
# error: PM0202 "stack((ones(2), ones(3)))"
# message: `stack` needs operands of one shape, but they are (2,) and (3,)
# second: "(ones(2), ones(3))" a tuple of 2
# help: concatenate((a, b)) joins arrays of several sizes along an axis
# error: PM0111 "vstack((ones(2), "a"))"
# message: `vstack` needs a number or an array, got a string
# note: it is vstack((a, b, ...)): the arrays concatenated along axis 0, with each vector f[n] as a row [1, n]
# error: PM0204 "nn.layer_norm(ones(3), ones(2), zeros(2))"
# message: `nn.layer_norm`: shapes (3,) and (2,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# note: it is nn.layer_norm(x, scale, bias=none, epsilon=1e-5): x standardized along the last axis, times `scale` f[d] plus `bias` f[d] unless it is none
# help: for all pairs of elements, add an axis: `x[:, none]` of the one of shape (3,) has shape (3, 1)
# error: PM0103 "tree.unflatten({a: 1})"
# message: `tree.unflatten` takes 2 arguments, got 1
# note: it is tree.unflatten(t, leaves): A tree of the structure of `t` with these leaves
# help: call it as tree.unflatten(t, leaves)
# error: PM0111 ""a""
# message: the `p` of `nn.dense` needs a value with the field `w`, got a string
# note: it is nn.dense(p, x): x @ p.w + p.b, f[..., inputs] -> f[..., outputs]
# error: PM0103 "fn(y) = y"
# message: `ode.odeint` calls its `f` with 2 arguments, but it takes 1 argument
# second: "fn(y)" defined here
# note: it is ode.odeint(f, y0, t, args=(), rtol=none, atol=none, most=10000): The values of y at the times t f[n], which rise or fall, leaves f[n, ...]
# help: give `ode.odeint` a function of 2 arguments
# error: PM0504 "ode.odeint(fn(y, t) = (y, y), ones(2), linspace(0.0, 1.0, 3))"
# message: `ode.odeint` needs a function f(y, t) whose result is like y, f32[2], got a tuple of 2
# error: PM0504 "ode.odeint(fn(y, t) = {a: y.a}, {a: ones(2), b: 1.0}, linspace(0.0, 1.0, 3))"
# message: `ode.odeint` needs a function f(y, t) whose result is like y, a record {a, b}, got a record {a}
# error: PM0111 ""x""
# message: the `rtol` of `ode.odeint` needs a number or an array, got a string
# note: it is ode.odeint(f, y0, t, args=(), rtol=none, atol=none, most=10000): The values of y at the times t f[n], which rise or fall, leaves f[n, ...]
# error: PM0504 "jacrev(fn(x) = x)(3)"
# message: `jacrev` needs floats as arguments, got i32: write 3.0, or f32(x)
# error: PM0504 "jacfwd(fn(x) = x)("a")"
# message: `jacfwd` needs floats as arguments, got str
# error: PM0103 "jacrev(fn(x, y) = x)(ones(2))"
# message: `jacrev`: `fn` takes 2 arguments, got 1
# second: "fn(x, y)" defined here
# note: it is jacrev(f, argnums=0, has_aux=false, holomorphic=false): the jacobian of f with respect to argument `argnums`, by reverse mode, as a function of the arguments of f
# help: call it as fn(x, y)
# error: PM0103 "hessian(fn(x, y) = x)(ones(2))"
# message: `hessian`: `fn` takes 2 arguments, got 1
# second: "fn(x, y)" defined here
# note: it is hessian(f, argnums=0, has_aux=false, holomorphic=false): the matrix of second derivatives of f, forward over reverse
# help: call it as fn(x, y)
# error: PM0504 "interp(1.0, [1, 2], [1])"
# message: `interp` needs xp f[n] and fp f[n] of one size, got i32[2] and i32[1]
# error: PM0111 "2"
# message: `split` needs a number of parts that divides axis 0 of i32[5], of size 5, got 2
# help: array_split(x, n) has parts of nearly one size; a tuple has the places to cut at
# error: PM0504 "data.shuffle(ones(3), random.key(0))"
# message: `data.shuffle` takes (key, tree) in this order, got f32[3] for the key: random.key(0) makes one
# error: PM0504 "data.train_test_split(ones(3), random.key(0))"
# message: `data.train_test_split` takes (key, tree) in this order, got f32[3] for the key: random.key(0) makes one
# error: PM0504 "data.split(ones(3), random.key(0))"
# message: the `part` of `data.split` must be a part from 0 to 1, got key
