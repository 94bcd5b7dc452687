# A Gaussian mixture: the logarithm of the posterior probability of k components given n points x of d dimensions, and its gradient.
#
# Component c has weight proportional to exp(alpha[c]), mean mu[c] and precision Q' Q, where Q is lower triangular: exp(q[c]) on the
# diagonal, l[c] below it, column by column. The precisions have a Wishart prior with scale 1 / gamma^2 and d + m + 1 degrees of freedom.

fn factor(q, l) {
    let (column, row) = triu_indices(len(q), k=1)
    diag(exp(q)) with [row, column] = l
}

## log p(x | parameters): Q (x - mu) of all points and components is one product of matrices.
fn log_likelihood({alpha, mu, q, l}, x) {
    let (n, d) = x.shape
    let Q = vmap(factor)(q, l)
    let centred = x @ Q.reshape(-1, d).T - vmap(matmul)(Q, mu).ravel()
    let distance = sum(centred.reshape(n, -1, d) ** 2, axis=2)
    let likelihood = logsumexp(alpha + sum(q, axis=1) - 0.5 * distance, axis=1)
    sum(likelihood) - n * (0.5 * d * log(2 * pi) + logsumexp(alpha))
}

## log p(parameters), up to nothing: the normalising constant is included.
fn log_prior({q, l}, m, gamma) {
    let (k, d) = q.shape
    let freedom = d + m + 1
    let constant = freedom * d * log(gamma / sqrt(2)) - special.multigammaln(0.5 * freedom, d)
    k * constant - 0.5 * gamma ** 2 * (sum(exp(2 * q)) + sum(l ** 2)) + m * sum(q)
}

fn log_posterior(parameters, x, m, gamma) = log_likelihood(parameters, x) + log_prior(parameters, m, gamma)

fn objective({alpha, mu, q, l, x, m, gamma}) = log_posterior({alpha, mu, q, l}, x, m, gamma)
fn jacobian({alpha, mu, q, l, x, m, gamma}) = grad(log_posterior)({alpha, mu, q, l}, x, m, gamma)
