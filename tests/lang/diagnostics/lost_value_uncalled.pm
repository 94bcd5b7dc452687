print("never printed")
fn nobody_calls(x) {
    if x > 0 { x + 1 }
    x * 2
    [i for i in 0..3]
    x
}

# error: PM0110 "x + 1"
# message: the value of this statement is lost, and it does nothing else
# error: PM0110 "x * 2"
# message: the value of this statement is lost, and it does nothing else
