# Globals of every program besides the functions written in C++: the part of jax.numpy and jax.lax that is written in
# the language itself. The files of this folder form one scope. Names that begin with _ are internal to the library.
# Comments give shapes; "..." denotes leading axes.
# This file: constants, helpers of the library's functions, comparison, elementwise functions.

## inf: The positive infinity, greater than every finite number.
let inf = float("inf")
## nan: The floating-point value NaN, which is not a number.
let nan = float("nan")
## pi: The ratio of a circle's circumference to its diameter.
let pi = 3.141592653589793
## euler_gamma: The Euler-Mascheroni constant, the limit of 1 + 1/2 + ... + 1/n - log(n).
let euler_gamma = 0.5772156649015329
## newaxis: none, which as an index inserts a new axis of size 1.
let newaxis = none
## The arguments of the program, a tuple of strings.
let args = program_arguments()

# ---- helpers

## x converted to floats: i64 and u64 to f64, other integers and bools to f32. Floats are kept.
fn _inexact(x) =
    if _is_float(x) { x } else if x.dtype == i64 or x.dtype == u64 { f64(x) } else { f32(x) }

# x as complex numbers or floats: complex numbers are kept, others converted by _inexact.
fn _number(x) = if iscomplexobj(x) { x } else { _inexact(x) }
# |x|^2, real for complex x.
fn _squares(x) = if iscomplexobj(x) { real(x) ** 2 + imag(x) ** 2 } else { x * x }
# The conjugate transpose of matrices along the last two axes. For real ones it is the transpose.
fn _adjoint(x) = conj(x.mT)

## The tuple `list` with the element at index i replaced by v.
fn _replace(list, i, v) = list[:i] + (v,) + list[i + 1:]

fn _length(x, axis) = x.shape[_axes(axis, x.ndim)[0]]

# ---- checks of the arguments of library functions, which run before any computation.
# Their messages name the call: `what` is the function's name, or the argument's where the comment says so.

## A value's dtype and shape as messages show them: f32[2, 3].
fn _type(x) {
    if kind(x) == "tuple" { return "a tuple of {len(x)}" }
    if kind(x) == "record" { return "a record {{{_text_join(keys(x), ", ")}}}" }
    if kind(x) != "array" and kind(x) != "number" { return kind(x) }
    let x = array(x)
    if x.ndim == 0 {
        "{x.dtype}"
    } else {
        "{x.dtype}[{_text_join(("{n}" for n in x.shape), ", ")}]"
    }
}

fn _is_numeric(x) = kind(x) == "array" or kind(x) == "number"

## x as an array, which must have `rank` axes. `form` describes them in messages.
fn _of_rank(x, rank, what, form) {
    if not _is_numeric(x) or array(x).ndim != _known(rank) {
        _refuse("`{what}` needs {form}, got {_type(x)}")
    }
    array(x)
}
fn _vector(x, what) = _of_rank(x, 1, what, "a vector f[n]")

## x as an array, which must have `rank` axes or more.
fn _of_rank_at_least(x, rank, what, form) {
    if not _is_numeric(x) or array(x).ndim < _known(rank) {
        _refuse("`{what}` needs {form}, got {_type(x)}")
    }
    array(x)
}

## The number of rows of the arrays of a tree, which must be the same for all.
fn _row_count(tree, what) {
    let leaves = (array(x) for x in tree_leaves(tree))
    if len(leaves) == 0 { _refuse("`{what}` needs a tree with one array at least") }
    for x in leaves {
        if x.ndim == 0 or len(x) != len(leaves[0]) {
            _refuse(
                "`{what}` needs arrays with one number of rows, got {_type(leaves[0])} and {_type(x)}",
            )
        }
    }
    len(leaves[0])
}

## A count: an integer known at compile time, at least `least`. `what` is the argument's name.
fn _count(n, what, least=0) {
    if not _is_numeric(n) or array(n).ndim > 0 {
        _refuse("{what} must be an integer of at least {least}, got {_type(n)}")
    }
    let k = _known(n)
    if k != k // 1 or k < _known(least) {
        _refuse("{what} must be an integer of at least {least}, got {k}")
    }
    k
}

## The limit n of a number of iterations, an integer of at least `least`. Compiled code serves all limits.
fn _limit(n, what, least=0) {
    let n = _one_number(n, what)
    assert(n >= least and n == floor(n), "{what} must be an integer of at least {least}")
    n
}

