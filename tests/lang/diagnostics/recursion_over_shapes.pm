# An error in a recursion is reported as this error, whether the number in the condition can be known or not.
# session: yes
fn first(x, depth) = if depth == 0 { x } else { first(x[0], depth - 1) }
first(ones((2, 2)), 3)
vmap(first)(ones((2, 2, 2)), [1, 2])
fn down(x, limit) = if sum(x) < limit { x } else { down(x.reshape(2, -1)[0], limit) }
down(arange(6.0), 3.0)

# error: PM0285 "x[0]"
# message: f32 has 0 axes, but 1 are indexed
# error: PM0285 "x[0]"
# message: f32 has 0 axes, but 1 are indexed
# second: "vmap(first)(ones((2, 2, 2)), [1, 2])" here it comes from the elements of an array
# note: through `vmap(first)`
# error: PM0280 "x.reshape(2, -1)"
