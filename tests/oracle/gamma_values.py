# Writes gamma_values.pm: gamma, factorial, comb, beta, betaln, poch and gammasgn at ordinary points and at edges, with derivatives, by mpmath with 60
# digits; at poles by SciPy. python3 gamma_values.py > gamma_values.pm   (mpmath 1.4.1, scipy 1.17.1)
import mpmath as mp
import scipy.special as sp

mp.mp.dps = 60
inf = mp.inf


def text(x):
    x = float(x)
    return {"inf": "inf", "-inf": "-inf", "nan": "nan"}.get(str(x), repr(x))


def pole(x): return x <= 0 and x == mp.floor(x)
def sign(x): return 1 if x > 0 or mp.floor(x) % 2 == 0 else -1


def logs(above, below):
    """A product of gamma functions divided by another product. No argument may be a pole."""
    size = sum(mp.loggamma(x).real for x in above) - sum(mp.loggamma(x).real for x in below)
    signs = 1
    for x in [*above, *below]: signs *= sign(x)
    return signs * mp.exp(size)


def beta(a, b):
    a, b = sorted((mp.mpf(a), mp.mpf(b)))
    if pole(a) and b > 0 and b == mp.floor(b) and a + b <= 0: return (-1) ** int(b) * beta(1 - a - b, b)
    if pole(a) or pole(b): return inf
    return mp.mpf(0) if pole(a + b) else logs([a, b], [a + b])


def betaln(a, b):
    value = beta(a, b)
    return value if value == inf else -inf if value == 0 else mp.log(abs(value))


def poch(z, m):
    z, m = mp.mpf(z), mp.mpf(m)
    if pole(z) and pole(z + m): return (-1) ** int(m) * logs([1 - z], [1 - z - m])
    if pole(z + m): return inf
    return mp.mpf(0) if pole(z) else logs([z + m], [z])


def comb(n, k):
    n, k = mp.mpf(n), mp.mpf(k)
    return logs([n + 1], [k + 1, n - k + 1]) if 0 <= k <= n else mp.mpf(0)


def gamma(x): return mp.gamma(mp.mpf(x))
def factorial(x): return mp.mpf(0) if x < 0 else mp.gamma(mp.mpf(x) + 1)


one = [-171.5, -30.25, -2.5, -0.75, -1e-20, 1e-5, 0.25, 1.0, 1.5, 5.0, 9.75, 22.0, 34.5, 62.0, 150.5, 171.0]
two = [-171.5, -30.25, -3.0, -2.0, -1.5, -0.5, 0.0, 1e-5, 0.25, 1.0, 2.0, 3.0, 9.75, 10.0, 30.0, 62.0, 1e4, 1e8]
smooth = [(-2.75, 1.5), (-1.25, -0.5), (-3.5, 0.25), (0.5, 2.25), (3.0, 12.0), (40.5, 7.75)]
edges = [(inf, 1), (1, inf), (inf, 0), (inf, -2.5), (mp.nan, 1), (0, 0), (-3, -2), (-1, 5)]


def rows(name, function, places):
    values = [float(function(*p)) for p in places]
    inside = [(p, v) for p, v in zip(places, values) if v == 0 or 1e-300 < abs(v)]
    args = ", ".join("f64([" + ", ".join(text(p[i]) for p, _ in inside) + "])" for i in range(len(places[0])))
    print(f'check("{name}", special.{name}, ({args},), f64([{", ".join(text(v) for _, v in inside)}]))')


print("""# Made by gamma_values.py: values of gamma functions and of what they make, by mpmath. pm run tests/oracle/gamma_values.pm

fn near(found, values, within, least) = all(
    found == values or (isnan(found) and isnan(values)) or abs(found - values) <= within * maximum(abs(values), least),
)
# Logarithms of numbers near 1 keep their absolute error; f32 is rounded to the nearest, but for the argument's own rounding.
fn check(name, f, args, values) {
    let least = if name == "betaln" { 1.0 } else { 1e-300 }
    let found = f(*args)
    assert(near(found, values, 2e-13, least), "{name}: {found}, expected {values}")
    let again = (f32(x) for x in args)
    let wide = f(*(f64(x) for x in again))
    let same = f(*again) == f32(wide) or (isnan(wide) and isnan(f(*again)))
    assert(all(same), "{name} of f32: {f(*again)}, expected {f32(wide)}")
}
fn slopes(name, f, args, values) {
    let found = vmap(grad(f, argnums=tuple(0..len(args))))(*args)
    for (d, v) in tuple(zip(found, values)) {
        assert(near(d, v, 1e-11, 1e-300), "derivatives of {name}: {d}, expected {v}")
    }
}
""")
rows("gamma", gamma, [(x,) for x in one])
rows("factorial", factorial, [(x,) for x in one if x < 171])
for name, function in (("beta", beta), ("betaln", betaln), ("poch", poch), ("comb", comb)): rows(name, function, [(a, b) for a in two for b in two])
for name in ("beta", "betaln"):
    at = edges[:-4] if name == "beta" else [e for e in edges if e[0] == e[0]]
    values = [getattr(sp, name)(float(a), float(b)) for a, b in at]
    print(f'check("{name}", special.{name}, (f64([{", ".join(text(a) for a, _ in at)}]), f64([{", ".join(text(b) for _, b in at)}])), f64([{", ".join(map(text, values))}]))')
for name in ("gamma", "gammasgn"):
    at = [0.0, -0.0, -1.0, -2.0, -float("inf"), float("inf"), float("nan")]
    print(f'check("{name}", special.{name}, (f64([{", ".join(map(text, at))}]),), f64([{", ".join(text(getattr(sp, name)(x)) for x in at)}]))')
for name, function, places in (("gamma", gamma, [(x,) for x in (-2.5, -0.75, 0.25, 5.0, 34.5)]), ("beta", beta, smooth), ("betaln", betaln, smooth),
                               ("poch", poch, smooth), ("comb", comb, [(5, 2), (30, 15), (5.5, 2.25), (100.0, 40.0)])):
    n = len(places[0])
    found = [[mp.diff(function, tuple(map(mp.mpf, p)), tuple(int(i == j) for j in range(n))) for p in places] for i in range(n)]
    args = ", ".join("f64([" + ", ".join(text(p[i]) for p in places) + "])" for i in range(n))
    print(f'slopes("{name}", special.{name}, ({args},), ({", ".join("f64([" + ", ".join(map(text, row)) + "])" for row in found)},))')
