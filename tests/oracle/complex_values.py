# Writes complex_values.pm: JAX's values for complex numbers: arithmetic, functions, derivatives, Fourier transforms. SciPy's values for signals by Fourier transforms.
# python3 complex_values.py > complex_values.pm   (jax 0.10.2, numpy 2.4.6, scipy 1.17.1, CPU)
import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from expressions import write

# the same points in both languages: all quadrants, both axes, both sides of cuts, small and large
points = [(0.5, 0.25), (-2.0, 3.0), (1.0, 0.0), (0.0, 1.0), (-1.5, -0.75), (3.0, -0.5), (0.25, -2.0), (-0.125, 0.5), (1e-3, 2e-3), (20.0, 1.0),
          (-4.0, 0.0), (0.9, 0.1)]
spelled = lambda list: "[" + ", ".join(f"complex({x}, {y})" for x, y in list) + "]"
python = lambda list: "jnp.array([" + ", ".join(f"complex({x}, {y})" for x, y in list) + "], jnp.complex64)"
others = points[5:] + points[:5]

setup = [
    ("z", spelled(points), python(points)),
    ("w", spelled(others), python(others)),
    ("x", "[0.5, -1.25, 2.0, 0.75, -3.0, 1.0, 0.1, 4.0, -0.5, 1.5, 2.5, -0.25]", "jnp.array([0.5, -1.25, 2.0, 0.75, -3.0, 1.0, 0.1, 4.0, -0.5, 1.5, 2.5, -0.25])"),
    ("s", "sin(arange(50) * 0.7) + cos(arange(50) ** 2 / 90) + arange(50) / 20", "np.float32(np.sin(np.arange(50) * 0.7) + np.cos(np.arange(50) ** 2 / 90) + np.arange(50) / 20)"),
    ("s2", "s[:48].reshape(6, 8)", "s[:48].reshape(6, 8)"),
    ("m", "z.reshape(3, 4)", "z.reshape(3, 4)"),
    ("v", "w.reshape(4, 3)", "w.reshape(4, 3)"),
]
same = """z + w;z - w;z * w;z / w;z * x;x * z;x / z;z / x;z - x;x - z;-z;z == w;z != z;z ** 2;z ** 3;z ** -1;z ** -2;z ** 0;z * 2;2j * z;z + 1;1.5 - z
m @ v;m.T;m[1];m[:, 2];m.reshape(2, 6);real(z);imag(z);conj(z);abs(z);angle(z)""".replace("\n", ";").split(";")
functions = "exp log sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh expm1 log1p sign square reciprocal exp2 log2 log10".split()
whole = "sum prod mean var std cumsum cumprod sort argsort isnan isfinite isinf".split()

pairs = []
for e in same:
    theirs = e
    for name in ("real", "imag", "conj", "abs", "angle"): theirs = theirs.replace(f"{name}(", f"jnp.{name}(")
    pairs.append((e, theirs))
