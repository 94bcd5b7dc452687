# If a call has the form of NumPy or JAX, the message has the equivalent form of this language.
# session: yes
max(3, 5)
min([1, 2], [3, 4])
sum(1, 2)
prod([2.0], [3.0])
any(true, false)
max(3, 0)
mean(1.0, 2.0)
sum([1, 2], axis=1)
concatenate([1, 2], [3, 4])
stack([1, 2], [3, 4])
zeros(2, 3)
ones(2, 3, 4)
full(2, 3, 4)
zeros(3, "float32")
ones(3).astype(float)
zeros(3, dtype=float64)
random.normal(random.key(0), 2, 3)
random.normal((3,))
random.PRNGKey(0)
i += 1
cuont[0] = 1
print(j)
for i in 0..3 { i += 1 }
"{1:99999999d}"
"{1.5:.99999999f}"
"{1:5q}"
"%d" % 3
["a", "b"]
import ".." as above
import numpy as np
(1, [2]) == (1, [2])
{w: [1, 2]} == {w: [1, 2]}
(1, [2]) == (1, 2)
(1, 2.0) == (1, 2)
(1, "a", none) == (1, "a", none)
(1, [2]) == (3, [2])
save_npz("never_written.npz", {a: {b: ones(2)}, c: 1})
save_npz("never_written.npz", {a: (1, 2)})
"{top_k([1.0], 2)}"
let (a, *b) = ()
let (a,) = (1, 2)
[1][0, 0]
vmap(fn(x) = x, in_axes=1)(ones(3))
ones(3).reshape(-1, 2)
grad(fn(x) = x, argnums=1)(1.0)

# expect: true
# expect: true
# expect: false
# error: PM0111
# message: `max` with two arguments needs an array and one of its axes, got an integer and an integer
# help: maximum(a, b) is the greater of two
# error: PM0111
# message: `min` with two arguments needs an array and one of its axes, got i32[2] and i32[2]
# help: minimum(a, b) is the less of two
# error: PM0111
# message: `sum` with two arguments needs an array and one of its axes, got an integer and an integer
# help: a + b adds two, sum([a, b]) the elements of an array
# error: PM0111
# message: `prod` with two arguments needs an array and one of its axes, got f32[1] and f32[1]
# help: a * b multiplies two, prod([a, b]) the elements of an array
# error: PM0111
# message: `any` with two arguments needs an array and one of its axes, got bool and bool
# help: a or b is true where one is
# error: PM0270
# message: axis 0 is out of range for i32 with 0 axes
# help: leave the axis out: one number has none
# error: PM0504
# message: `mean` takes one array, and an axis of it, got f32 and f32: mean([a, b]) is the mean of two numbers
# error: PM0270
# message: axis 1 is out of range for i32[2] with 1 axis
# help: its only axis is 0 (or -1)
# error: PM0111
# message: `concatenate` needs its arrays in one tuple, then an axis, got i32[2] and i32[2]
# help: concatenate((a, b))
# error: PM0111
# message: `stack` needs its arrays in one tuple, then an axis, got i32[2] and i32[2]
# help: stack((a, b))
# error: PM0111
# message: the `dtype` of `zeros` needs a dtype, got an integer
# help: a shape of several sizes is one tuple: zeros((2, 3)), full((2, 3), x)
# error: PM0103
# message: `ones` takes 1 to 2 arguments, got 3
# help: a shape of several sizes is one tuple: ones((2, 3, 4))
# error: PM0111
# message: the `dtype` of `full` needs a dtype, got an integer
# help: a shape of several sizes is one tuple: zeros((2, 3)), full((2, 3), x)
# error: PM0111
# message: the `dtype` of `zeros` needs a dtype, got a string
# help: dtypes are values: write f32
# error: PM0111
# message: `astype` needs a dtype, got the function `float`
# help: dtypes are values: write f32
# error: PM0101
# message: unknown name `float64`
# help: the dtype is called f64
# error: PM0504
# message: these random numbers are floats: `dtype` must be f16, bf16, f32 or f64, got 3; a shape of several sizes is one tuple, (2, 3)
# error: PM0111
# message: the `key` of `random.normal` needs a random key first, got a tuple of 1
# help: make one and give it before the rest: random.normal(random.key(0), (3,))
# error: PM0107
# message: the module `random` has no field `PRNGKey`
# help: a key is made by random.key(0)
# error: PM0101
# message: unknown name `i`
# help: declare it first: mut i = ...
# error: PM0101
# message: unknown name `cuont`
# help: declare it first: mut cuont = ...
# error: PM0101
# message: unknown name `j`
# error: PM0108
# message: `i` cannot be assigned: it is not declared with `mut`
# help: mut i = ...
# error: PM0116
# message: `99999999d` is not a format for an integer
# note: a width or a precision is at most 100000
# error: PM0116
# message: `.99999999f` is not a format for a float
# note: a width or a precision is at most 100000
# error: PM0116
# message: `5q` is not a format for an integer
# note: it is Python's format language
# error: PM0287
# message: `%` does not take a string and an integer
# help: put the value into the text: "... {value:.3f}"
# error: PM0111
# message: an array needs numbers or arrays as elements, got a string
# help: put anything else in a tuple, which has round brackets: ("a", "b")
# error: PM0113
# message: cannot import `..`: it is a folder
# help: name one of its files: import "../name.pm"
# error: PM0113
# message: cannot import `numpy`: the standard library has no such module
# help: nothing needs an import: zeros(3), grad(f), random.key(0), linalg.inv(a)
# error: PM0111
# message: `==` of tuples or records needs numbers for leaves, got i32[1]
# help: compare the arrays: all(a == b), or leaf by leaf tree_all(tree_map(array_equal, a, b))
# error: PM0111
# message: `==` of tuples or records needs numbers for leaves, got i32[2]
# help: compare the arrays: all(a == b), or leaf by leaf tree_all(tree_map(array_equal, a, b))
# error: PM0111
# message: `==` of tuples or records needs numbers for leaves, got i32[1]
# help: compare the arrays: all(a == b), or leaf by leaf tree_all(tree_map(array_equal, a, b))
# error: PM0111
# message: the field `a` of `save_npz` needs a number or an array, got a record {b}
# help: save a tree of records, tuples and arrays with save_tree(path, tree)
# error: PM0111
# message: the field `a` of `save_npz` needs a number or an array, got a tuple of 2
# help: save a tree of records, tuples and arrays with save_tree(path, tree)
# error: PM0111
# message: the `k` of `top_k` needs a number from 0 to 1, the size of axis 0 of f32[1], got 2
# error: PM0109
# message: the pattern takes at least 1 value, got 0
# error: PM0109
# message: the pattern takes 1 value, got 2
# error: PM0285
# message: i32[1] has 1 axis, but 2 are indexed
# error: PM0312
# message: `vmap` maps axis 1 of argument 0, `x`, f32[3], which has 1 axis
# error: PM0280
# message: (-1, 2) is no shape: -1 has no value: 3 elements do not divide by 2
# error: PM0411
# message: argnums 1 is out of range for 1 argument
