# What Python and C write with a syntax of their own is answered with how it is written here.
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
# help: there is no `try`: nothing catches an error; ask first, as `if file_exists(path) { ... }`
# error: PM0001 "ValueError"
# message: expected the end of the statement, found `ValueError`
# help: an error that ends the program is fail("why")
# error: PM0001 "@"
# message: expected a statement, found `@`
# help: there are no decorators: apply it to the function, as `let g = jit(f)`; calls at the top level are compiled as they are
# error: PM0001 "1"
# message: expected the end of the statement, found `1`
# help: arguments stand in parentheses: assert(x > 0, "why")
# error: PM0001 "x"
# message: expected the end of the statement, found `x`
# help: a function reads what stands outside of it by its name, and gives back what it makes
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
# help: several names stand in parentheses: let (a, b) = ...
# error: PM0001 ">"
# message: expected an expression, found `>`
# help: write `!=`
# error: PM0001 """
# message: expected `,` or `)`, found a text
# help: texts are joined with `+`
# error: PM0001 "}"
# message: expected an expression, found `}` in a text
# help: a value stands in the braces: "x = {x}"; `{{` and `}}` are braces themselves
# error: PM0001 "for"
# message: expected `,` or `}`, found `for`
# help: a record's names are written out; tree_map(f, r) makes one of another
# error: PM0001 "*"
# message: expected the name of a field or `}`, found `*`
# help: the fields of another record: {..r, b: 2}
# error: PM0001 "**"
# message: expected an expression or `)`, found `**`
# help: names are not spread: take options as a record, fn f(x, options), and its fields, options.rate
# error: PM0001 "//"
# message: expected a statement, found `//`
# help: a comment begins with `#`
# error: PM0001 """
# message: expected the end of the statement, found a text
# help: a text stands on one line; a comment begins with `#`, what documents a function with `##` above it
# error: PM0008 ""Doc"
# message: the text is not closed before the end of its line
# help: a text stands on one line; a comment begins with `#`, what documents a function with `##` above it