for f in functions: pairs.append((f"{f}(z)", f"jnp.{f}(z)"))
for f in whole: pairs.append((f"{f}(w)", f"jnp.{f}(w)"))
pairs += [
    ("z ** w", "z ** w"), ("z ** 0.5", "z ** 0.5"), ("x ** z", "x ** z"),
    ("sum(m, axis=0)", "jnp.sum(m, axis=0)"), ("prod(m, axis=1)", "jnp.prod(m, axis=1)"), ("cumprod(m, axis=1)", "jnp.cumprod(m, axis=1)"),
    ("where(x > 0, z, w)", "jnp.where(x > 0, z, w)"), ("where(x > 0, z, 1)", "jnp.where(x > 0, z, 1)"),
    ("z with [[1, 3, 1]] += 2j", "z.at[jnp.array([1, 3, 1])].add(2j)"), ("z with [2:5] = w[0:3]", "z.at[2:5].set(w[0:3])"),
    ("z[[0, 5, 0]]", "z[jnp.array([0, 5, 0])]"), ("concatenate((z, w))", "jnp.concatenate((z, w))"), ("stack((z, w))", "jnp.stack((z, w))"),
    ("pad(z, (1, 2))", "jnp.pad(z, (1, 2))"), ("flip(z)", "jnp.flip(z)"), ("outer(z, w)", "jnp.outer(z, w)"), ("vdot(z, w)", "jnp.vdot(z, w)"),
    ("dot(z, w)", "jnp.dot(z, w)"), ("inner(z, w)", "jnp.inner(z, w)"), ("einsum(\"ij,jk->ki\", m, v)", "jnp.einsum(\"ij,jk->ki\", m, v)"),
    ("m @ x[:4]", "m @ x[:4]"), ("x[:3] @ m", "x[:3] @ m"), ("linalg.norm(z)", "jnp.linalg.norm(z)"), ("trace(m)", "jnp.trace(m)"), ("diff(z)", "jnp.diff(z)"),
    ("average(z, weights=abs(w))", "jnp.average(z, weights=jnp.abs(w))"), ("isclose(z, w)", "jnp.isclose(z, w)"), ("iscomplex(z)", "jnp.iscomplex(z)"),
    ("linspace(1j, 2 + 1j, 5)", "jnp.linspace(1j, 2 + 1j, 5)"), ("eye(2, dtype=c64)", "jnp.eye(2, dtype=jnp.complex64)"), ("full(3, 2j)", "jnp.full(3, 2j)"),
    ("array([1, 2j, 0.5])", "jnp.array([1, 2j, 0.5])"), ("c64(x)", "x.astype(jnp.complex64)"), ("i32([1, 2]) * 1j", "jnp.array([1, 2]) * 1j"),
    ("f16([1, 2]) * 1j", "jnp.array([1, 2], jnp.float16) * 1j"), ("bf16([1, 2]) + z[:2]", "jnp.array([1, 2], jnp.bfloat16) + z[:2]"),
    ("random.normal(random.key(3), (5,), dtype=c64)", "jax.random.normal(jax.random.key(3), (5,), dtype=jnp.complex64)"),
    # derivatives
    ("grad(fn(t) = sum(abs(t) ** 2))(z)", "jax.grad(lambda t: jnp.sum(jnp.abs(t) ** 2))(z)"),
    ("grad(fn(t) = sum(abs(t)))(z)", "jax.grad(lambda t: jnp.sum(jnp.abs(t)))(z)"),
    ("grad(fn(t) = real(sum(t * t * w)))(z)", "jax.grad(lambda t: jnp.real(jnp.sum(t * t * w)))(z)"),
    ("grad(fn(t) = imag(sum(exp(t) * conj(t))))(z[:9])", "jax.grad(lambda t: jnp.imag(jnp.sum(jnp.exp(t) * jnp.conj(t))))(z[:9])"),
    ("grad(fn(t) = sum(angle(t)))(z)", "jax.grad(lambda t: jnp.sum(jnp.angle(t)))(z)"),
    ("grad(fn(t) = real(prod(t)))(w[:5])", "jax.grad(lambda t: jnp.real(jnp.prod(t)))(w[:5])"),
    ("grad(fn(t) = sum(abs(m @ t)))(v)", "jax.grad(lambda t: jnp.sum(jnp.abs(m @ t)))(v)"),
    ("grad(fn(t) = sum(abs(exp(1j * t))  + real(1j * t * z)))(x)", "jax.grad(lambda t: jnp.sum(jnp.abs(jnp.exp(1j * t)) + jnp.real(1j * t * z)))(x)"),
    ("grad(fn(t) = t ** 3 / (t + 1j), holomorphic=true)(z[0])", "jax.grad(lambda t: t ** 3 / (t + 1j), holomorphic=True)(z[0])"),
    ("jacfwd(fn(t) = sin(t) * w[:3], holomorphic=true)(z[:3])", "jax.jacfwd(lambda t: jnp.sin(t) * w[:3], holomorphic=True)(z[:3])"),
    ("jacrev(fn(t) = m @ t, holomorphic=true)(z[:4])", "jax.jacrev(lambda t: m @ t, holomorphic=True)(z[:4])"),
    ("jvp(fn(t) = abs(t) * conj(t), (z,), (w,))[1]", "jax.jvp(lambda t: jnp.abs(t) * jnp.conj(t), (z,), (w,))[1]"),
    ("vjp(fn(t) = conj(t) * t * t, z)[1](w)[0]", "jax.vjp(lambda t: jnp.conj(t) * t * t, z)[1](w)[0]"),
    ("vjp(fn(t) = imag(t) * t, z)[1](w)[0]", "jax.vjp(lambda t: jnp.imag(t) * t, z)[1](w)[0]"),
    ("vjp(fn(t) = c64(t) * z, x)[1](w)[0]", "jax.vjp(lambda t: t.astype(jnp.complex64) * z, x)[1](w)[0]"),
    ("vjp(fn(t, s) = complex(t, s) ** 2, x, 2 * x)[1](w)", "jax.vjp(lambda t, s: jax.lax.complex(t, s) ** 2, x, 2 * x)[1](w)"),
]
derived = "exp log sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh expm1 log1p".split()
# JAX's derivative of arccosh has the wrong sign where the real part is negative, since it takes one root of a product
for f in derived:
    at, n = ("z[5:7]", 2) if f == "arccosh" else ("z[:9]", 9)
    pairs.append((f"vjp({f}, {at} * 0.7 + 0.05j)[1](w[:{n}])[0]", f"jax.vjp(jnp.{f}, {at} * 0.7 + 0.05j)[1](w[:{n}])[0]"))
