# options: --check-nans
fn entropy(p) = -sum(p * log(p))
let p = ones((3, 5001))
print(entropy(p))
print(
    entropy(
        where(arange(15003).reshape(3, 5001) % 4000 == 3999, -2.0 - arange(3.0).reshape(3, 1), p),
    ),
)

# expect: -0.0
# error: PM0505 "p"
# message: `log` makes a NaN at [0, 3999]: log(-2.0)
# help: `where` around it computes it for all elements: choose the argument inside of it, log(where(ok, x, 1))
