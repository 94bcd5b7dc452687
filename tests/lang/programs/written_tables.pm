# write_csv writes what read_csv reads back, and refuses types that do not fit.
fn told(f) {
    let tried = attempt(f)
    if tried.ok { print("no error") } else { print(tried.error.message) }
}
let t =
    {day: [0, 19781], name: ("# x", "y"), sort: {codes: [1, 0], names: ("p", "q")}, x: [0.5, 1.0]}
write_csv("t.csv", t, types={day: "date", name: "text", sort: "category", x: f32})
print(read_text("t.csv"))
print(read_csv("t.csv", types={day: "date"}, comment="#"))
write_csv("t.csv", {a: (), b: zeros(0)})
print(read_text("t.csv"), read_csv("t.csv"))
told(fn() = write_csv("t.csv", {a: ("x", "y")}, types={a: "date"}))
told(fn() = write_csv("t.csv", {a: [1.5]}, types={a: "date"}))
told(fn() = write_csv("t.csv", {a: {codes: [0.7], names: ("x",)}}))
told(fn() = write_csv("t.csv", {a: [1]}, types={a: "category"}))
told(fn() = write_csv("t.csv", {a: ("x",)}, types={a: f32}))
told(fn() = write_csv("t.csv", {a: [1]}, types={b: f32}))
told(fn() = write_csv("t.csv", [1, 2], types={b: f32}))

# The columns that are read.
write_text("s.csv", "a;b\n1;2\n")
told(fn() = read_csv("s.csv", columns=("a", "a")))
told(fn() = read_csv("s.csv", columns=()))
told(fn() = read_csv("s.csv", types={a: f32}))
told(fn() = read_csv("s.csv", delim=";", columns=("a", "a")))
write_text("m.csv", "a,b\nNA,1\nx,2\n5,3\n")
told(fn() = read_csv("m.csv"))
write_text("n.csv", "1,2\n3,4\n")
print(
    read_csv("n.csv", header=false, rows=0).shape,
    read_csv("n.csv", header=false, types={column_1: f64}),
)
for path in ("t.csv", "s.csv", "m.csv", "n.csv") { remove_file(path) }

# expect: day,name,sort,x
# expect: 1970-01-01,"# x",q,0.5
# expect: 2024-02-28,y,p,1
# expect:
# expect: {day: [0, 19781], name: ("# x", "y"), sort: ("q", "p"), x: [0.5, 1.0]}
# expect: a,b
# expect:  {a: [], b: []}
# expect: `write_csv`: the type of the column `a` needs days, an array of integers, got a tuple of 2
# expect: `write_csv`: the type of the column `a` needs days, an array of integers, got f32[1]
# expect: `write_csv`: the array of codes needs integers, got f32[1]
# expect: `write_csv`: the type of the column `a` needs texts or a category, got i32[1]
# expect: `write_csv`: the type of the column `a` needs an array of numbers, got a tuple of 1
# expect: the `types` of `write_csv` needs names of columns, got "b"
# expect: the `types` of `write_csv` needs names of columns, got "b"
# expect: s.csv has no column 'a', only a;b
# expect: the `columns` of `read_csv` needs names of columns, or none for all, got an empty tuple
# expect: s.csv has no column 'a', only a;b
# expect: the column 'a' is chosen twice
# expect: m.csv, line 4, column 1: '5' in a is a number, but 'x' before it is not
# expect: (0, 2) {column_1: [1, 3], column_2: [2, 4]}
