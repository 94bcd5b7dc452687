# checkpoint: the same values and derivatives, whatever is kept and whatever is computed again.

import random
import tree

fn close(a, b) = tree.all(tree.map(fn(x, y) = max(abs(x - y)) <= 1e-12 + 1e-10 * max(abs(y)), a, b))

let w = {a: random.normal(random.key(1), (5, 5), f64), b: random.normal(random.key(2), (5,), f64)}
let x = random.normal(random.key(0), (5,), f64)

fn layer(x, w) = tanh(checkpoint_name(w.a @ x, "product") + w.b) * sin(x)
fn stack(x, w, wrap) {
  mut y = x
  for i in range(4) { y = wrap(layer)(y, w) }
  sum(y ** 2)
}
fn plain(f) = f
let ways = (
  fn(f) = checkpoint(f),
  fn(f) = checkpoint(f, policy="nothing_saveable"),
  fn(f) = checkpoint(f, policy="everything_saveable"),
  fn(f) = checkpoint(f, policy="dots_saveable"),
  fn(f) = checkpoint(f, policy="dots_with_no_batch_dims_saveable"),
  fn(f) = checkpoint(f, policy=("product",)),
  fn(f) = checkpoint(f, policy=("other", "product")),
  fn(f) = checkpoint(f, policy=()),
  fn(f) = checkpoint(checkpoint(f)),
  fn(f) = jit(checkpoint(f, loops=true)),
)

# First and second derivatives, in forward and reverse mode, batched; for arguments and for captured values.
let value = stack(x, w, plain)
let slope = grad(stack, argnums=(0, 1))(x, w, plain)
let curve = hessian(fn(x) = stack(x, w, plain))(x)
let third = jacfwd(hessian(fn(x) = stack(x, w, plain)))(x)
let many = [x, 2.0 * x, x + 1.0]
let batched = vmap(grad(fn(x) = stack(x, w, plain)))(many)
for wrap in ways {
  assert(close(stack(x, w, wrap), value))
  assert(close(grad(stack, argnums=(0, 1))(x, w, wrap), slope))
  assert(close(hessian(fn(x) = stack(x, w, wrap))(x), curve))
  assert(close(jacfwd(jacrev(fn(x) = stack(x, w, wrap)))(x), curve))
  assert(close(jacrev(jacrev(fn(x) = stack(x, w, wrap)))(x), curve))
  assert(close(jacfwd(hessian(fn(x) = stack(x, w, wrap)))(x), third))
  assert(close(vmap(grad(fn(x) = stack(x, w, wrap)))(many), batched))
  assert(close(grad(fn(x) = sum(vmap(fn(x) = stack(x, w, wrap))(x)))(many), batched))
  assert(close(grad(fn(x) = wrap(fn(y) = sum(layer(y * x, w)))(x))(x), grad(fn(x) = sum(layer(x * x, w)))(x)))
  assert(close(grad(checkpoint(fn(x) = stack(x, w, wrap)))(x), slope[0]))
  let (y, back) = vjp(fn(x) = stack(x, w, wrap), x)
  assert(close(back(2.0)[0], 2.0 * slope[0]))
  let (same, forwards) = linearize(fn(x) = stack(x, w, wrap), x)
  assert(close(forwards(x), sum(slope[0] * x)))
}

# Loops with an unknown trip count, with a known trip count, and with slices and outputs, in both modes; in a pmap.
fn walk(x, n) {
  mut s = x
  mut i = 0
  while i < n and sum(s) < 1e6 {
    s = sin(s) + 0.1 * x * s
    i += 1
  }
  sum(s)
}
fn count(x, n) {
  mut s = x
  for i in range(n) { s = sin(s) * cos(0.1 * i) + x }
  sum(s)
}
fn slices(x, reverse) {
  let (s, ys) = scan(fn(s, (a, i)) = (tanh(s) + a * i, s * a), x, (outer(linspace(0.1, 1.0, 23), x), arange(23) * 1.0), reverse=reverse)
  sum(s) + sum(ys * arange(23)[:, none])
}
let loops = (fn(f) = checkpoint(f, loops=true), fn(f) = checkpoint(f, loops=true, policy="nothing_saveable"))
for wrap in loops {
  for n in (0, 1, 2, 3, 7, 50) {
    assert(close(wrap(walk)(x, n), walk(x, n)))
    assert(close(grad(wrap(walk))(x, n), grad(walk)(x, n)))
    assert(close(grad(wrap(count))(x, n), grad(count)(x, n)))
  }
  assert(close(vmap(grad(fn(x, n) = wrap(walk)(x, n)))(many, [3, 0, 11]), vmap(grad(walk))(many, [3, 0, 11])))
  assert(close(hessian(fn(x) = wrap(walk)(x, 9))(x), hessian(fn(x) = walk(x, 9))(x)))
  for reverse in (false, true) {
    assert(close(wrap(slices)(x, reverse), slices(x, reverse)))
    assert(close(grad(wrap(slices))(x, reverse), grad(slices)(x, reverse)))
    assert(close(hessian(fn(x) = wrap(slices)(x, reverse))(x), hessian(fn(x) = slices(x, reverse))(x)))
  }
}

# Prints and checks run once, although their function is computed again.
fn noisy(x) {
  print("once: {x}")
  assert(x > 0.0, "positive")
  sin(x) * x
}
print(grad(checkpoint(noisy))(f64(2.0)) - grad(fn(x) = sin(x) * x)(f64(2.0)))

# Integers, keys and functions can be arguments of a checkpoint; known numbers stay known.
fn mixed(x, k, f, n) = f(x) * random.uniform(k, (n,), f64) + n
assert(close(grad(fn(x) = sum(checkpoint(mixed)(x, random.key(3), sin, 2)))(f64(0.5)),
             grad(fn(x) = sum(mixed(x, random.key(3), sin, 2)))(f64(0.5))))
print(checkpoint(fn(n) = zeros(n))(3), checkpoint_name(3, "three"), checkpoint_name({a: x}, "tree").a == x)

# expect: once: 2.0
# expect: 0.0
# expect: [0, 0, 0] 3 [true, true, true, true, true]
