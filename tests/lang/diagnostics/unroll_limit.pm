fn f(x) {
    mut parts = ()
    for i in 0..300 { parts = parts + (sum(x[:i]),) }
    len(parts)
}
print(f(ones(300)))

# error: PM0275 "0..300"
# message: this loop must be unrolled, but has 300 iterations (at most 256)
# second: ":i"
