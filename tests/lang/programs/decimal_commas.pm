# Files with decimal commas, columns of tuples of numbers.
let folder = "build/decimals_{int(1e6 * time()) % 1000000000}"
make_folder(folder)
write_csv("{folder}/loss.csv", {epoch: (0, 1), loss: (0.5, f32(0.25)), name: ("a", "b")})
print(read_csv("{folder}/loss.csv"))
write_text("{folder}/comma.csv", "x;name\n1,5;a\n-2,25;b\nNA;c\n")
let t = read_csv("{folder}/comma.csv", delim=";", decimal=",")
print(t.x[:2], isnan(t.x[2]), t.name)
print((p().x[0] for p in table.parts("{folder}/comma.csv", rows=2, delim=";", decimal=","))[0])
print(attempt(fn() = read_csv("{folder}/comma.csv", delim=";")).error.help)
print(attempt(fn() = read_csv("{folder}/comma.csv", decimal=",")).error.help)
print(attempt(fn() = read_csv("{folder}/comma.csv", delim=";", decimal="comma")).error.message)
write_text("{folder}/points.csv", "price;n\n1.500;2\n")
print(attempt(fn() = read_csv("{folder}/points.csv", delim=";", decimal=",")).error.help)
for name in list_folder(folder) { remove_file("{folder}/{name}") }
remove_file(folder)

# expect: {epoch: [0, 1], loss: [0.5, 0.25], name: ("a", "b")}
# expect: [1.5, -2.25] true ("a", "b", "c")
# expect: 1.5
# expect: ("decimal=\",\" reads it as 1.5; in quotes it is text",)
# expect: ("read_csv(path, delim=\";\", decimal=\",\")",)
# expect: the `decimal` of `read_csv` needs one character, got "comma"
# expect: ("write numbers without separators of thousands; types={price: \"text\"} reads the column as text",)
