# A lane prints nothing after a failed check of this lane; the other lanes run to the end of the phase.
# devices: 2
# configs: compiled mixed
fn f(x) {
    mut i = 0
    while i < 4 {
        assert(x + f32(i) < 3.5, "lane {x}")
        print("turn", i, x)
        i += 1
    }
    x
}
print(pmap(f)(array([0.0, 1.0])))

# expect: turn 0 0.0
# expect: turn 1 0.0
# expect: turn 2 0.0
# expect: turn 3 0.0
# expect: turn 0 1.0
# expect: turn 1 1.0
# expect: turn 2 1.0
# error: PM0503 "assert(x + f32(i) < 3.5, "lane {x}")"
# message: lane 1.0 (4.0 < 3.5)
