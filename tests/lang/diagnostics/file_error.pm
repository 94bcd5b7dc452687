write_csv("table.csv", {a: ones(2), b: ones(3)})

# error: PM0601 "write_csv("table.csv", {a: ones(2), b: ones(3)})"
# message: the columns are not of one length: 'b' has 3, 'a' has 2
