# options: --explain
# configs: compiled
# A note has the line of the call, or the line because of which the function is interpreted.
fn timed(x) {
    let start = time()
    x + 1
}
print(timed(1))

# expect: 2
# stderr: {*}explain_places.pm:5:17: note: the function `timed` is interpreted: `time` works with files, time or the terminal
