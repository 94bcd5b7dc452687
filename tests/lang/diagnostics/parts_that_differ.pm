# session: yes
let q = {k: 1.0, layers: ({w: 1.0},)}
let add = fn(a, b) = a + b
tree_map(add, {..q, more: 1.0}, q)
tree_map(add, q, {..q, more: 1.0})
tree_map(add, q, {k: 1.0, layers: ({w: 1.0, b: 2.0},)})
tree_map(add, q, {k: 1.0, layers: ({w: 1.0}, 2.0)})
tree_map(add, q, {k: 1.0, layers: 2.0})
json.format({towns: ({km: 1.0}, {km: inf})})

# error: PM0292 "tree_map(add, {..q, more: 1.0}, q)"
# note: the first has a field `more`, the second has not
# error: PM0292 "tree_map(add, q, {..q, more: 1.0})"
# note: the second has a field `more`, the first has not
# error: PM0292 "tree_map(add, q, {k: 1.0, layers: ({w: 1.0, b: 2.0},)})"
# note: the second has a field `b` in `layers[0]`, the first has not
# error: PM0292 "tree_map(add, q, {k: 1.0, layers: ({w: 1.0}, 2.0)})"
# note: the first has 1 parts in `layers`, the second 2
# error: PM0292 "tree_map(add, q, {k: 1.0, layers: 2.0})"
# note: the first has a tuple of 1 in `layers`, the second a float
# error: PM0111 "json.format({towns: ({km: 1.0}, {km: inf})})"
# note: it is the part .towns[1].km of the value
# help: write `none` for a number that is missing
