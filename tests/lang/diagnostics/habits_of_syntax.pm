# For syntax of Python and C the message has the notation of this language.
# session: yes
import jax.numpy as jnp
from jax import grad
class Model { }
try { print(1) } except { }
raise ValueError("x")
@jit
assert 1 == 1
global x
yield 3
with open("a") as f { }
if true { print(1) } elif false { print(2) }
let [c, d] = [1, 2]
print(1 <> 2)
print("a" "b")
print("{}".format(3))
print({k: 1 for k in range(3)})
let r = {*{a: 1}, b: 2}
fn f(*args, **kwargs) = 1
// comment
let f = |x| x + 1
x -> x + 1
let mut x = 3
int x = 3
x: int = 3
for (i = 0; i < 3; i++) { }
for i = 1:3 { }
for i in 1:3 { print(i) }
x = y = 3
print(`a`)
zeros[3]
ones(3)(0)
max(1, 2, 3)
"""Doc."""
"""Doc

# error: PM0001 "."
# message: expected the end of the statement, found `.`
# help: the library needs no import, and its functions no other name in front than its modules': zeros(3), grad(f), random.key(0), linalg.inv(a)
# error: PM0001 "jax"
# message: expected the end of the statement, found `jax`
# help: the library needs no import: nn.relu(x); a file is imported whole: import "model.pm", then model.name
# error: PM0001 "Model"
# message: expected the end of the statement, found `Model`
# help: there are no classes: a record holds values, {w: x, b: y}, and functions take it: fn f(p, x) = x @ p.w
# error: PM0001 "{"
# message: expected the end of the statement, found `{`
# help: write `let r = attempt(f, x)`: r.ok tells whether f(x) worked, r.value and r.error what came of it
# error: PM0001 "ValueError"
# message: expected the end of the statement, found `ValueError`
# help: an error that ends the program is fail("why")
# error: PM0001 "@"
# message: expected a statement, found `@`
# help: there are no decorators: apply it to the function, as `let g = jit(f)`; calls at the top level are compiled as they are
# error: PM0001 "1"
# message: expected the end of the statement, found `1`
# help: write arguments in parentheses: assert(x > 0, "why")
# error: PM0001 "x"
# message: expected the end of the statement, found `x`
# help: a function reads outer names directly, and returns its results
# error: PM0001 "3"
# message: expected the end of the statement, found `3`
# help: a function gives one value back; [f(x) for x in xs] and scan(f, start, xs) make several
# error: PM0001 "with"
# message: expected a statement, found `with`
# help: `with` changes a copy, as `x with [i] = v`; read_text(path) reads a whole file, which needs no closing
# error: PM0001 "elif"
# message: expected the end of the statement, found `elif`
# help: write `else if`
# error: PM0001 "["
# message: expected a name or a pattern, found `[`
# help: write several names in parentheses: let (a, b) = ...
# error: PM0001 ">"
# message: expected an expression, found `>`
# help: write `!=`
# error: PM0001 """
# message: expected `,` or `)`, found a text
# help: texts are joined with `+`
# error: PM0001 "}"
# message: expected an expression, found `}` in a text
# help: write a value in the braces: "x = {x}"; `{{` and `}}` are braces themselves
# error: PM0001 "for"
# message: expected `,` or `}`, found `for`
# help: a loop makes a record of computed names: mut r = {}; for n in names { r[n] = f(n) }; tree_map(f, r) makes one of another
# error: PM0001 "*"
# message: expected the name of a field or `}`, found `*`
# help: the fields of another record: {..r, b: 2}
# error: PM0001 "**"
# message: expected an expression or `)`, found `**`
# help: names are not spread: take options as a record, fn f(x, options), and its fields, options.rate
# error: PM0001 "//"
# message: expected a statement, found `//`
# help: a comment begins with `#`
# error: PM0001 "|"
# message: expected an expression, found `|`
# help: a function is `fn(x) = ...`
# error: PM0001 "->"
# message: expected the end of the statement, found `->`
# help: a function is `fn(x) = ...`
# error: PM0016 "mut"
# message: `mut` is a keyword and cannot be used as a name
# help: a name that changes is made by `mut x = ...`, without `let`
# error: PM0001 "x"
# message: expected `=`, found `x`
# error: PM0001 "x"
# message: expected the end of the statement, found `x`
# help: names are made with `let x = ...`, or `mut x = ...` for one that changes
# error: PM0001 ":"
# message: expected the end of the statement, found `:`
# help: a name with a type is made by `let x: i32 = ...`
# error: PM0001 "="
# message: expected `,` or `)`, found `=`
# help: a loop counts over a range: for i in 0..n { ... }
# error: PM0001 "="
# message: expected `in`, found `=`
# help: a loop counts over a range: for i in 0..n { ... }
# error: PM0001 ":"
# message: expected `{`, found `:`
# help: a loop counts over a range: for i in 0..n { ... }
# error: PM0001 "="
# message: expected the end of the statement, found `=`
# help: each name is given its value by a statement of its own
# error: PM0033 "`"
# message: a backquote is not part of the language
# help: write a text in double quotes: "..."
# error: PM0284 "zeros[3]"
# message: the function `zeros` cannot be indexed like this
# help: write arguments in parentheses: f(x)
# error: PM0102 "ones(3)(0)"
# message: f32[3] is not a function
# help: write an index in brackets: x[0]
# error: PM0111 "3"
# message: the `keepdims` of `max` needs a bool, got an integer
# help: of several numbers: max([a, b, c])
# error: PM0001 """
# message: expected the end of the statement, found a text
# help: a text is written on one line; a comment begins with `#`, the documentation above a function with `##`
# error: PM0008 ""Doc"
# message: the text is not closed before the end of its line
# help: a text is written on one line; a comment begins with `#`, the documentation above a function with `##`
