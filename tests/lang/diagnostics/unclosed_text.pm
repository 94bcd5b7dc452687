print("hello)

# configs: compiled
# error: PM0008 ""hello)"
# message: the text is not closed before the end of its line
# help: close it with `"`; a line break inside a text is \n
