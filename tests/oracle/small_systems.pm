# Made by small_systems.py: how exact LAPACK solves a million small systems of each kind and size in f32. pm run tests/oracle/small_systems.pm [COUNT], of three rows without it
let quick = len(args) == 0
let count = if quick { 2000 } else { int(args[0]) }
fn reflection(v) = eye(len(v)) - 2 * outer(v, v) / (v @ v)
fn matrices(kind, n, key) {
    let (k, l) = random.split(key)
    let a = random.normal(k, (count, n, n))
    if kind == "rows" { return a * 10 ** random.uniform(l, (count, n, 1), minval=-4.0, maxval=4.0) }
    if kind == "columns" { return a * 10 ** random.uniform(l, (count, 1, n), minval=-4.0, maxval=4.0) }
    if kind != "near singular" { return a }
    let sizes = 10 ** (random.uniform(l, (count, 1), maxval=7.0) * -linspace(0.0, 1.0, n))
    vmap(fn(m, s) = reflection(m[0]) * s @ reflection(m[1]))(a, sizes)
}
fn top(x) = max(abs(f64(x)))
fn norm(a) = max(sum(abs(f64(a)), axis=1))
fn errors(a, b) {
    let (x, inverse, det, (p, l, u)) = (linalg.solve(a, b), linalg.inv(a), linalg.det(a), linalg.lu(a))
    let (a, b, n) = (f64(a), f64(b), len(a))
    let true_det = linalg.det(a)
    (
        top(b - a @ f64(x)) / (norm(a) * top(x) + top(b)),
        minimum(norm(a @ f64(inverse) - eye(n)), norm(f64(inverse) @ a - eye(n))) / (norm(a) * norm(inverse)),
        abs(det - true_det) / (top(a) * sum(abs(true_det * linalg.inv(a)))),
        norm(f64(p) @ f64(l) @ f64(u) - a) / norm(a),
    )
}
## LAPACK's greatest error of each function, in eps; here it may be half as great again, or 1.
fn check(kind, n, of_lapack) {
    if quick and n != 3 { return none }
    let (k, l) = random.split(random.key(n))
    let found = vmap(errors)(matrices(kind, n, k), random.normal(l, (count, n)))
    for (i, name) in enumerate(("solve", "inv", "det", "lu")) {
        let worst = max(found[i]) / finfo(f32).eps
        if not quick { print("{name} of {kind} matrices of {n} rows: {worst:.2f}, LAPACK {of_lapack[i]}") }
        assert(worst < maximum(1, 1.5 * of_lapack[i]), "{name} of {kind} matrices of {n} rows: {worst:.2f} eps, LAPACK {of_lapack[i]}")
    }
}

check("normal", 2, (0.98, 0.96, 0.52, 1.10))
check("rows", 2, (0.85, 0.96, 0.52, 1.04))
check("columns", 2, (0.83, 0.82, 0.51, 1.39))
check("near singular", 2, (0.86, 1.02, 0.45, 1.02))
check("normal", 3, (1.19, 1.15, 0.52, 1.21))
check("rows", 3, (0.85, 0.69, 0.33, 0.90))
check("columns", 3, (0.86, 0.64, 0.35, 2.17))
check("near singular", 3, (1.03, 0.90, 0.46, 1.30))
check("normal", 4, (0.99, 0.86, 0.35, 1.25))
check("rows", 4, (0.86, 0.52, 0.23, 0.96))
check("columns", 4, (0.75, 0.37, 0.18, 2.34))
check("near singular", 4, (1.01, 0.83, 0.46, 1.29))
check("normal", 6, (1.17, 0.79, 0.28, 1.62))
check("rows", 6, (0.78, 0.42, 0.10, 1.06))
check("columns", 6, (0.39, 0.28, 0.06, 3.12))
check("near singular", 6, (1.43, 1.22, 0.29, 1.60))
print("small systems are solved as exactly as LAPACK solves them")
