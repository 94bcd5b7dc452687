# If the number of slices is unknown, the message has the ways to specify it.
# devices: 4
# session: yes
fn plus(x, y, z=1.0) = x + y + z
pmap(plus)()
vmap(plus, in_axes=0)()
vmap(fn() = 1.0)()
vmap(sin)()
vmap(fn(x) = x)("text")
vmap(fn(x) = x)(())
vmap(fn(x) = x, in_axes=none)(ones(3))
vmap(plus, in_axes=none)(2.0, ones(3))
pmap(fn(n) = n, static_broadcasted_argnums=0, in_axes=none)(3)
pmap(fn() = 1.0, axis_size=4)()

# error: PM0313 "pmap(plus)()"
# message: `pmap` does not know how many slices there are: it is called without arguments
# help: call it with what is to be cut into slices: pmap(plus)(x, y)
# help: or say how many: axis_size=4
# error: PM0313
# message: `vmap` does not know how many slices there are: it is called without arguments
# help: call it with what is to be cut into slices: vmap(plus, in_axes=0)(x, y)
# help: or say how many: axis_size=n
# error: PM0313
# message: `vmap` does not know how many slices there are: it is called without arguments
# help: say how many: axis_size=n
# error: PM0313
# help: call it with what is to be cut into slices: vmap(sin)(x)
# error: PM0313
# message: `vmap` does not know how many slices there are: no argument holds an array
# error: PM0313
# message: `vmap` does not know how many slices there are: no argument holds an array
# error: PM0313
# message: `vmap` does not know how many slices there are: every argument has `none` in in_axes
# help: cut an argument along its axis 0: in_axes=0
# error: PM0313
# help: cut an argument along its axis 0: in_axes=(none, 0)
# error: PM0313
# message: `pmap` does not know how many slices there are: every argument is static or has `none` in in_axes
# help: say how many: axis_size=4
# expect: [1, 1, 1, 1]
