# Unused results of comprehensions, transformations and higher-order functions are errors if the call has no effect.
fn double(x) = x * 2
fn shown(x) {
    print("shown")
    x
}
let xs = [1.0, 2.0]
# calls that print, or may print, are no errors
[shown(x) for x in xs]
tree_map(shown, xs)
vmap(shown)(xs)
grad(fn(x) { assert(x > 0); x })(1.0)
jit(double)(1.0)
double(1.0)
fn f(x) {
    [double(v) for v in x]
    x
}
f(xs)
print("not reached")
# expect: shown
# expect: shown
# expect: shown
# expect: shown
# expect: shown
# error: PM0110 "[double(v) for v in x]"
# message: the value of this statement is lost, and it does nothing else
