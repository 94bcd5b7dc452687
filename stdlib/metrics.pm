# How good predictions are. Logits are f[..., classes], labels i32[...].

## metrics.accuracy(logits, labels): the part of rows whose greatest logit is the label, f32.
fn accuracy(logits, labels) = mean(f32(argmax(logits, axis=-1) == labels))

## metrics.top_k_accuracy(logits, labels, k=5): the part of rows whose label is among the k greatest logits.
fn top_k_accuracy(logits, labels, k=5) =
    mean(f32(any(top_k(logits, k)[1] == labels[..., none], axis=-1)))

## metrics.confusion(predicted, labels, n): how often label i was predicted as j, i32[n, n].
fn confusion(predicted, labels, n) =
    bincount(ravel(labels) * n + ravel(predicted), length=n * n).reshape(n, n)

## metrics.precision(predicted, labels): the part of what was found that is right, of bool arrays, f32.
fn precision(predicted, labels) = _part(sum(f32(predicted and labels)), sum(f32(predicted)))
## metrics.recall(predicted, labels): the part of true labels that was found, of bool arrays, f32.
fn recall(predicted, labels) = _part(sum(f32(predicted and labels)), sum(f32(labels)))
## metrics.f1(predicted, labels): the harmonic mean of precision and recall, f32.
fn f1(predicted, labels) =
    _part(2 * sum(f32(predicted and labels)), sum(f32(predicted)) + sum(f32(labels)))
fn _part(a, b) = where(b == 0, 0.0, a / where(b == 0, 1.0, b))

## metrics.rmse(predictions, targets): the root of the mean squared error.
fn rmse(predictions, targets) = sqrt(mean((predictions - targets) ** 2))
## metrics.r2(predictions, targets): 1 less the part of the variance that is left over.
fn r2(predictions, targets) =
    1 - sum((targets - predictions) ** 2) / sum((targets - mean(targets)) ** 2)

test "counts of right and wrong" {
    let logits = [[0.1, 0.9, 0.0], [2.0, 1.0, 0.0], [0.0, 0.1, 0.2]]
    assert(allclose(accuracy(logits, [1, 0, 1]), 2 / 3))
    assert(allclose(top_k_accuracy(logits, [1, 1, 1], k=2), 1))
    assert(array_equal(confusion([1, 0, 2, 2], [1, 0, 1, 2], 3), [[1, 0, 0], [0, 1, 1], [0, 0, 1]]))
    let (p, t) = ([true, true, false, false], [true, false, true, true])
    assert(
        allclose(precision(p, t), 0.5) and
        allclose(recall(p, t), 1 / 3) and
        allclose(f1(p, t), 0.4),
    )
    assert(
        allclose(rmse([1.0, 2.0], [1.0, 4.0]), sqrt(2.0)) and
        allclose(r2([1.0, 2.0], [1.0, 2.0]), 1),
    )
}
