let step = pmap(fn(w) = 2.0 * w, donate_argnums=-1)
let w = ones((1, 3))
for i in 0..2 { print(step(w)) }
# expect: [[2, 2, 2]]
# error: PM0318 "w"
