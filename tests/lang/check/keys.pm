# Two draws with one random key have equal numbers, which is reported.
# command: check
# configs: compiled
import random
import random as r
let k = random.key(0)
let a = random.normal(k, (3,))
let b = random.uniform(k)
mut m = random.key(1)
let c = random.normal(m)
m = random.fold_in(m, 1)
let d = random.normal(m)
fn twice(k: key) -> f32[3] = random.normal(k, (3,)) + random.normal(k, (3,))
fn sides(k: key, x: f32) -> f32 {
    if x > 1.0 { return random.normal(k) }
    if x > 0.0 { random.uniform(k) } else { random.normal(k) }
}
fn turns(k: key) -> f32 {
    mut s = 0.0
    for i in 0..3 {
        s += random.normal(random.fold_in(k, i))
        s += r.uniform(k)
    }
    s
}
fn parts(k: key) {
    let keys = random.split(k, 3)
    random.normal(keys[0]) + random.normal(keys[1]) + random.normal(keys[1])
}
fn fresh(k: key) {
    mut k = k
    for i in 0..3 {
        let (now, next) = random.split(k)
        k = next
        print(random.normal(now))
    }
}
let f = fn(k) = random.normal(k)
let g = [random.normal(k) for k in random.split(random.key(2), 3)]
fn own_keys(key, seed, shape) {
    let all = [random.normal(k) for k in random.split(key, 3)]
    let (one, other) = (random.key(seed), random.key(seed))
    for k in random.split(one, 3) { print(random.normal(k)) }
    print(random.uniform(key=other, shape=shape))
    (all, random.normal(shape=shape, key=random.fold_in(other, 1)))
}
fn same_key(key) = [random.normal(key) for i in 0..3]
fn while_below(k: key) {
    mut s = 0.0
    while s < 3.0 { s += random.uniform(k) }
    s
}
fn after_a_loop(k: key, again: bool) {
    mut s = 0.0
    if again {
        s = random.normal(k)
        for i in 0..3 { if s > f32(i) { break } }
        while s > 1.0 {
            s /= 2
            continue
        }
    }
    s + random.normal(k)
}
# error: PM0118 "k"
# message: `k` has been used before: its numbers are not independent of the first ones
# second: "k"
# help: keys of their own: random.split(k), or random.fold_in(k, i) in a loop
# error: PM0118 "k"
# message: `k` has been used before: its numbers are not independent of the first ones
# error: PM0118 "k"
# note: each iteration of the loop draws the same numbers
# error: PM0118 "keys[1]"
# second: "keys[1]"
# error: PM0118 "key"
# note: each iteration of the loop draws the same numbers
# error: PM0118 "k"
# note: each iteration of the loop draws the same numbers
# error: PM0118 "k"
# message: `k` has been used before: its numbers are not independent of the first ones
# exit: 0
# expect: tests/lang/check/keys.pm: no errors, 7 warnings
