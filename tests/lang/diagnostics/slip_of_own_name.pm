# For a misspelt name the message first proposes names of the program, then the meaning of the name in other languages.
# session: yes
let meanError = 1
let inputs = 2
menaError
input
IndexError

# error: PM0101 "menaError"
# message: unknown name `menaError`
# caret: did you mean `meanError`?
# error: PM0101 "input"
# message: unknown name `input`
# caret: did you mean `inputs`?
# help: a program takes its values from files and from its host: read_text(path)
# error: PM0101 "IndexError"
# message: unknown name `IndexError`
# help: fail("why") stops with a message; attempt(f, x) has it as a record
