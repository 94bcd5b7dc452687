let names = ("a", "b")
let place = table.category(names)
print(names == "a", "a" != names, place == "a", [1, 2] == (1, 2))
print([name == "a" for name in names], names == ("a", "b"), names == none, () == "a", 1 == (1, 2), {a: 1} == "a")

# exit: 0
# expect: false true false false
# expect: [true, false] true false false false false
# error: PM0129 "names == "a""
# message: a tuple of 2 and a string are never equal: this is false
# help: each text of a tuple: [t == "a" for t in c]
# error: PM0129 ""a" != names"
# message: a string and a tuple of 2 are never equal: this is true
# help: each text of a tuple: [t == "a" for t in c]
# error: PM0129 "place == "a""
# message: a record {codes, names} and a string are never equal: this is false
# help: each text of a category: [t == "a" for t in table.texts(c)]
# error: PM0129 "[1, 2] == (1, 2)"
# message: i32[2] and a tuple of 2 are never equal: this is false
# help: compare two tuples, x.shape == (2, 3), or two arrays, array(t) == x
