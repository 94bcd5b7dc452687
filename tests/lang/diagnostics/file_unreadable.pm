print(read_text("."))

# error: PM0604 "read_text(".")"
# message: . is a directory
