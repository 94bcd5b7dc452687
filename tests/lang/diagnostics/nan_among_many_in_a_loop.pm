# options: --check-nans
fn settle(x, turns) {
    mut x = x
    for k in 0..turns { x = sqrt(x) - 0.3 }
    x
}
let x = where(arange(6000) == 5999, 0.3, 4.0)
print(settle(x, 1)[5998:])
print(settle(x, 6)[5998:])

# expect: [1.7, 0.24772257]
# error: PM0505 "x"
# message: `sqrt` makes a NaN at [5999]: sqrt(-0.016567051)
# help: `where` around it computes it for all elements: choose the argument inside of it, sqrt(where(ok, x, 1))
