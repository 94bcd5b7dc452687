write_csv("table.csv", {a: ones(2), b: ones(3)})

# error: PM0601 "write_csv("table.csv", {a: ones(2), b: ones(3)})"
# message: column 'b' has 3 entries, 'a' has 2
