# A CSV file is read in parts: all rows, in order, with the same types.
import table

let n = 1000
let t = {id: arange(n), x: 0.5 * arange(n), note: ("row {i},\nand \"more\"" for i in 0..n)}
write_csv("parts.csv", t)
let parts = table.parts("parts.csv", rows=300)
print(len(parts), (table.count(part()) for part in parts))
let whole = table.concat((part() for part in parts))
print(all(whole.id == t.id), all(whole.x == t.x), whole.note == t.note, table.types(whole))
print(parts[3]().id[0], parts[0]().id[-1], (kind(p) for p in table.parts("parts.csv", rows=1000)))

# The options of read_csv.
write_text(
    "marked.csv",
    "first line\n# comment\na;b;when\n1;x;2024-02-28\n\n# more\n2;y;2024-02-29\n-;z;2024-03-01\n",
)
let types = {when: "date", a: f32, b: "category"}
for part in table.parts(
    "marked.csv",
    rows=2,
    delim=";",
    skip=1,
    comment="#",
    na=("-",),
    types=types,
) {
    print(part())
}
for part in table.parts(
    "marked.csv",
    rows=2,
    delim=";",
    skip=1,
    comment="#",
    na="-",
    columns=("b",),
) {
    print(part())
}
write_text("plain.csv", "1,2\n3,4\n5,6\n")
print((part() for part in table.parts("plain.csv", rows=2, header=false)))
write_text("names.csv", "a,b\n")
print(table.parts("names.csv"))

# Mistakes.
fn told(f) {
    let tried = attempt(f)
    if tried.ok { print("no error") } else { print(tried.error.message) }
}
write_text("late.csv", "a\n1\n2\n1.5\n")
told(table.parts("late.csv", rows=2)[1])
told(fn() = table.parts("late.csv", rows=0))
told(fn() = table.parts("none.csv"))
write_text("empty.csv", "")
told(fn() = table.parts("empty.csv"))
write_text("packed.csv.gz", "a\n1\n")
told(fn() = table.parts("packed.csv.gz"))
let late = table.parts("late.csv", rows=2)
write_text("late.csv", "a\n1\n")
told(late[1])
write_text("quote.csv", "a\n1\n\"2\n3\n")
told(fn() = table.parts("quote.csv", rows=1))
for path in (
    "parts.csv",
    "marked.csv",
    "plain.csv",
    "names.csv",
    "late.csv",
    "empty.csv",
    "packed.csv.gz",
    "quote.csv",
) {
    remove_file(path)
}

# expect: 4 (300, 300, 300, 100)
# expect: true true true {id: i32, x: f32, note: "text"}
# expect: 900 299 ("function",)
# expect: {a: [1, 2], b: {codes: [0, 1], names: ("x", "y")}, when: [19781, 19782]}
# expect: {a: [nan], b: {codes: [0], names: ("z",)}, when: [19783]}
# expect: {b: ("x", "y")}
# expect: {b: ("z",)}
# expect: ({column_1: [1, 3], column_2: [2, 4]}, {column_1: [5], column_2: [6]})
# expect: ()
# expect: `table.parts`: late.csv, line 4, column 1: 1.5 in a does not fit i32
# expect: `table.parts`: a part has at least one row, not 0
# expect: `table.parts`: there is no file none.csv
# expect: `table.parts`: empty.csv is empty
# expect: `table.parts`: packed.csv.gz is packed, so it has no parts
# expect: `table.parts`: late.csv has changed since it was divided into parts
# expect: `table.parts`: quote.csv, line 3, column 1: this quote is not closed
