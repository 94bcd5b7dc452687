# A slip of one of the program's own names is seen before what the name may mean elsewhere.
# session: yes
let meanError = 1
let inputs = 2
menaError
input
IndexError
fn f(widths) = wdiths + inptus
let np1 = 3
np.sin(1.0)

# error: PM0101 "menaError"
# message: unknown name `menaError`
# error: PM0101 "input"
# message: unknown name `input`
# help: a program takes its values from files and from its host: read_text(path)
# error: PM0101 "IndexError"
# message: unknown name `IndexError`
# help: fail("why") stops with a message; nothing catches it
# error: PM0101 "np"
# message: unknown name `np`
# help: write sin
