print(twice(2))
fn twice(x) = 2 * x

# error: PM0101 "twice"
# message: unknown name `twice`
# second: "twice" it is defined here, after this use
