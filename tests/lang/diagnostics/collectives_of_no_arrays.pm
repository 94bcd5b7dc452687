# A collective of a value that is neither a number nor an array is an error; the message has the position in the tree.
# An empty tree such as `none` is no error, nor is a part of the structure, including text.
# session: yes
let x = ones(2)
vmap(fn(x) = psum("text", "i"), axis_name="i")(x)
vmap(fn(x) = pmean(sin, "i"), axis_name="i")(x)
vmap(fn(x) = pmin(f32, "i"), axis_name="i")(x)
vmap(fn(x) = all_gather(0..3, "i"), axis_name="i")(x)
vmap(fn(x) = ppermute("text", "i", ((0, 1),)), axis_name="i")(x)
vmap(fn(x) = all_to_all("text", "i", 0, 0), axis_name="i")(x)
vmap(fn(x) = psum_scatter("text", "i"), axis_name="i")(x)
vmap(fn(x) = psum({w: none, b: (none, "text")}, "i"), axis_name="i")(x)
vmap(fn(x) = pmean({"a layer": {act: sin, w: none}}, "i"), axis_name="i")(x)
vmap(fn(x) = psum({keys: (random.key(0), x)}, "i"), axis_name="i")(x)
vmap(fn(x) = pshuffle("text", "i", (1, 0)), axis_name="i")(x)
vmap(fn(x) = pbroadcast("text", "i", 0), axis_name="i")(x)
vmap(fn(x) = pargmax({w: "text"}, "i"), axis_name="i")(x)
vmap(fn(x) = psum((), "i"), axis_name="i")(x)
print(vmap(fn(x) = psum(none, "i"), axis_name="i")(x))
vmap(fn(x) = (pmax({a: none}, "i"), pmean((none, ()), "i"), pmin(none, "i")), axis_name="i")(x)
vmap(
    fn(x) = (
        all_gather(none, "i"),
        ppermute(none, "i", ()),
        all_to_all(none, "i", 0, 0),
        psum_scatter(none, "i"),
    ),
    axis_name="i",
)(x)
vmap(
    fn(x) = (
        pargmax(none, "i"),
        pshuffle(none, "i", (1, 0)),
        pswapaxes(none, "i", 0),
        pbroadcast(none, "i", 0),
    ),
    axis_name="i",
)(x)
vmap(fn(x) = psum({w: x, b: none, c: ({}, "text")}, "i"), axis_name="i")(x)
vmap(fn(x) = pbroadcast({w: x, b: none}, "i", 1), axis_name="i")(x)
vmap(fn(x) = pargmax({w: x, b: none}, "i"), axis_name="i")(x)

# error: PM0111 ""text""
# message: `psum` needs a number or an array, got a string
# error: PM0111 "sin"
# message: `pmean` needs a number or an array, got the function `sin`
# error: PM0111 "f32"
# message: `pmin` needs a number or an array, got the dtype f32
# error: PM0111 "0..3"
# message: `all_gather` needs a number or an array, got a range
# error: PM0111 ""text""
# message: `ppermute` needs a number or an array, got a string
# error: PM0111 ""text""
# message: `all_to_all` needs a number or an array, got a string
# error: PM0111 ""text""
# message: `psum_scatter` needs a number or an array, got a string
# error: PM0111 "{w: none, b: (none, "text")}"
# message: `psum` needs a number or an array, got a string at `.b.1`
# error: PM0111 "{"a layer": {act: sin, w: none}}"
# message: `pmean` needs a number or an array, got the function `sin` at `["a layer"].act`
# error: PM0111 "{keys: (random.key(0), x)}"
# message: `psum` needs numbers, got random keys at `.keys.0`
# error: PM0111 ""text""
# message: the `x` of `pshuffle` needs a number or an array, got a string
# error: PM0111 ""text""
# message: the `x` of `pbroadcast` needs a number or an array, got a string
# error: PM0111
# message: `pargmax` needs a number or an array, got a string at `.w`
# expect: ()
# expect: none
# expect: ({a: none}, (none, ()), none)
# expect: (none, none, none, none)
# expect: (none, none, none, none)
# expect: {w: [2, 2], b: none, c: ({}, "text")}
# expect: {w: [1, 1], b: none}
# expect: {w: [0, 0], b: none}
