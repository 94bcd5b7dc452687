# The result of a loop is not equal on all devices if the loop may have no iteration or returns unequal values.
# command: check
# configs: compiled
fn no_turn(x: f32) {
    mut y = x
    for k in 0..0 { y = psum(y, "i") }
    y
}
fn not_known(x: f32, n: i32) {
    mut y = x
    for k in 0..n { y = psum(y, "i") }
    y
}
fn handed(x: f32, n: i32) = not_known(x, n)
fn tested_first(x: f32) {
    mut (y, k) = (x, 0)
    while k < 3 {
        y = psum(y, "i")
        k += 1
    }
    y
}
fn left_by_break(x: f32) {
    mut y = x
    for k in 0..3 {
        if k > 1 { break }
        y = psum(y, "i")
    }
    y
}
fn swapped_once(x: f32) {
    mut (a, b) = (x, 2 * x)
    for k in 0..1 { (a, b) = (b, psum(a, "i")) }
    a
}
fn handed_on_twice(x: f32) {
    mut (a, b, c) = (x, x, x)
    for k in 0..2 { (a, b, c) = (b, c, psum(a, "i")) }
    a
}
fn kept_beside(x: f32) {
    mut (a, b) = (x, x)
    for k in 0..3 { (a, b) = (psum(a, "i"), a + b) }
    b
}
fn of_each_turn(x: f32) = scan(fn(c, t) = (psum(c * t, "i"), c), x, arange(3.0)).1
fn moved_behind(x: f32) {
    mut y = x
    for k in 0..3 { y = ppermute(psum(y, "i"), "i", ((0, 1), (1, 0))) }
    y
}
fn behind(x: f32) = (1 + 2 * tested_first(x)) ** 2
fn behind_and_beside(x: f32) = tested_first(x) + x
fn one_after_another(x: f32) {
    mut (a, b, k) = (x, x, 0)
    while k < 3 {
        (a, b) = (b, psum(a, "i"))
        k += 1
    }
    a
}
fn in_some_turns(x: f32) {
    mut y = x
    for k in 0..3 {
        if k > 1 { y = psum(y, "i") } else if k > 0 { y = pmax(y, "i") }
    }
    y
}
fn in_none(x: f32) {
    mut y = x
    while psum(y, "i") < 3 { y = 2 * y }
    y
}
fn replaced(x: f32, n: i32) {
    mut y = x
    for k in 0..n { y = k * 1.0 }
    y
}
let two = arange(2.0)
let a = pmap(no_turn, axis_name="i", out_axes=none)(two)
let b = pmap(not_known, in_axes=(0, none), axis_name="i", out_axes=none)(two, 3)
let c = pmap(handed, in_axes=(0, none), axis_name="i", out_axes=none)(two, 3)
let d = pmap(tested_first, axis_name="i", out_axes=none)(two)
let e = pmap(left_by_break, axis_name="i", out_axes=none)(two)
let f = pmap(swapped_once, axis_name="i", out_axes=none)(two)
let g = pmap(handed_on_twice, axis_name="i", out_axes=none)(two)
let h = pmap(kept_beside, axis_name="i", out_axes=none)(two)
let i = pmap(of_each_turn, axis_name="i", out_axes=none)(two)
let j = pmap(moved_behind, axis_name="i", out_axes=none)(two)
let k = pmap(behind, axis_name="i", out_axes=none)(two)
let l = pmap(behind_and_beside, axis_name="i", out_axes=none)(two)
let m = pmap(one_after_another, axis_name="i", out_axes=none)(two)
let n = pmap(in_some_turns, axis_name="i", out_axes=none)(two)
let o = pmap(in_none, axis_name="i", out_axes=none)(two)
let p = pmap(replaced, in_axes=(0, none), out_axes=none)(two, 3)
# error: PM0315 "pmap(no_turn, axis_name="i", out_axes=none)(two)"
# second: "0..0" passes on a value that is split over axis `i` after its 0 iterations
# help: make more iterations: each brings it nearer to what is the same everywhere
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(not_known, in_axes=(0, none), axis_name="i", out_axes=none)(two, 3)"
# second: "0..n" may make no iteration, and then passes on a value that is split over axis `i`
# help: make a number of iterations that is known before they begin: for k in 0..3, without break
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(handed, in_axes=(0, none), axis_name="i", out_axes=none)(two, 3)"
# second: "0..n" may make no iteration, and then passes on a value that is split over axis `i`
# help: make a number of iterations that is known before they begin: for k in 0..3, without break
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(tested_first, axis_name="i", out_axes=none)(two)"
# second: "k < 3" may make no iteration, and then passes on a value that is split over axis `i`
# help: make a number of iterations that is known before they begin: for k in 0..3, without break
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(left_by_break, axis_name="i", out_axes=none)(two)"
# second: "0..3" its iterations may leave a value that is split over axis `i` unchanged
# help: combine it in every iteration, without break, continue or a branch that leaves it out
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(swapped_once, axis_name="i", out_axes=none)(two)"
# second: "0..1" passes on a value that is split over axis `i` after its 1 iteration
# help: make more iterations: each brings it nearer to what is the same everywhere
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(handed_on_twice, axis_name="i", out_axes=none)(two)"
# second: "0..2" passes on a value that is split over axis `i` after its 2 iterations
# help: make more iterations: each brings it nearer to what is the same everywhere
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(kept_beside, axis_name="i", out_axes=none)(two)"
# second: "0..3" depends on a value that is split over axis `i`; nothing combines it afterwards
# help: combine it: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(of_each_turn, axis_name="i", out_axes=none)(two)"
# error: PM0315 "pmap(moved_behind, axis_name="i", out_axes=none)(two)"
# second: "0..3" depends on a value that is split over axis `i`; nothing combines it afterwards
# help: combine it: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(behind, axis_name="i", out_axes=none)(two)"
# second: "k < 3" may make no iteration, and then passes on a value that is split over axis `i`
# help: make a number of iterations that is known before they begin: for k in 0..3, without break
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(behind_and_beside, axis_name="i", out_axes=none)(two)"
# second: "tested_first(x) + x" depends on a value that is split over axis `i`; nothing combines it afterwards
# help: combine it: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(one_after_another, axis_name="i", out_axes=none)(two)"
# second: "k < 3" may make no iteration, and then passes on a value that is split over axis `i`
# help: make a number of iterations that is known before they begin: for k in 0..3, without break
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(in_some_turns, axis_name="i", out_axes=none)(two)"
# second: "0..3" its iterations may leave a value that is split over axis `i` unchanged
# help: combine it in every iteration, without break, continue or a branch that leaves it out
# help: or combine it after the loop: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(in_none, axis_name="i", out_axes=none)(two)"
# second: "psum(y, "i") < 3" depends on a value that is split over axis `i`; nothing combines it afterwards
# help: combine it: pmean(..., "i")
# help: or keep one per device: out_axes=0 for it
# error: PM0315 "pmap(replaced, in_axes=(0, none), out_axes=none)(two, 3)"
# second: "0..n" may make no iteration, and then passes on an argument that is split
# help: make a number of iterations that is known before they begin: for k in 0..3, without break
# help: or keep one per device: out_axes=0 for it
