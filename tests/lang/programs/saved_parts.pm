# Files in which each process writes its own slices of the results of `pmap`, and from which it reads its own rows.
# devices: 4
let f = pmap(fn(x) = x * 1.5 + f32(axis_index("i")), axis_name="i")
let x = f(arange(4000.0).reshape(4, 1000))
let folder = "saved_parts_{i64(1e6 * time()) % 1000000000}"
let tree = {
    w: x,
    step: 3,
    name: "abc",
    b: ones(3),
    pair: (x[1], zeros((0, 2))),
    half: bf16(f(x)),
    key: random.key(7),
}
checkpoints.save(folder, tree, step=5)
let read = checkpoints.restore(folder, part=true)
print(read.step, read.tree.step, read.tree.name, read.tree.b, read.tree.pair[1].shape)
print(array_equal(read.tree.w, x), array_equal(read.tree.pair[0], x[1]), array_equal(read.tree.half, tree.half))
print(array_equal(random.uniform(read.tree.key, 3), random.uniform(tree.key, 3)))
# The bytes of the file do not depend on the number of processes.
let bytes = read_bytes("{folder}/step-00000005.npz")
print(len(bytes), sum(u32(bytes) * arange(u32(len(bytes)))))

# The sums of slices, whose other parts are not brought.
let total = pmap(fn(v) = psum(sum(v), "i"), axis_name="i", out_axes=none)
for compress in (false, true) {
    save_npz("{folder}/x.npz", {x: f(x), y: ones((5, 2))}, compress=compress)
    let back = load_npz("{folder}/x.npz", part=true)
    print(total(back.x), back.y)
}
fn message(work) = text.replace(attempt(work).error.message, folder, "FOLDER")
print(message(fn() = load_tree("{folder}/x.npz", part=true)))
print(message(fn() = load_npz("{folder}/none.npz", part=true)))
print(message(fn() = save_tree("{folder}/none/x.npz", f(x))))
for name in list_folder(folder) { remove_file("{folder}/{name}") }
remove_file(folder)
# expect: 5 3 abc [1, 1, 1] (0, 2)
# expect: true true true
# expect: true
# expect: 30002 318840002
# expect: 18010500.0 [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
# expect: 18010500.0 [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1]]
# expect: save_tree did not write FOLDER/x.npz
# expect: there is no file FOLDER/none.npz
# expect: cannot write FOLDER/none/x.npz: No such file or directory
