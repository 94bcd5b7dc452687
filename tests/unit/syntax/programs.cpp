#include "support.hpp"

#include <doctest/doctest.h>

using namespace pm::syntax;

TEST_CASE("a program for data-parallel linear regression is parsed") {
    const std::string text = R"PM(# data-parallel linear regression
fn linear((w, b), x) = x @ w + b

fn mse(params, x, y) {
    let err = linear(params, x) - y
    mean(err ** 2)                                  # the last expression is the value
}

fn train_step(params, x, y, lr) {
    let (loss, grads) = value_and_grad(mse)(params, x, y)
    let grads = pmean(grads, "batch")               # average over every device
    let params = tree_map(fn(p, g) = p - lr * g, params, grads)
    (params, pmean(loss, "batch"))
}

let step = pmap(train_step, axis_name="batch", in_axes=(none, 0, 0, none), out_axes=(none, none))

let n = device_count()
let (kw, kx) = random.split(random.key(0))
let true_w = random.normal(kw, (5,))
let x = random.normal(kx, (n, 100, 5))
let y = x @ true_w + 0.5

mut params = (zeros(5), 0.0)
mut loss = 0.0
for epoch in 0..50 {
    (params, loss) = step(params, x, y, 0.05)
    if (epoch + 1) % 10 == 0 { print("epoch {epoch + 1}/50  loss {loss:.4f}") }
}
print("learned {params.0}  true {true_w}")
)PM";
    CHECK(tree(text) == R"(fn linear((tuple w b) x)
  (+ (@ x w) b)
fn mse(params x y)
  let err = (- (call linear params x) y)
  (call mean (** err 2))
fn train_step(params x y lr)
  let (tuple loss grads) = (call (value_and_grad mse) params x y)
  let grads = (pmean grads "batch")
  let params = (call tree_map (fn (p g) {(- p (* lr g))}) params grads)
  (tuple params (pmean loss "batch"))
let step = (pmap train_step axis_name="batch" in_axes=(tuple none 0 0 none) out_axes=(tuple none none))
let n = (call device_count)
let (tuple kw kx) = (method split random (method key random 0))
let true_w = (method normal random kw (tuple 5))
let x = (method normal random kx (tuple n 100 5))
let y = (+ (@ x true_w) 0.5)
mut params = (tuple (call zeros 5) 0.0)
mut loss = 0.0
for epoch in (.. 0 50)
  (tuple params loss) = (call step params x y 0.05)
  (if (== (% (+ epoch 1) 10) 0) {(call print (text "epoch " {(+ epoch 1)} "/50  loss " {loss:.4f}))})
(call print (text "learned " {(. params 0)} "  true " {true_w})))");
}

TEST_CASE("a program that averages gradients is parsed") {
    CHECK(tree(R"PM(fn predict((w, b), x) = w * x + b
fn loss_fn(params, x, y) = mean((predict(params, x) - y) ** 2)
fn update(params, x, y) {
    let (loss, grads) = value_and_grad(loss_fn)(params, x, y)
    (pmean(loss, "devices"), pmean(grads, "devices"))
}
let step = pmap(update, axis_name="devices", in_axes=(none, 0, 0), out_axes=(none, none))
let x = arange(8.0).reshape(2, 4)
let (loss, (dw, db)) = step((2.0, 1.0), x, 3 * x + 2)
print("Average Loss across devices: {loss:.4f}")
print("Averaged Gradients (dw, db): ({dw:.4f}, {db:.4f})")
)PM") == R"T(fn predict((tuple w b) x)
  (+ (* w x) b)
fn loss_fn(params x y)
  (call mean (** (- (call predict params x) y) 2))
fn update(params x y)
  let (tuple loss grads) = (call (value_and_grad loss_fn) params x y)
  (tuple (pmean loss "devices") (pmean grads "devices"))
let step = (pmap update axis_name="devices" in_axes=(tuple none 0 0) out_axes=(tuple none none))
let x = (method reshape (call arange 8.0) 2 4)
let (tuple loss (tuple dw db)) = (call step (tuple 2.0 1.0) x (+ (* 3 x) 2))
(call print (text "Average Loss across devices: " {loss:.4f}))
(call print (text "Averaged Gradients (dw, db): (" {dw:.4f} ", " {db:.4f} ")")))T");
}

TEST_CASE("the examples in the description of the language are parsed") {
    for (const char* text :
         {"fn f(x) = (tanh(sin(x) * cos(x)) + sqrt(abs(x))) * 2",
          "pmap(jit(f))",
          "pmap(fn(batch) = vmap(fn(item) = tanh(item) * 2)(batch))",
          "vmap(vmap(f))",
          "fn predict(params, inputs) = inputs @ params.w + params.b",
          "pmap(predict, in_axes=(none, 0))",
          "pmap(scale, in_axes=(0, none), out_axes=0)(data, 10.0)",
          "arange(12.0).reshape(4, 3)",
          "pmap(fn(x) = x, in_axes=none, out_axes=0, axis_size=D)",
          "pmap(step, static_broadcasted_argnums=(3,), donate_argnums=())",
          "let a = {w: a, b: c}; let b = {w, b}; let c = {..r, f: v}; let d = {\"any text\": v}; r[\"w\"]; "
          "\"f\" in r",
          "[[1, 2], [3, x]]; [f(x) for x in xs]; (f(x) for x in xs)",
          "fn f(x, y=1) = e",
          "fn f(x: f32[n, d], w: f32[d]) -> f32[n] { x @ w }",
          "fn(x) { x }",
          "fn serial(*layers) { f(*layers) }",
          "x[1:3, :, ::2]; x[..., 0]; x[none]; x[s:+k]; x.take(i, mode=\"clip\")",
          "let y = e with [i, :] = v with .w = v with [idx] += v with [j] min= v",
          "mut name = e; name = e; name.f[i].g += e; (a, b[t]) = e",
          "let (a, _, *rest) = t; let {w, b: bias} = p",
          "import nn; import \"model.pm\" as model",
          "test \"name\" { assert(c, \"text {x}\") }",
          "fail(\"text\")",
          "i32(x > 0); x.astype(bf16)",
          "zeros(3); zeros((3, 4)); random.key(0)",
          "print(a, b, sep=\" \", end=\"\\n\")",
          "read_csv(path, header=true, delim=\",\")",
          "let g = grad",
          "1_000; 0xFF; 1.5; 1.; 1e-3; 2f64; 7i64; 2j; t.0.1",
          "t[i]; t[-1]; t[1:]",
          "let r = if c { a } else { b }",
          "custom_vjp(f, fwd, bwd)",
          "while x < 3 { x += 1 }",
          "for (name, value) in record { print(name, value) }",
          "fn f(a: key, b: str, c: fn, d: any, e: _, g: (f32, {w: f32[2 * n + 1]}), h: f32[..., k]) = 0"})
        CHECK_MESSAGE(Parsed(text).result.ok(), std::string(text) << "\n" << Parsed(text).rendered());
}
