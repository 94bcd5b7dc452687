# The message shows `not any` of a comparison as `all` of the opposite one; also for a negated comparison or call.
# session: yes
fn check(x) {
    assert(not any(x > 3), "too large")
    x
}
fn both(x, y) {
    assert(all(x > 0) and not any(x == y))
    x
}
fn each(x) {
    assert(all(not (x > 3)))
    x
}
fn one(x) {
    assert(not (x > 3), "x is large")
    x
}
check([1.0, 2.0])
check([1.0, 4.0])
check(arange(40.0).reshape(2, 20) / 10)
check(4.0)
both([1.0, 2.0, 3.0], 2)
both(arange(1.0, 31.0), arange(1.0, 31.0)[::-1] + 3)
each(arange(30.0))
one(5.0)
assert(not any(arange(30.0) > 3))
assert(not any([false, true]))
assert(not all([1, 2] > 0))
assert(not allclose([1.0, 2.0], [1.0, 2.0]))
assert(not any(not ([1, 2] > 1)))
vmap(check)([[1.0, 2.0], [3.0, 5.0]])

# expect: [1, 2]
# error: PM0503 "assert(not any(x > 3), "too large")"
# message: too large (not any([1, 4] > 3))
# error: PM0503 "assert(not any(x > 3), "too large")"
# message: too large (at [1, 11]: 3.1 > 3.0)
# error: PM0503 "assert(not any(x > 3), "too large")"
# message: too large (not any(4.0 > 3))
# error: PM0503 "assert(all(x > 0) and not any(x == y))"
# message: the assertion does not hold: not any([1, 2, 3] == 2)
# error: PM0503 "assert(all(x > 0) and not any(x == y))"
# message: the assertion does not hold: at [16]: 17.0 == 17.0
# error: PM0503 "assert(all(not (x > 3)))"
# message: the assertion does not hold: at [4]: not 4.0 > 3.0
# error: PM0503 "assert(not (x > 3), "x is large")"
# message: x is large (not 5.0 > 3)
# error: PM0503 "assert(not any(arange(30.0) > 3))"
# message: the assertion does not hold: at [4]: 4.0 > 3
# error: PM0503 "assert(not any([false, true]))"
# message: the assertion does not hold
# error: PM0503 "assert(not all([1, 2] > 0))"
# message: the assertion does not hold: not all([true, true])
# error: PM0503 "assert(not allclose([1.0, 2.0], [1.0, 2.0]))"
# message: the assertion does not hold: not allclose([1, 2], [1, 2])
# error: PM0503 "assert(not any(not ([1, 2] > 1)))"
# message: the assertion does not hold: not any(not [1, 2] > 1)
# error: PM0503 "assert(not any(x > 3), "too large")"
# message: too large (not any([3, 5] > 3))