## The tuple of the further arguments of a function that is passed to `what`.
fn _more_arguments(args, what) {
    if kind(args) != "tuple" {
        _refuse("the `args` of `{what}` are a tuple of the further arguments of the function: args=(k,), got {_type(args)}")
    }
    args
}

## The first place in which the structures or shapes of two trees differ: its path as a text, and the parts of both. None
## if there is no such place.
fn _difference(a, b, path="") {
    let here = (path, a, b)
    if _is_numeric(a) or _is_numeric(b) {
        let alike = _is_numeric(a) and _is_numeric(b) and array(a).shape == array(b).shape
        return if alike { none } else { here }
    }
    if kind(a) != kind(b) { return here }
    if kind(a) != "tuple" and kind(a) != "record" { return none }
    if len(a) != len(b) { return here }
    for (name, x) in tuple(if kind(a) == "tuple" {
        enumerate(a)
    } else {
        zip(keys(a), values(a))
    }) {
        if kind(a) == "record" and not (name in b) { return here }
        let inner = _difference(x, b[name], if path == "" { "{name}" } else { "{path}.{name}" })
        if inner != none { return inner }
    }
    none
}

## A number with its noun for messages: 1 element, 2 elements.
fn _counted(n, one, many) = "{n} {if _known(n) == 1 { one } else { many }}"

## x, which must be one number; it need not be known at compile time. `what` is the argument's name.
fn _one_number(x, what) {
    if not _is_numeric(x) or array(x).ndim != 0 {
        _refuse("{what} must be one number, got {_type(x)}")
    }
    x
}

## p, a number or an array of numbers from 0 to 1. `what` is the argument's name.
fn _probabilities(p, what) {
    if not _is_numeric(p) {
        _refuse("{what} must be a probability, or an array of them, got {kind(p)}")
    }
    if array(p).ndim == 0 {
        assert(p >= 0 and p <= 1, "{what} must be a probability, from 0 to 1")
    } else {
        assert(all(p >= 0) and all(p <= 1), "{what} must hold probabilities, from 0 to 1")
    }
    p
}

## x, a number or an array of numbers above 0. `what` is the argument's name.
fn _positive(x, what) {
    if not _is_numeric(x) { _refuse("{what} must be a number above 0, got {kind(x)}") }
    if array(x).ndim == 0 {
        assert(x > 0, "{what} must be above 0")
    } else {
        assert(all(x > 0), "every element of {what} must be above 0")
    }
    x
}

# ---- comparison and complex numbers

## angle(z, deg=false): The argument of complex numbers in radians, from -pi to pi, or in degrees if deg=true.
## For real numbers it is 0 or pi.
fn angle(z, deg=false) {
    let a = arctan2(imag(z), real(z))
    if deg { rad2deg(a) } else { a }
}
## polar(r, phi): The complex number with absolute value r and argument phi, in radians.
fn polar(r, phi) = complex(r * cos(phi), r * sin(phi))

## isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false): |a - b| <= atol + rtol * |b|, elementwise, a bool array.
## Equal infinities are close. NaN is close only to NaN, and only if equal_nan=true.
fn isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false) {
    let (x, y) = (_number(a), _number(b))
    let near = (abs(x - y) <= atol + rtol * abs(y)) and isfinite(x) and isfinite(y)
    let same = near or x == y
    if equal_nan { same or (isnan(x) and isnan(y)) } else { same }
}

## allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false): True if isclose holds for every element, else false.
fn allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false) =
    all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))

## array_equal(a, b, equal_nan=false): True if a and b have the same shape and equal elements, else false.
## If equal_nan=true, NaN equals NaN in floating arrays.
fn array_equal(a, b, equal_nan=false) {
    if a.shape != b.shape { return false }
    if equal_nan and _is_float(a) and _is_float(b) {
        all(a == b or (isnan(a) and isnan(b)))
    } else {
        all(a == b)
    }
}

## array_equiv(a, b): True if a and b are equal after broadcasting, else false. Shapes that do not broadcast give false.
fn array_equiv(a, b) {
    let (s, t) = (array(a).shape, array(b).shape)
    let n = if len(s) < len(t) { len(s) } else { len(t) }
    for i in tuple(1..n + 1) {
        if s[-i] != t[-i] and s[-i] != 1 and t[-i] != 1 { return false }
    }
    all(array(a) == array(b))
}

## isin(x, values, assume_unique=false, invert=false): True for each element of x that is in `values`, a bool array of
## x's shape. invert=true negates the result. `assume_unique` has no effect.
fn isin(x, values, assume_unique=false, invert=false) {
    let found = any(array(x)[..., none] == ravel(values), axis=-1)
    if invert { not found } else { found }
}

