# A loop-invariant residual is stored once, also if a branch or a call within the loop computes it.
let x = linspace(0.1, 0.9, 50)
fn plain(x) { mut s = 0.0; for i in range(50) { if x[i] > 0.5 { s += sqrt(x)[i] } }; s }
fn sides(x) { mut s = 0.0; for i in range(50) { if x[i] > 0.5 { s += sqrt(x)[i] } else { s += exp(x)[i] } }; s }
fn root(x, i) = sqrt(x)[i]
fn called(x) { mut s = 0.0; for i in range(50) { if x[i] > 0.5 { s += root(x, i) } }; s }
fn nested(x) {
  mut s = 0.0
  for i in range(50) { if x[i] > 0.5 { if x[i] < 0.7 { s += sqrt(x)[i] } else { s += exp(x)[i] } } }
  s
}
fn counted(x) {
  mut s = 0.0
  for i in range(50) { mut k = 0; while k < 2 { if x[i] > 0.5 { s += sqrt(x)[i] }; k += 1 } }
  s
}
fn pair(x, i) = (sqrt(x), i * 2)
fn returned(x) {
  mut s = 0.0
  for i in range(50) { let (r, k) = pair(x, i); if k > 50 { s += exp(r)[i] } }
  s
}
# A branch that no iteration takes: its residuals are computed before the loop, and change no derivative.
fn never(x) { mut s = 0.0; for i in range(50) { if x[i] > 2.0 { s += log(x - 0.5)[i] } else { s += x[i] } }; s }
let large = x > 0.5
print(all(grad(plain)(x) == where(large, 0.5 / sqrt(x), 0.0)))
print(all(abs(grad(sides)(x) - where(large, 0.5 / sqrt(x), exp(x))) < 1e-6))
print(all(grad(called)(x) == where(large, 0.5 / sqrt(x), 0.0)))
print(all(abs(grad(nested)(x) - where(large, where(x < 0.7, 0.5 / sqrt(x), exp(x)), 0.0)) < 1e-6))
print(all(abs(grad(counted)(x) - where(large, 1 / sqrt(x), 0.0)) < 1e-6))
print(all(abs(grad(returned)(x) - where(iota(i32, 50) > 25, exp(sqrt(x)) * 0.5 / sqrt(x), 0.0)) < 1e-6))
print(all(grad(never)(x) == 1.0))
print(all(abs(hessian(called)(x) - diag(where(large, -0.25 / (x * sqrt(x)), 0.0))) < 1e-5))

# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
