print(read_csv("tests/lang/data/words.csv", types={a: "number"}))

# error: PM0111 "{a: "number"}"
# message: `read_csv`: a type of a column needs a dtype, "text", "category" or "date", got "number"
