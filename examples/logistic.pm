# Logistic regression: is a tumour benign? 569 real cases with 30 measurements each; the first 400 are for training. The
# whole training is one compiled loop. The loss is written for one case, and vmap maps it over all cases.

let table = read_csv("examples/data/breast_cancer.csv.gz", header=false)
let table = random.permutation(random.key(0), table)
let (x, x_test) = data.standardize(table[:400, :30], table[400:, :30])
let (y, y_test) = (table[:400, 30], table[400:, 30])

fn logit({w, b}, x) = x @ w + b

fn case_loss(params, x, y) = nn.sigmoid_cross_entropy(logit(params, x), y)
fn loss(params, x, y) =
    mean(vmap(case_loss, in_axes=(none, 0, 0))(params, x, y)) + 0.001 * sum(params.w ** 2)

fn train(params, x, y, rate, steps) {
    mut params = params
    for _ in 0..steps {
        let grads = grad(loss)(params, x, y)
        params = tree_map(fn(p, g) = p - rate * g, params, grads)
    }
    params
}

let start = {w: zeros(30), b: 0.0}
let fitted = train(start, x, y, 0.5, 300)
print("loss {loss(start, x, y):.4f} -> {loss(fitted, x, y):.4f}")

let found = logit(fitted, x_test) > 0
let right = y_test > 0.5
print("test accuracy {100 * mean(found == right):.1f} %")
print("precision {metrics.precision(found, right):.3f}, recall {metrics.recall(found, right):.3f}")
