# Checkpoints: a program that ends early goes on from the last one. A checkpoint is a file in a folder, such as
# step-00000120.npz, as save_tree writes it. The file is written as a whole or not at all: a program that is killed at
# any moment leaves the checkpoints before. The file has checksums of its arrays.
# In a job of several processes, each process reads, so the folder must be in a file system that all processes share.
# Process 0 writes, and each process writes its own slices of the results of `pmap`. A checkpoint depends neither on the
# number of processes nor on the number of devices.

fn _file(folder, step) = "{folder}/step-{step:08d}.npz"

## The steps of the checkpoints in a folder, rising.
fn _steps(folder) {
    let names = if file_exists(folder) { list_folder(folder) } else { () }
    (i32(name[5:13]) for name in names if regex.test(name, r"^step-\d{8}\.npz$"))
}

## checkpoints.save(folder, tree, step=120, keep=3): Writes the tree as the checkpoint of a step, and removes all checkpoints
## but the last `keep`. The folder is created if there is none. `step` is an integer from 0 to 99999999; `keep` is an
## integer of at least 1. A tree consists of arrays, numbers, texts, `none`, tuples and records.
fn save(folder, tree, step, keep=3) {
    if step < 0 or step > 99999999 {
        _refuse("`step` is an integer from 0 to 99999999, got {step}")
    }
    if keep < 1 { _refuse("`keep` is an integer of at least 1, got {keep}") }
    make_folder(folder)
    save_tree(_file(folder, step), {step, tree})
    let all = _steps(folder)
    for old in all[:maximum(0, len(all) - keep)] { remove_file(_file(folder, old)) }
}

## checkpoints.restore(folder, part=false): The last checkpoint that is whole, a record {tree, step}; `none` if the folder
## has none or does not exist. A file that is damaged is skipped. part=true: each process of a job reads only the rows
## of its devices, as load_npy does; of large arrays that a `pmap` divides.
fn restore(folder, part=false) {
    for step in _steps(folder)[::-1] {
        let read = attempt(load_tree, _file(folder, step), part)
        if read.ok { return {tree: read.value.tree, step: read.value.step} }
    }
    none
}

test "the last checkpoints are kept" {
    let folder = "build/checkpoints_{i64(1e6 * time()) % 1000000000}"
    assert(restore(folder) == none)
    for step in range(5) {
        save(
            folder,
            {w: [1.0, 2.0] * step, key: random.key(step), name: "a"},
            step=10 * step,
            keep=2,
        )
    }
    assert(list_folder(folder) == ("step-00000030.npz", "step-00000040.npz"))
    let last = restore(folder)
    assert(last.step == 40 and array_equal(last.tree.w, [4.0, 8.0]) and last.tree.name == "a")
    # a damaged file is skipped
    let bytes = read_bytes(_file(folder, 40))
    write_bytes(_file(folder, 40), bytes[:len(bytes) // 2])
    write_text(folder + "/step-1.npz", "not a checkpoint")
    assert(restore(folder).step == 30)
    for name in list_folder(folder) { remove_file(folder + "/" + name) }
    remove_file(folder)
}

test "wrong arguments" {
    assert("99999999" in attempt(fn() = save("build/none", 1.0, step=-1)).error.message)
    assert("`keep`" in attempt(fn() = save("build/none", 1.0, step=1, keep=0)).error.message)
}
