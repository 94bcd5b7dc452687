# Errors as values, and files: each error of a job is a record, and the other jobs run.
fn job(n) {
    assert(n != 2, "two is refused")
    if n == 3 { read_text("/there/is/no/such/file") } else { [1.0, 2.0][n:].reshape(2 - n) }
}
for n in 0..4 {
    let r = attempt(job, n)
    print(r.ok, r.value, if r.ok { "no error" } else { r.error.code })
}
let e = attempt(fn() = ones(3) @ ones(4)).error
print(
    e.code,
    e.line,
    "ones(3)" in e.text,
    kind(e.notes),
    attempt(fn() = fail("stopped")).error.message,
)
print(attempt(fn() = attempt(fn() = fail("inner")).ok), attempt(exp, 0.0).value, attempt(i32, "x").ok, attempt(i32, "7").value)
# What a failed call did before remains, and the names of the module keep their values.
mut log = ()
fn noted(x) { print("noted {x}"); [1, 2][x] }
log += (attempt(noted, 7).ok,)
log += (attempt(noted, 1).value,)
print(log)
# In an interpreted function, in a loop.
fn tried(xs) {
    mut good = 0
    for x in xs { if attempt(fn() { assert(x > 0); x }).ok { good += 1 } }
    good
}
print(tried((1, -1, 2)))

let folder = "build/attempts_{int(1e6 * time()) % 1000000000}"
make_folder("{folder}/inner")
make_folder(folder)
append_text("{folder}/log.txt", "one\n")
append_text("{folder}/log.txt", "two\n")
write_text("{folder}/a.txt", "")
print(list_folder(folder), text.lines(read_text("{folder}/log.txt")), list_folder("{folder}/inner"))
json.write("{folder}/config.json", {rate: 0.1, layers: (64, 10), name: "first"})
print(json.read("{folder}/config.json"))

# A tree to the bit: its arrays of every dtype, numbers with and without dtypes, texts, `none`, names that are no identifiers.
let state = {
    w: [[0.1, -0.0], [nan, inf]],
    half: f16([1.5]),
    brain: bf16([2.5]),
    key: random.key(7),
    counts: (i64([2 ** 40]), u8([200]), [true, false]),
    z: c64([1 + 2j]),
    epoch: 3,
    rate: 0.1,
    typed: f32(0.3),
    wide: i64(2 ** 62),
    on: true,
    missing: none,
    note: "x = \"1\"",
    dtype: f16,
    "a b.c": {d: zeros((0, 2))},
    empty: ((), {}),
    weak: arange(3) * 0.5,
    rows: each({x: arange(4)}),
}
save_tree("{folder}/state.npz", state)
save_tree("{folder}/packed.npz", state, compress=true)
let back = load_tree("{folder}/state.npz")
print(
    "{back}" == "{state}",
    keys(back) == keys(state),
    len(back.rows),
    back.dtype == f16,
    back.rate * 3 == 0.1 * 3,
)
fn same_bits(a, b, bits) = array_equal(bitcast_convert_type(a, bits), bitcast_convert_type(b, bits))
print(
    same_bits(back.w, state.w, u32),
    same_bits(back.half, state.half, u16),
    back.typed.dtype,
    back.wide,
    (f16(1) * back.weak).dtype,
    (f16(1) * state.weak).dtype,
)
assert(
    "{load_tree("{folder}/packed.npz")}" == "{state}" and
    keys(load_npz("{folder}/state.npz"))[0] == "w",
)
save_tree("{folder}/one.npz", [1, 2])
print(load_tree("{folder}/one.npz"), attempt(save_tree, "{folder}/f.npz", {f: print}).error.code)
save_npz("{folder}/other.npz", {x: ones(2)})
print(
    attempt(load_tree, "{folder}/other.npz").error.code,
    attempt(load_tree, "{folder}/a.txt").ok,
    attempt(list_folder, "{folder}/none").error.code,
)
print(
    attempt(remove_file, folder).error.code,
    attempt(make_folder, "{folder}/a.txt").error.code,
    attempt(append_text, folder, "x").error.code,
)
for name in list_folder(folder) { remove_file("{folder}/{name}") }
remove_file(folder)
print(attempt(list_folder, folder).ok)

# expect: true [1, 2] no error
# expect: true [2] no error
# expect: false none PM0503
# expect: false none PM0603
# expect: PM0278 10 true tuple stopped
# expect: {ok: true, value: false, error: none} 1.0 false 7
# expect: noted 7
# expect: noted 1
# expect: (false, 2)
# expect: 2
# expect: ("a.txt", "inner/", "log.txt") ("one", "two") ()
# expect: {rate: 0.1, layers: (64, 10), name: "first"}
# expect: true true 4 true true
# expect: true true f32 4611686018427387904 f16 f16
# expect: [1, 2] PM0111
# expect: PM0606 false PM0603
# expect: PM0605 PM0605 PM0605
# expect: false
