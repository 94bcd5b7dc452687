# Prints before a failed check are in the output, prints after it are not.
fn f(x, i) {
    print("before", i)
    let y = x[i]
    print("after", y)
    y
}
print(f(arange(3), 2))
f(arange(3), 7)

# expect: before 2
# expect: after 2
# expect: 2
# expect: before 7
# error: PM0501
