# Line and column of what is wrong in a file.
write_text("table.csv", "a,b\n1,2\n3,x4\n")
print(read_csv("table.csv"))
