# Arrays of which each process of a job has a part: results that go from one pmap to the next, and files whose rows are
# divided. They have the values of one process, however they are read.
# devices: 2 4
let f = pmap(fn(x) = 2.0 * x + psum(x, "i"), axis_name="i")
mut x = arange(4.0)
for i in range(3) { x = f(x) }
print(x)
let y = f(x)
print(sum(y), y[1], y[2:], -y)
print(reshape(f(y), (2, 2)).T)
# one result is read, the other is not
let (a, b) = pmap(fn(x) = (x * 2.0, sum(x)))(ones((4, 3)))
print(b)
print(pmap(fn(a, b) = sum(a) + b)(a, b))
# a result that is an argument of a pmap over another axis, and a whole argument
let m = pmap(fn(r) = r * 3.0)(arange(16.0).reshape(4, 4))
print(pmap(fn(c) = sum(c), in_axes=1)(m))
print(pmap(fn(i, m) = m[i, 0], in_axes=(0, none))(arange(4), m))
# the same array as two arguments, and a result that two names have
let n = f(x)
let other = n
print(pmap(fn(p, q) = p - q)(n, n), other)
mut changed = n
changed[0] = 1.0
print(changed[:2], n[:2])
# arguments that are overwritten, also a view; results that are arguments
let donating = pmap(fn(x) = x * 2.0 + psum(x, "i"), axis_name="i", donate_argnums=0)
mut row = arange(8.0).reshape(2, 4)[1]
row = donating(row)
row = donating(row)
print(row)
let whole = arange(4.0)
let (same, twice) = pmap(fn(x) = (x, 2.0 * x))(whole)
print(whole[1], same[2], twice)
let (kept, third) = pmap(fn(x) = (x, 3.0 * x))(twice)
print(kept, third)
# views of a divided array
let rows_of = f(arange(8.0).reshape(4, 2))
print(pmap(fn(r) = sum(r))(rows_of[1:3]), rows_of[3], rows_of.reshape(8)[2:4])
# values and derivatives
fn loss(w, x) = mean(pmap(fn(w, x) = (w * x) ** 2, in_axes=(none, 0))(w, x))
print(value_and_grad(loss)(2.0, f(x)))
# in a loop of a compiled function
fn many(x) {
    mut y = x
    for i in range(5) { y = pmap(fn(v) = pmean(v, "i") + 0.5 * v, axis_name="i")(y) }
    y
}
print(many(f(x)))
# texts, conditions and numbers
if f(x)[0] > 0.0 { print("{f(x)}") }
print(i32(f(x)[0]), len(f(x)), attempt(fn(x) = assert(sum(x) < 0.0, "{x}"), f(x)).error.message)

# files
let file = "divided"
save_npy(file + ".npy", f(x))
print(load_npy(file + ".npy"))
let rows = arange(24.0).reshape(8, 3)
save_npy(file + ".npy", rows)
let own = load_npy(file + ".npy", part=true)
print(pmap(fn(r) = psum(sum(r), "i"), axis_name="i")(own))
print(own, own[5], array_equal(own, rows))
let again = load_npy(file + ".npy", part=true)
print(pmap(fn(r) = sum(r))(again.reshape(4, 2, 3)))
for made in (ones((5, 2), bool), ones((0, 3)), ones((1, 2), i64), array(3.0), ones((8,), c64)) {
    save_npy(file + ".npy", made)
    let read = load_npy(file + ".npy", part=true)
    print(read.dtype, read.shape, array_equal(read, made))
}
write_text(file + ".csv", "a,b,c\n1,2.5,x\n3,4.5,y\n5,6.5,z\n7,8.5,w\n")
let table = read_csv(file + ".csv", part=true)
print(pmap(fn(a, b) = f32(a) + b)(table.a, table.b), table.c, table.a)
print(read_csv(file + ".csv", header=false, skip=1, columns=("column_1",), part=true))
save_npz(file + ".npz", {x: f(x), y: own})
let saved = load_npz(file + ".npz")
print(saved.x, array_equal(saved.y, rows))
checkpoints.save(file + "_folder", {w: f(x)}, step=1)
print(checkpoints.restore(file + "_folder").tree.w)
remove_file(file + "_folder/step-00000001.npz")
remove_file(file + "_folder")
for end in (".npy", ".csv", ".npz") { remove_file(file + end) }
# expect: [312, 320, 328, 336]
# expect: 7776.0 1936.0 [1952, 1968] [-1920, -1936, -1952, -1968]
# expect: [[11616, 11680], [11648, 11712]]
# expect: [3, 3, 3, 3]
# expect: [9, 9, 9, 9]
# expect: [72, 84, 96, 108]
# expect: [0, 12, 24, 36]
# expect: [0, 0, 0, 0] [1920, 1936, 1952, 1968]
# expect: [1, 1936] [1920, 1936]
# expect: [192, 196, 200, 204]
# expect: 1.0 2.0 [0, 2, 4, 6]
# expect: [0, 2, 4, 6] [0, 6, 12, 18]
# expect: [38, 46] [24, 30] [16, 22]
# expect: (15117824.0, 15117824.0)
# expect: [14761.5, 14762.0, 14762.5, 14763.0]
# expect: [1920, 1936, 1952, 1968]
# expect: 1920 4 [1920, 1936, 1952, 1968] (7776.0 < 0.0)
# expect: [1920, 1936, 1952, 1968]
# expect: [276, 276, 276, 276, 276, 276, 276, 276]
# expect: [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23]] [15, 16, 17] true
# expect: [15, 51, 87, 123]
# expect: bool (5, 2) true
# expect: f32 (0, 3) true
# expect: i64 (1, 2) true
# expect: f32 () true
# expect: c64 (8,) true
# expect: [3.5, 7.5, 11.5, 15.5] ("x", "y", "z", "w") [1, 3, 5, 7]
# expect: {column_1: [1, 3, 5, 7]}
# expect: [1920, 1936, 1952, 1968] true
# expect: [1920, 1936, 1952, 1968]
