# The results of iterations are stacked: numbers, arrays, or trees. Parts of a tree that are no arrays must be equal.
# session: yes
let of_functions = [fn(y) = y * i for i in range(3)]
fn in_compiled(x) = [fn(y) = y * i for i in range(3)](x)
print(in_compiled(2.0))
print(["a" for i in range(3)], [t for t in ("a", "b")])
fn texts(x) {
    print(["a{i}" for i in range(3)])
    x
}
print(texts(1.0))
print(map(fn(x) = fn(y) = x + y, [1.0, 2.0]))
print(scan(fn(c, x) = (c + x, (fn(y) = y + x, x)), 0.0, [1.0, 2.0]))
print([(t, 1) for t in ("a", "b")])

# A text must be known before compiled code runs.
fn grown(x) {
    mut t = "a"
    mut n = 0
    while n < x {
        t = t + "b"
        n += 1
    }
    print(t)
    x
}
print(grad(grown)(2.0))
fn grown_long(x) {
    mut t = "a"
    for y in x { t = t + "b" }
    print(t)
    x
}
print(grad(fn(x) = sum(grown_long(x)))(arange(300.0)))

# error: PM0111 "[fn(y) = y * i for i in range(3)]"
# message: an array needs numbers or arrays as elements, got the function `fn`
# help: put functions and `none` in a tuple: (a, b)
# error: PM0111 "[fn(y) = y * i for i in range(3)]"
# message: an array needs numbers or arrays as elements, got the function `fn`
# help: put functions and `none` in a tuple: (a, b)
# error: PM0111 "["a" for i in range(3)]"
# message: an array needs numbers or arrays as elements, got a string
# help: texts are in tuples: ("a", "b"), or (str(v) for v in x); text.sort, text.unique and text.indices take them
# error: PM0111 "["a{i}" for i in range(3)]"
# message: an array needs numbers or arrays as elements, got a string
# error: PM0111 "map(fn(x) = fn(y) = x + y, [1.0, 2.0])"
# message: an array needs numbers or arrays as elements, got the function `fn`
# help: put functions and `none` in a tuple: (a, b)
# error: PM0111 "scan(fn(c, x) = (c + x, (fn(y) = y + x, x)), 0.0, [1.0, 2.0])"
# message: an array of what iterations give needs the same function in each, got others
# note: numbers and arrays of the iterations are stacked; other values of a tree are the same in all iterations
# help: make a tuple of them: (f(x) for x in xs)
# error: PM0111 "[(t, 1) for t in ("a", "b")]"
# message: an array of what iterations give needs the same str in each, got others
# note: numbers and arrays of the iterations are stacked; other values of a tree are the same in all iterations
# help: make a tuple of them: (f(x) for x in xs)
# error: PM0273 "n < x"
# message: `t` changes its type in the loop: it comes in as "a" and leaves an iteration as "ab"
# note: texts are known before the program runs: a loop in compiled code keeps those that it has
# help: print the parts in the loop: print(part, end="")
# error: PM0275 "x"
# message: this loop must be unrolled, but has 300 iterations (at most 256)
