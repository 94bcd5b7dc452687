# Files with decimal commas, columns of tuples of numbers.
write_csv("loss.csv", {epoch: (0, 1), loss: (0.5, f32(0.25)), name: ("a", "b")})
print(read_csv("loss.csv"))
write_text("comma.csv", "x;name\n1,5;a\n-2,25;b\nNA;c\n")
let t = read_csv("comma.csv", delim=";", decimal=",")
print(t.x[:2], isnan(t.x[2]), t.name)
print((p().x[0] for p in table.parts("comma.csv", rows=2, delim=";", decimal=","))[0])
print(attempt(fn() = read_csv("comma.csv", delim=";")).error.help)
print(attempt(fn() = read_csv("comma.csv", decimal=",")).error.help)
print(attempt(fn() = read_csv("comma.csv", delim=";", decimal="comma")).error.message)
write_text("points.csv", "price;n\n1.500;2\n")
print(attempt(fn() = read_csv("points.csv", delim=";", decimal=",")).error.help)

# expect: {epoch: [0, 1], loss: [0.5, 0.25], name: ("a", "b")}
# expect: [1.5, -2.25] true ("a", "b", "c")
# expect: 1.5
# expect: ("decimal=\",\" reads it as 1.5; in quotes it is text",)
# expect: ("read_csv(path, delim=\";\", decimal=\",\")",)
# expect: the `decimal` of `read_csv` needs one character, got "comma"
# expect: ("write numbers without separators of thousands; types={price: \"text\"} reads the column as text",)
