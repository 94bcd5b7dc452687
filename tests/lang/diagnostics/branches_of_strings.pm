# A computed condition cannot choose between two functions, dtypes or ranges, nor between two strings in code that must
# be compiled. tests/lang/programs/texts_chosen_by_numbers.pm has the strings of functions that are interpreted.
# session: yes
fn long(x) = if sum(x) > 0 { "a string that is longer than what a message has place for" } else { "short" }
fn chosen(x) = (if sum(x) > 0 { sin } else { cos })(x)
fn made(x) = (if sum(x) > 0 { fn(v) = v + 1 } else { fn(v) = v - 1 })(x)
fn cast(x) = (if sum(x) > 0 { f32 } else { f64 })(x)
fn turns(x) = if sum(x) > 0 { 0..3 } else { 0..4 }
fn number_or_fails(x) = if sum(x) > 0 { x } else { fail("below") }
fn side(x) {
    let s = if x > 0 { "above" } else { "below" }
    print(s)
    x
}
fn printed(x) {
    if sum(x) > 0 { print("above") } else { print("below") }
    if sum(x) > 0 { x + 1 } else { x - 1 }
}
let x = [1.0]
chosen(x)
made(x)
cast(x)
turns(x)
number_or_fails(x)
vmap(side)(x)
vmap(long)([x])
grad(side)(1.0)
side(1.0)
vmap(printed)([[1.0], [-1.0]])
if sum(x) > 0 { "above" } else { "below" }
("below", "above")[jit(fn(x) = i32(sum(x) > 0))(x)]

# error: PM0272 "(if sum(x) > 0 { sin } else { cos })"
# message: `if` gives the function `sin` on one side and the function `cos` on the other
# note: functions are known before the program runs: a condition that is computed in compiled code cannot choose between two
# help: call it on each side: if c { f(x) } else { g(x) }
# error: PM0272 "(if sum(x) > 0 { fn(v) = v + 1 } else { fn(v) = v - 1 })"
# message: `if` gives a function on one side and another function on the other
# note: functions are known before the program runs: a condition that is computed in compiled code cannot choose between two
# help: call it on each side: if c { f(x) } else { g(x) }
# error: PM0272 "(if sum(x) > 0 { f32 } else { f64 })"
# message: `if` gives the dtype f32 on one side and the dtype f64 on the other
# note: dtypes are known before the program runs: a condition that is computed in compiled code cannot choose between two
# error: PM0272 "if sum(x) > 0 { 0..3 } else { 0..4 }"
# message: `if` gives a range on one side and another range on the other
# note: ranges are known before the program runs: a condition that is computed in compiled code cannot choose between two
# error: PM0272 "if sum(x) > 0 { x } else { fail("below") }"
# message: `if` gives f32[1] on one side and `none` on the other
# note: both sides of a condition that is computed in compiled code give the same type
# help: give a value on that side too; or, to stop there, write assert(condition, "why") before
# error: PM0272 "if x > 0 { "above" } else { "below" }"
# message: `if` gives "above" on one side and "below" on the other
# note: strings are known before the program runs: a condition that is computed in compiled code cannot choose between two
# note: through `vmap(side)`
# help: print on each side
# help: or give a number on each side, and choose the string by it outside of compiled code
# error: PM0272 "if sum(x) > 0 { "a string that is longer than what a message has place for" } else { "short" }"
# message: `if` gives a string on one side and another string on the other
# note: strings are known before the program runs: a condition that is computed in compiled code cannot choose between two
# help: print on each side
# help: or give a number on each side, and choose the string by it outside of compiled code
# error: PM0430 "1.0"
# message: `grad` is taken with respect to argument 0, `x`, which is static: its value decides how `side` is compiled
# note: strings are known before the program runs: a condition that is computed in compiled code cannot choose between two
# help: print on each side
# help: or give a number on each side, and choose the string by it outside of compiled code
# expect: above
# expect: 1.0
# expect: above
# expect: below
# expect: [[2], [-2]]
# expect: "above"
# expect: "above"
