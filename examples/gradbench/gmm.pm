# A Gaussian mixture: the logarithm of the posterior probability of its parameters, given n points of d dimensions, and its gradient.
#
# Component c of k has a weight proportional to exp(alpha[c]), the mean mu[c] and the precision Q' Q, where Q is lower triangular: exp(q[c]) on the
# diagonal and l[c] below, column by column. The precisions have a Wishart prior with scale 1 / gamma^2 and d + m + 1 degrees of freedom.

fn factor(q, l) {
    let (column, row) = triu_indices(len(q), k=1)
    diag(exp(q)) with [row, column] = l
}

## log p(x | parameters). Q (x - mu) of all components and points is one product of matrices.
fn log_likelihood({alpha, mu, q, l}, x: f64[n, d]) {
    let Q = vmap(factor)(q, l)
    let from_mean = Q.reshape(-1, d) @ x.T - vmap(matmul)(Q, mu).reshape(-1, 1)
    let distance = sum(from_mean.reshape(-1, d, n) ** 2, axis=1)
    let weight = alpha + sum(q, axis=1)
    let likelihood = logsumexp(weight[:, none] - 0.5 * distance, axis=0)
    sum(likelihood) - n * (0.5 * d * log(2 * pi) + logsumexp(alpha))
}

## log p(parameters).
fn log_prior({q, l}, m, gamma) {
    let (k, d) = q.shape
    let freedom = d + m + 1
    let constant = freedom * d * log(gamma / sqrt(2)) - special.multigammaln(0.5 * freedom, d)
    k * constant - 0.5 * gamma ** 2 * (sum(exp(2 * q)) + sum(l ** 2)) + m * sum(q)
}

fn log_posterior(
    {alpha, mu, q, l}: {alpha: f64[k], mu: f64[k, d], q: f64[k, d], l: f64[k, d * (d - 1) // 2]},
    x: f64[n, d],
    m,
    gamma,
) = log_likelihood({alpha, mu, q, l}, x) + log_prior({q, l}, m, gamma)

fn objective({alpha, mu, q, l, x, m, gamma}) = log_posterior({alpha, mu, q, l}, x, m, gamma)
fn jacobian({alpha, mu, q, l, x, m, gamma}) = grad(log_posterior)({alpha, mu, q, l}, x, m, gamma)
