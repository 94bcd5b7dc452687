# options: --explain-grad
# configs: compiled
# Residuals that --explain-grad reports: in a chain of calls, in a loop of unknown trip count, with a policy, and none.
fn layer(x, w) = tanh(exp(w @ x))
fn net(x, w, wrap) = sum(wrap(layer)(wrap(layer)(x, w), w))
fn settle(x) {
  mut s = x
  while sum(s) > 0.1 { s = sin(s) * 0.9 }
  sum(s)
}
let x = ones(50) / 50
print(grad(net)(x, eye(50), fn(f) = f)[0])
print(grad(net)(x, eye(50), checkpoint)[0])
print(grad(net)(x, eye(50), fn(f) = checkpoint(f, policy="dots_saveable"))[0])
print(grad(settle)(x)[0] == grad(checkpoint(settle, loops=true))(x)[0])
let (y, back) = vjp(sin, x)

# expect: 0.0465136
# expect: 0.0465136
# expect: 0.0465136
# expect: true
# stderr: {*}explain_grad.pm:12:7: note: grad(net) keeps 4 values: 800 bytes
# stderr:    400 bytes  2 of f32[50]  {*}explain_grad.pm:4:27 w @ x
# stderr:    400 bytes  2 of f32[50]  {*}explain_grad.pm:4:23 exp(w @ x)
# stderr: {*}explain_grad.pm:13:7: note: grad(net) keeps 1 value: 200 bytes
# stderr:    200 bytes  f32[50]  {*}explain_grad.pm:4:23 exp(w @ x)
# stderr:   computed again, 5 operations: `layer`
# stderr: {*}explain_grad.pm:14:7: note: grad(net) keeps 2 values: 400 bytes
# stderr:    400 bytes  2 of f32[50]  {*}explain_grad.pm:4:27 w @ x
# stderr:   computed again, 4 operations: `layer`
# stderr: {*}explain_grad.pm:15:7: note: grad(settle) keeps 2 values: 8 bytes, and 200 bytes at each iteration
# stderr:    200 bytes  f32[50] at each iteration  {*}explain_grad.pm:8:32 s
# stderr:      8 bytes  i64  {*}explain_grad.pm:8:9 sum(s) > 0.1
# stderr: {*}explain_grad.pm:15:29: note: grad(checkpoint(settle)) keeps 3 values: 8 bytes, and 208 bytes at each iteration
# stderr:    200 bytes  f32[50] at each iteration  {*}explain_grad.pm:8:9 sum(s) > 0.1
# stderr:      8 bytes  i64  {*}explain_grad.pm:8:9 sum(s) > 0.1
# stderr:      8 bytes  i64 at each iteration  {*}explain_grad.pm:8:9 sum(s) > 0.1
# stderr:   computed again, 15 operations: a segment of a loop  {*}explain_grad.pm:8:9 sum(s) > 0.1
# stderr: {*}explain_grad.pm:16:17: note: vjp(sin) keeps 1 value: 200 bytes
# stderr:    200 bytes  f32[50]  {*}explain_grad.pm:16:17 vjp(sin, x)
