# Updates at the top level are in place: 4000 updates of 40 MB would take a minute if each copied the array.
mut a = zeros(10000000)
mut r = {f: zeros(10000000), g: (zeros(10000000), 1)}
mut m = zeros((1000, 10000))
let x = f32(0.5)
for i in 0..1000 {
    a[i] += 1
    a[i] -= x
    r.f[i] = 2
    r.g[0][i + 1] /= 4
    m[i] = m[0] + i
}
print(a.sum(), r.f.sum(), r.g[0].sum(), m[999, 3])
# Values that share memory with an updated array do not change, and a failed update leaves the array unchanged.
let b = a
let s = r
a[0] = 7
r.f[0] = 9
print(a[0], b[0], r.f[0], s.f[0])
mut n = (1, {k: [1, 2]})
n[1].k[0] *= 10
n[1].k[n[1].k[1] - 2] += 1
mut c = [1, 2, 3]
c[c[0]] = 9
c[0] max= 5
c[1] //= 2
c[2] **= 2
print(n, c)
mut u = array([250, 1], dtype=u8)
u[0] += 10
mut h = array([1, 2], dtype=f16)
h[0] += 0.0001
print(u, h)

# expect: 500.0 2000.0 0.0 999.0
# expect: 7.0 0.5 9.0 2.0
# expect: (1, {k: [11, 2]}) [5, 4, 9]
# expect: [4, 1] [1, 2]
