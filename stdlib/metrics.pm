# Measures of the quality of predictions. Logits are f[..., classes], labels and class indices i32[...], truth values
# bool[...]. Results are numbers, f32 unless stated otherwise.

## An error unless a and b are arrays of one shape.
fn _alike(a, b, what) {
    if not _is_numeric(a) or not _is_numeric(b) {
        _refuse("`{what}` needs two arrays of one shape, got {_type(a)} and {_type(b)}")
    }
    if array(a).shape != array(b).shape {
        _refuse("`{what}` needs two arrays of one shape, got {_type(a)} and {_type(b)}")
    }
}
## An error unless the arguments are logits f[..., n] and labels i32[...] of the leading shape.
fn _labelled(logits, labels, what) {
    let form = "logits f[..., n] and labels i32[...], the numbers of classes"
    if not _is_numeric(logits) or not _is_numeric(labels) or array(logits).ndim == 0 {
        _refuse("`{what}` needs {form}, got {_type(logits)} and {_type(labels)}")
    }
    if not _is_integer(labels) or array(logits).shape[:-1] != array(labels).shape {
        _refuse("`{what}` needs {form}, got {_type(logits)} and {_type(labels)}")
    }
}

## metrics.accuracy(logits, labels): The fraction of examples whose label is the index of the greatest logit.
## The first of equal greatest logits counts.
fn accuracy(logits, labels) {
    _labelled(logits, labels, "metrics.accuracy")
    mean(f32(argmax(logits, axis=-1) == labels))
}

## metrics.top_k_accuracy(logits, labels, k=5): The fraction of examples whose label is among the k greatest logits.
## An error if k is greater than the number of classes.
fn top_k_accuracy(logits, labels, k=5) {
    _labelled(logits, labels, "metrics.top_k_accuracy")
    let k = _count(k, "the `k` of `metrics.top_k_accuracy`", least=1)
    if k > logits.shape[-1] {
        _refuse("the `k` of `metrics.top_k_accuracy` must be no more than the number of classes, {logits.shape[-1]}, got {k}")
    }
    mean(f32(any(top_k(logits, k)[1] == array(labels)[..., none], axis=-1)))
}

## metrics.confusion(predicted, labels, n): The confusion matrix i32[n, n]: element [i, j] counts label i predicted as
## j. A class index outside 0 .. n - 1 is an error, so that every example is counted.
fn confusion(predicted, labels, n) {
    _alike(predicted, labels, "metrics.confusion")
    if not _is_integer(predicted) or not _is_integer(labels) {
        _refuse("`metrics.confusion` needs the numbers of classes, i32[...], got {_type(predicted)} and {_type(labels)}")
    }
    let n = _count(n, "the `n` of `metrics.confusion`", least=1)
    let (p, l) = (ravel(predicted), ravel(labels))
    for x in (p, l) {
        assert(
            all(x >= 0) and all(x < n),
            "`metrics.confusion` needs numbers of {n} classes, from 0 to {n - 1}",
        )
    }
    bincount(l * n + p, length=n * n).reshape(n, n)
}

## An error unless both are bool arrays of one shape.
fn _truths(predicted, labels, what) {
    _alike(predicted, labels, what)
    for x in (predicted, labels) {
        if array(x).dtype != bool {
            _refuse("`{what}` needs truths, bool[...], got {_type(x)}: compare first, as scores > 0.5 or classes == 1")
        }
    }
}

## metrics.precision(predicted, labels): The fraction of true predictions whose label is true, for bool arrays of one
## shape. It is 0 if no prediction is true.
fn precision(predicted, labels) {
    _truths(predicted, labels, "metrics.precision")
    _part(sum(f32(predicted and labels)), sum(f32(predicted)))
}
## metrics.recall(predicted, labels): The fraction of true labels whose prediction is true, for bool arrays of one
## shape. It is 0 if no label is true.
fn recall(predicted, labels) {
    _truths(predicted, labels, "metrics.recall")
    _part(sum(f32(predicted and labels)), sum(f32(labels)))
}
## metrics.f1(predicted, labels): The harmonic mean of precision and recall, for bool arrays of one shape.
## It is 0 if no prediction and no label is true.
fn f1(predicted, labels) {
    _truths(predicted, labels, "metrics.f1")
    _part(2 * sum(f32(predicted and labels)), sum(f32(predicted)) + sum(f32(labels)))
}
fn _part(a, b) = where(b == 0, 0.0, a / where(b == 0, 1.0, b))

## metrics.roc_auc(scores, labels): The probability that a true example has a greater score than a false one, f32 or
## f64. Ties count half. scores f[n], labels bool[n]. NaN if all labels are equal. It is computed from the ranks
## (Mann and Whitney 1947).
fn roc_auc(scores, labels) {
    _alike(scores, labels, "metrics.roc_auc")
    if array(labels).dtype != bool {
        _refuse("`metrics.roc_auc` needs labels bool[n], got {_type(labels)}: compare first, as classes == 1")
    }
    let ranks = stats.rankdata(ravel(scores))
    let t = ravel(labels).astype(ranks.dtype)
    let (n, m) = (sum(t), sum(1 - t))
    (sum(ranks * t) - n * (n + 1) / 2) / (n * m)
}

## metrics.mse(predictions, targets): The mean squared error of arrays of one shape, in their dtype.
## Integers give floats. The same holds for the functions below.
fn mse(predictions, targets) {
    _alike(predictions, targets, "metrics.mse")
    mean(_number(predictions - targets) ** 2)
}
## metrics.rmse(predictions, targets): The root of the mean squared error of arrays of one shape.
fn rmse(predictions, targets) = sqrt(mse(predictions, targets))
## metrics.mae(predictions, targets): The mean absolute error of arrays of one shape.
fn mae(predictions, targets) {
    _alike(predictions, targets, "metrics.mae")
    mean(abs(predictions - targets))
}
## metrics.r2(predictions, targets): The coefficient of determination of arrays of one shape.
## It is 1 - sum((targets - predictions)^2) / sum((targets - mean(targets))^2).
fn r2(predictions, targets) {
    _alike(predictions, targets, "metrics.r2")
    1 - sum(_number(targets - predictions) ** 2) / sum((targets - mean(targets)) ** 2)
}

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
    assert(array_equal(confusion(u8([1, 1, 0]), u8([1, 0, 0]), 2), [[1, 1], [0, 1]]))
    assert(allclose(roc_auc([0.1, 0.4, 0.35, 0.8], [false, false, true, true]), 0.75))
    assert(
        allclose(roc_auc([0.5, 0.5, 0.5], [false, true, true]), 0.5) and
        isnan(roc_auc([0.5], [true])),
    )
    assert(mae([1.0, 2.0], [1.0, 4.0]) == 1 and mse([1.0, 2.0], [1.0, 4.0]) == 2)
}
