# A call of a function by itself is named once.
fn rest(names) {
    if len(names) == 0 { ones(4) @ ones(3) } else { rest(names[1:]) }
}
fn start(names) = rest(names)
start(("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"))

# error: PM0278 "ones(4) @ ones(3)"
# calls: 3:53 5:19 6:1
