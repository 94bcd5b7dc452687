# A check that fails in some lanes after a print ends the call on all devices, before its result is used.
# devices: 2 4
fn f(a) {
    print("x", a)
    assert(a != 3.0, "too big {a}")
    a
}
let caught = attempt(fn() = pmap(f)(arange(4.0)))
print(caught.error.message)
print("not printed", sum(pmap(f)(arange(4.0))))

# expect: x 0.0
# expect: x 1.0
# expect: x 2.0
# expect: x 3.0
# expect: too big 3.0 (3.0 != 3.0)
# expect: x 0.0
# expect: x 1.0
# expect: x 2.0
# expect: x 3.0
# error: PM0503 "assert(a != 3.0, "too big {a}")"
# message: too big 3.0 (3.0 != 3.0)
# calls: 10:26