# ---- elementwise

## nan_to_num(x, nan=0.0, posinf=none, neginf=none): x with NaN and the infinities replaced by numbers.
## If `posinf` or `neginf` is none, it is the greatest or least number of the dtype. Of complex x both parts are
## replaced. Integers and bools are returned unchanged.
fn nan_to_num(x, nan=0.0, posinf=none, neginf=none) {
    if iscomplexobj(x) {
        let part = fn(y) = nan_to_num(y, nan, posinf, neginf)
        return complex(part(real(x)), part(imag(x)))
    }
    if not _is_float(x) { return x }
    let limit = finfo(x)
    let y = where(isnan(x), nan, x)
    let y = where(x == inf, if posinf == none { limit.max } else { posinf }, y)
    where(x == -inf, if neginf == none { limit.min } else { neginf }, y)
}

## positive(x): x itself, unchanged.
fn positive(x) = x
## absolute(x): The absolute value, the same as abs(x).
fn absolute(x) = abs(x)
## fabs(x): The absolute value as floats: integers are converted.
fn fabs(x) = abs(_inexact(x))

## sinc(x): sin(pi x) / (pi x), and 1 at x = 0.
fn sinc(x) {
    let y = pi * _inexact(x)
    where(y == 0, _sinc_at_0(0)(y), sin(y) / where(y == 0, 1, y))
}
## The k-th derivative of sin(y) / y at y = 0, as a function of y whose derivatives are the following ones.
fn _sinc_at_0(k) = custom_jvp(
    fn(y) = full_like(y, if k % 2 == 1 { 0.0 } else { (-1.0) ** (k // 2) / (k + 1) }),
    fn((y,), (d,)) = (_sinc_at_0(k)(y), _sinc_at_0(k + 1)(y) * d),
)

## isposinf(x): True where x is inf, else false, elementwise.
fn isposinf(x) = array(x) == inf
## isneginf(x): True where x is -inf, else false, elementwise.
fn isneginf(x) = array(x) == -inf
## degrees(x): Angles in degrees from angles x in radians.
fn degrees(x) = rad2deg(x)
## radians(x): Angles in radians from angles x in degrees.
fn radians(x) = deg2rad(x)
## spacing(x): The distance from x to the next float away from zero, with the sign of x. NaN for infinities and NaN.
fn spacing(x) {
    let x = _inexact(array(x))
    let size = abs(x)
    let gap = nextafter(size, full_like(x, inf)) - size
    where(isfinite(x), where(x < 0, -gap, gap), nan)
}
## frexp(x): The pair (m, e) with x = m * 2^e, where 0.5 <= |m| < 1 or m = 0, and e is i32.
## For infinities and NaN m is x and e is 0.
fn frexp(x) {
    let x = _inexact(array(x))
    let info = finfo(x)
    let whole = isfinite(x) and x != 0
    # Subnormal numbers are first scaled to normal ones.
    let shift = info.nmant + 2
    let small = abs(x) < info.tiny
    let y = where(whole, where(small, x * 2.0 ** shift, x), 1)
    let word = if info.bits == 16 { u16 } else if info.bits == 32 { u32 } else { u64 }
    let mask = 2 ** (info.bits - 1 - info.nmant) - 1
    let bits = bitcast_convert_type(stop_gradient(abs(y)), word) >> info.nmant
    let e = i32(bits) - (mask // 2 - 1)
    let scale = bitcast_convert_type(bits << info.nmant, x.dtype)
    (where(whole, y / scale / 2, x), where(whole, e - where(small, shift, 0), 0))
}
## unwrap(x, discont=none, axis=-1, period=2 pi): x along `axis` plus multiples of the period that remove jumps.
## A difference of adjacent elements of at least `discont` is reduced to at most half a period.
## Without `discont` it is half a period.
fn unwrap(x, discont=none, axis=-1, period=6.283185307179586) {
    let x = _inexact(array(x))
    let d = diff(x, axis=axis)
    let half = period / 2
    let turned = (d + half) % period - half
    let turned = where(turned == -half and d > 0, half, turned)
    let change = where(abs(d) < (if discont == none { half } else { discont }), 0, turned - d)
    let y = moveaxis(x, axis, -1)
    let moved = y[..., 1:] + cumsum(moveaxis(change, axis, -1), axis=-1)
    moveaxis(concatenate((y[..., :1], moved), axis=-1), -1, axis)
}

## heaviside(x, at_zero): 0 where x < 0, 1 where x > 0, `at_zero` where x = 0, elementwise. NaN is kept.
fn heaviside(x, at_zero) = where(x < 0, 0.0, where(x > 0, 1.0, where(isnan(x), x, at_zero)))

## logaddexp2(a, b): log2(2^a + 2^b), elementwise, without overflow.
fn logaddexp2(a, b) = logaddexp(a * 0.6931471805599453, b * 0.6931471805599453) / 0.6931471805599453

## divmod(x, y): The pair (x // y, x % y).
fn divmod(x, y) = (x // y, x % y)
## modf(x): The pair (fractional part, integer part) of x, floats. Nonzero parts have the sign of x.
## The fractional part of an infinity is 0.
fn modf(x) {
    let x = _inexact(array(x))
    (where(isinf(x), 0 * sign(x), x - trunc(x)), trunc(x))
}
## fix(x): x rounded toward zero to an integer.
fn fix(x) = trunc(x)
## ldexp(x, e): x * 2^e, elementwise, as floats.
fn ldexp(x, e) = _inexact(x) * exp2(_inexact(e))

# x as i64 if it is an integer literal too large for i32, else x.
fn _whole(x) =
    if kind(x) == "number" and _is_integer(x) and abs(x) > 2147483647 { i64(x) } else { x }
## gcd(a, b): The greatest common divisor of integers, elementwise. It is not negative; gcd(0, 0) is 0.
fn gcd(a, b) {
    let (a, b) = (_whole(a), _whole(b))
    mut x = abs(a + 0 * b)
    mut y = abs(b + 0 * a)
    while any((y != 0) & (y == y)) {
        let rest = where(y == 0, 0, x % where(y == 0, 1, y))
        x = where(y == 0, x, y)
        y = rest
    }
    x + 0 * y  # NaN if a or b is NaN
}

## lcm(a, b): The least common multiple of integers, elementwise. It is not negative; it is 0 if a or b is 0.
fn lcm(a, b) {
    let (a, b) = (_whole(a), _whole(b))
    let d = gcd(a, b)
    abs(a * (b // where(d == 0, 1, d)))
}

## interp(x, xp, fp, left=none, right=none, period=none): The linear interpolation at x of the points xp f[n], fp f[n],
## with x's shape. xp is increasing. `left` and `right` are the results below and above xp; if none, fp[0] and fp[-1].
## With a `period`, x and xp count modulo the period, xp may be in any order, and `left` and `right` have no effect.
fn interp(x, xp, fp, left=none, right=none, period=none) {
    let (xp, fp) = (array(xp), array(fp))
    if xp.shape == (0,) { _refuse("`interp` needs at least one point, got xp {_type(xp)}") }
    if xp.ndim != 1 or fp.ndim != 1 or len(fp) != len(xp) {
        _refuse("`interp` needs xp f[n] and fp f[n] of one size, got {_type(xp)} and {_type(fp)}")
    }
    if period != none {
        let at = array(xp) % period
        let order = argsort(at)
        let (p, f) = (at[order], array(fp)[order])
        return interp(
            array(x) % period,
            concatenate((p[-1:] - period, p, p[:1] + period)),
            concatenate((f[-1:], f, f[:1])),
        )
    }
    let i = clip(searchsorted(xp, x, side="right"), 1, len(xp) - 1)
    let (x0, x1) = (xp[i - 1], xp[i])
    let (y0, y1) = (fp[i - 1], fp[i])
    let inside = where(x1 == x0, y1, y0 + (x - x0) / where(x1 == x0, 1, x1 - x0) * (y1 - y0))
    let y = where(x < xp[0], if left == none { fp[0] } else { left }, inside)
    where(x > xp[-1], if right == none { fp[-1] } else { right }, y)
}

## piecewise(x, conditions, functions): Function i of x, or number i, where condition i holds, elementwise.
## If several conditions hold, the last one counts. Where none of the conditions holds, the result is that of the one
## extra function, or 0 without it.
fn piecewise(x, conditions, functions) {
    let rest = len(functions) - len(conditions)
    if not (rest in (0, 1)) {
        fail("`piecewise` needs a function for each condition, and one more for the rest or none: got {len(functions)} for {len(conditions)} conditions")
    }
    let values = ((if kind(f) == "function" { f(x) } else { f }) for f in functions)
    mut y = if rest == 1 { values[-1] } else { zeros_like(x) }
    for i in tuple(0..len(conditions)) { y = where(conditions[i], values[i], y) }
    y
}
