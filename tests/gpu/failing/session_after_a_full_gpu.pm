# An entry of the session that does not fit into the GPU's memory fails; the session continues.
# session: yes
let before = sum(ones(1000) + 1.0)
ones((2 ** 20, 2 ** 21)) + 1.0
# error: PM0512 "ones((2 ** 20, 2 ** 21))"
# message: the GPU has no memory for 8796093022208 bytes: {*} of {*} are free
let f = jit(fn(x) = x * 2.0)
print(before, sum(f(ones(1000))))
# expect: 2000.0 2000.0
