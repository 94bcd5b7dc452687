write_text("no/such/folder/a.txt", "hello")

# error: PM0605 "write_text("no/such/folder/a.txt", "hello")"
# message: cannot write no/such/folder/a.txt: No such file or directory
# note: paths are relative to the current folder
