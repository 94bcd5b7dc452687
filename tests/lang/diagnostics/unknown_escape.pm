print("C:\data")

# configs: compiled
# error: PM0009 "\d"
# message: unknown escape `\d` in a text
# help: the escapes are \n \t \r \" \\ \u{...}; a backslash itself is \\, and in r"..." it is `\`
