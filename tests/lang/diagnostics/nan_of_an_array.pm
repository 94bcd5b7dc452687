# options: --check-nans
fn entropy(p) = -sum(p * log(p))
print(entropy([0.5, 0.5]))
print(entropy([[0.5, 0.25], [-0.25, 0.5]]))

# expect: 0.6931472
# error: PM0505 "p"
# message: `log` makes a NaN at [1, 0]: log(-0.25)
# help: `where` around it computes it for all elements: choose the argument inside of it, log(where(ok, x, 1))
