# Positions are in tuples, in JAX in lists. If a call has the form of JAX, the message has the form of this language.
# session: yes
let x = arange(2.0)
pmap(fn(x) = ppermute(x, "i", [(0, 1), (1, 0)]), axis_name="i")(x)
pmap(fn(x) = ppermute(x, "i", [(0, 1)]), axis_name="i")(x)
pmap(fn(x) = ppermute(x, "i", [(i, (i + 1) % 2) for i in 0..2]), axis_name="i")(x)
pmap(fn(x) = ppermute(x, "i", ((i, (i + 1) % 2) for i in tuple(0..2))), axis_name="i")(x)
pmap(fn(x) = ppermute(x, "i", [[0, 1], [1, 0]]), axis_name="i")(x)
pmap(fn(x) = ppermute(x, "i", (0, 1)), axis_name="i")(x)
pmap(fn(x) = ppermute(x, "i", ((0, 1, 1),)), axis_name="i")(x)
pmap(fn(x) = pshuffle(x, "i", [1, 0]), axis_name="i")(x)
pmap(fn(x) = psum(x, "i", axis_index_groups=[(0,), (1,)]), axis_name="i")(x)
pmap(fn(k) = random.uniform(k))(random.key(0))
shard_map(fn(x) = x)(x)

# devices: 2
# error: PM0111 "[(0, 1), (1, 0)]"
# message: an array needs numbers or arrays as elements, got a tuple of 2
# help: put anything else in a tuple, which has round brackets: ((0, 1), (1, 0))
# error: PM0111 "[(0, 1)]"
# message: an array needs numbers or arrays as elements, got a tuple of 2
# help: put anything else in a tuple, which has round brackets: ((0, 1),)
# error: PM0111 "[(i, (i + 1) % 2) for i in 0..2]"
# message: the `perm` of `ppermute` needs a tuple of pairs (from, to), got (i32[2], i32[2])
# help: a comprehension in round brackets gives pairs: ((i, i + 1) for i in tuple(0..3))
# expect: [1, 0]
# error: PM0111 "[[0, 1], [1, 0]]"
# message: the `perm` of `ppermute` needs a tuple of pairs (from, to), got i32[2, 2]
# help: write pairs in round brackets, ((0, 1), (1, 0)): square ones make an array
# error: PM0111 "(0, 1)"
# message: the `perm` of `ppermute` needs a tuple of pairs (from, to), got an integer
# help: one pair alone is ((0, 1),)
# error: PM0111 "((0, 1, 1),)"
# message: the `perm` of `ppermute` needs a tuple of pairs (from, to), got a tuple of 3
# error: PM0504 "pshuffle(x, "i", [1, 0])"
# message: `perm` is a tuple of places, as (1, 0): square brackets make an array
# error: PM0111 "[(0,), (1,)]"
# message: an array needs numbers or arrays as elements, got a tuple of 1
# help: put anything else in a tuple, which has round brackets: ((0,), (1,))
# error: PM0312 "random.key(0)"
# message: `pmap` maps axis 0 of argument 0, `k`, key, which has 0 axes
# help: give every slice a key of its own: random.split(key, 4) has four of them
# error: PM0101 "shard_map"
# message: unknown name `shard_map`
# help: pmap(f, tiled=true): f sees its device's block, and collectives run over axis_name
