fn adder(n) = fn(x) = x + n
fn f(x) {
    mut g = adder(2.0)
    mut y = x
    while y < 10.0 {
        y = g(y)
        g = adder(5.0)
    }
    y
}
print(f(1.0))

# error: PM0273 "y < 10.0"
# message: `g` changes its type in the loop: it comes in as a function and leaves an iteration as another function
# note: a loop keeps functions and ranges with all that they hold
# help: carry the numbers it is made of, and make it in the loop
