let t = {name: ("a", "b"), x: [1.0, 2.0]}
for row in each(t) { print(row.x) }

# error: PM0111 "each(t)"
# message: `each` needs arrays to run over, got a tuple of texts in `name`
# help: run over records of the rows, with table.rows(t), or over a category's codes, with table.category(texts)
