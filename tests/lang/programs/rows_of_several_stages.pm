# On a GPU, rows that several stages of a nest read are kept in shared memory. One thread computes a whole row if the rows are short.
# configs: compiled mixed gpu-emulated gpu
let x = random.normal(random.key(0), (5, 300))
print(sum(nn.softmax(x)), nn.softmax(x)[2, 77], nn.softmax(x, axis=0)[2, 77])
print(sum(nn.standardize(x) ** 3), nn.log_softmax(f16(x))[1, 299])
# A nest whose result overwrites its operand.
let attend = jit(fn(q, k, v) = sum(nn.attention(q, k, v, mask=nn.causal_mask(100)) ** 2))
let (q, k, v) = random.normal(random.key(1), (3, 2, 100, 8))
for g in grad(attend, (0, 1, 2))(q, k, v) { print(sum(g * q), g[1, 99]) }

let y = random.normal(random.key(2), (20000, 3))
let squares = sum(y * y, axis=-1)
print(sum(squares), squares[0], squares[19999])
print(argmax(y, axis=1)[:10], min(y, axis=1)[:3])
let z = random.normal(random.key(3), (128, 128, 7))
print(nn.softmax(z)[3, 5], sum(z[..., :0], axis=-1)[0, 0])
print(prod(z, axis=-1)[3, :4], sum(bf16(z), axis=-1)[0, :5], all(z > -1, axis=-1)[0, :9])
let w = array([nan, -0.0, 0.0, 2.0])[random.randint(random.key(4), (16384, 2), 0, 4)]
let (least, sums) = (min(w, axis=1), sum(w, axis=1))
print(least[:12], sums[:12])

# expect: 5.0 0.0002169127 0.03261927
# expect: -52.718697 -5.57
# expect: 104.6625 [-0.27701554, -0.053426333, 0.2584347, 0.032600544, -0.13183452, 0.09227151, 0.0443652, 0.19729578]
# expect: -2.2794032 [0.0004399437, -0.00033728062, -0.0005638591, 0.00032096557, 0.00020054623, 1.9440708e-05, -0.00012827021, -0.00083231664]
# expect: 4.4013195 [-0.0020065017, 0.00084379193, -0.000160857, -0.0016195796, -0.0017382862, 0.0008056384, 0.0011419124, -0.0022408399]
# expect: 59558.273 2.32694 2.549139
# expect: [1, 0, 2, 1, 0, 0, 2, 0, 0, 0] [-0.73873436, -0.8333566, -0.88721675]
# expect: [0.10206612, 0.11104442, 0.10018216, 0.025742251, 0.094977066, 0.22579302, 0.340195] 0.0
# expect: [0.0018271599, -0.021015646, 0.006176614, 0.080904454] [0.83, -3.78, 1.18, -1.03, -0.455] [false, false, false, false, true, true, false, true, false]
# expect: [0.0, -0.0, nan, -0.0, nan, 0.0, 2.0, -0.0, 0.0, -0.0, nan, 0.0] [0.0, 0.0, nan, 2.0, nan, 0.0, 4.0, 2.0, 0.0, 0.0, nan, 2.0]
