# Inference: the parameters are replicated (in_axes none), the batch is split: 32 rows for each device.

fn predict(params, inputs) = inputs @ params.w + params.b

let n = device_count()
let (kw, kb, kx) = random.split(random.key(0), 3)
let params = {w: random.normal(kw, (10, 5)), b: random.normal(kb, (5,))}
let batch = random.normal(kx, (32 * n, 10))
let sharded = batch.reshape(n, 32, 10)

let out = pmap(predict, in_axes=(none, 0))(params, sharded)

print("devices: {n}")
print("w {params.w.shape}, b {params.b.shape}")
print("batch {batch.shape}, sharded {sharded.shape}")
print("result {out.shape}")
print("equal to one device's product: {allclose(out.reshape(32 * n, 5), predict(params, batch), atol=1e-5)}")
