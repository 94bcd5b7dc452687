fn f(x: f32[n]) {
    let y: f32[n] = concatenate((x, x))
    y
}
print(f(ones(2)))

# error: PM0277 "concatenate((x, x))"
# message: the size `n` is 4 here, but 2 elsewhere
# second: "n"
# note: the value is f32[4]
# note: sizes here: n = 2
