fn add(x, i) {
    mut s = x
    for t in 0..len(i) { s = s with [i[t]] += 1 }
    s
}
print(add(zeros(0), [0]))

# error: PM0501 "i[t]"
# message: index 0 is out of range for axis 0 of size 0
# help: there is nothing to index: ask for the size first