pairs = [p for p in pairs if "complex(t, s) ** 2, x, 2" not in p[0]] + [
    (f"vjp(fn(t, s) = complex(t, s) ** 2, x, 2 * x)[1](w)[{i}]", f"jax.vjp(lambda t, s: jax.lax.complex(t, s) ** 2, x, 2 * x)[1](w)[{i}]") for i in (0, 1)]
for e in ("fft(z)", "ifft(z)", "fft(z, n=7)", "fft(z, n=16)", "fft(m, axis=0)", "fft(z, norm=\"ortho\")", "ifft(z, norm=\"forward\")", "rfft(x)", "rfft(x, n=9)", "irfft(z)",
          "irfft(z, n=11)", "hfft(z)", "hfft(z, n=9, norm=\"ortho\")", "ihfft(x)", "fft2(m)", "ifft2(m)", "rfft2(x.reshape(3, 4))", "irfft2(m)", "irfft2(m, s=(4, 5))", "fftn(m, axes=(0,))",
          "ifftn(m)", "rfftn(x.reshape(2, 3, 2))", "irfftn(m)", "fftshift(m)", "ifftshift(z)", "fftfreq(7, d=0.5)", "rfftfreq(8)"):
    pairs.append((f"fft.{e}", f"jnp.fft.{e}"))
pairs += [
    ("grad(fn(t) = sum(abs(fft.rfft(t)) ** 3))(x)", "jax.grad(lambda t: jnp.sum(jnp.abs(jnp.fft.rfft(t)) ** 3))(x)"),
    ("grad(fn(t) = sum(fft.irfft(t, n=10) ** 2))(z[:6])", "jax.grad(lambda t: jnp.sum(jnp.fft.irfft(t, n=10) ** 2))(z[:6])"),
    ("vjp(fft.ifft, z)[1](w)[0]", "jax.vjp(jnp.fft.ifft, z)[1](w)[0]"),
]
for i in (0, 1):
    for options in ("", "fs=10.0, nperseg=16", "nperseg=15, noverlap=4, window='hamming', scaling='spectrum'", "nperseg=16, nfft=20, detrend='linear'"):
        pairs.append((f"signal.welch(s, {options})[{i}]".replace("'", '"'), f"scipy.signal.welch(s, {options})[{i}].astype(np.float32)"))
    pairs.append((f"signal.periodogram(s, fs=4.0)[{i}]", f"scipy.signal.periodogram(s, fs=4.0)[{i}].astype(np.float32)"))
    pairs.append((f"signal.periodogram(s2, window=\"hann\", scaling=\"spectrum\")[{i}]", f"scipy.signal.periodogram(s2, window='hann', scaling='spectrum')[{i}].astype(np.float32)"))
for i in (0, 1, 2):
    for options in ("nperseg=16", "fs=4.0, nperseg=15, noverlap=10", "nperseg=8, nfft=12, boundary=BOUNDARY, padded=PADDED"):
        pairs.append((f"signal.stft(s, {options})[{i}]".replace("BOUNDARY", "false").replace("PADDED", "false"),
                      f"scipy.signal.stft(s, {options})[{i}]".replace("BOUNDARY", "None").replace("PADDED", "False")))
pairs += [
    ("signal.istft(signal.stft(s, nperseg=16)[2])[1]", "scipy.signal.istft(scipy.signal.stft(s, nperseg=16)[2])[1].astype(np.float32)"),
    ("signal.istft(m, fs=2.0)[0]", "scipy.signal.istft(m, fs=2.0)[0]"), ("signal.istft(m)[1]", "scipy.signal.istft(m)[1].astype(np.float32)"),
    ("signal.hilbert(x)", "scipy.signal.hilbert(x)"), ("signal.hilbert(x, n=9)", "scipy.signal.hilbert(x, 9)"), ("signal.hilbert(s2, axis=0)", "scipy.signal.hilbert(s2, axis=0)"),
    ("signal.fftconvolve(s, x) / 20", "scipy.signal.fftconvolve(s, x) / 20"), ("signal.fftconvolve(s, x, mode=\"same\") / 20", "scipy.signal.fftconvolve(s, x, mode='same') / 20"),
    ("signal.fftconvolve(s, x, mode=\"valid\")", "scipy.signal.fftconvolve(s, x, mode='valid')"),
    ("signal.fftconvolve(s2, m, mode=\"same\")", "scipy.signal.fftconvolve(s2, m, mode='same')"),
]
for n in (1, 2, 3, 4, 5, 8):
    for kind in ("low", "high"):
        pairs.append((f"signal.butter({n}, 0.3, btype=\"{kind}\")", f"scipy.signal.butter({n}, 0.3, btype='{kind}', output='sos')"))
pairs.append(("signal.sosfilt(signal.butter(4, 3.0, fs=20.0), s)", "scipy.signal.sosfilt(scipy.signal.butter(4, 3.0, fs=20.0, output='sos'), s).astype(np.float32)"))
write("complex_values", setup, pairs, {"jax": jax, "jnp": jnp, "np": np, "scipy": scipy})
