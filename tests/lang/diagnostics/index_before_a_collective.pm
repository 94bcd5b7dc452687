# An invalid index in one lane ends the program; the other lanes do not wait for this lane at later collectives.
# devices: 4
fn look(table, i) {
    let whole = psum(i, "i")
    let x = table[i]
    x + psum(x, "i") + whole
}
print(pmap(look, axis_name="i", in_axes=(none, 0), uneven=true)(arange(7.0), [0, 1, 2, 3, 4, 5, 6, 9]))

# error: PM0501 "i"
# message: index 9 is out of range for axis 0 of size 7
# note: on device 3
# note: through `pmap(look)`
# help: indices go from 0 to 6, or from -7 to -1
