# options: --explain
# configs: compiled
# A note names the line of the call, or the line that makes the function interpreted.
fn timed(x) {
    let start = time()
    x + 1
}
print(timed(1))

# expect: 2
# stderr: {*}explain_places.pm:5:17: note: the function `timed` is interpreted: `time` works with files, time or the terminal
