# pmap compiles: the function becomes one program that runs on every device, each on its own row. The second call uses
# the compiled program. jit inside pmap does not change a single bit.

fn f(x) = (tanh(sin(x) * cos(x)) + sqrt(abs(x))) * 2

let on_devices = pmap(f)
let x = arange(8.0).reshape(2, 4)

let begin = time()
let y = block_until_ready(on_devices(x))
let compiled = time()
let again = block_until_ready(on_devices(x))
let done = time()

print("result {y:.5f}")
print("shape {y.shape}")
print("first call {(compiled - begin) * 1000:.2f} ms, second call {(done - compiled) * 1000:.3f} ms")
print("the same bits again: {array_equal(y, again)}, with jit inside: {array_equal(y, pmap(jit(f))(x))}")
