# Markov chain Monte Carlo: samples of a density on trees of real numbers, from the logarithm of the density and its
# gradient. Several chains are a vmap over keys: vmap(fn(k) = mcmc.nuts(k, f, x0))(random.split(key, 4)). Then the
# diagnostics take the draws f[chains, draws, ...].

## mcmc.hmc(key, f, x0, args=(), draws=1000, warmup=1000, steps=32, target=0.8): Samples of the density exp(f(x,
## ...args)) by Hamiltonian Monte Carlo (Neal 2011) from the tree x0. f returns one number, and -inf or NaN where the
## density is 0. A proposal has a number of leapfrog steps that is uniform from 1 to `steps`. The result is {draws,
## logp, accept, divergent, steps, step_size, inverse_mass}: the tree of draws, leaves [draws, ...]; f at each draw,
## f[draws]; the probability with which each proposal is accepted, f[draws]; whether the energy changed by more than
## 1000, bool[draws]; the numbers of leapfrog steps i32[draws]; the step size, and the diagonal of the inverse mass
## matrix, a tree like x0. The first `warmup` steps are not returned. They adapt the step size to the acceptance
## `target` by dual averaging (Hoffman and Gelman 2014), and the inverse mass to the variances of the draws, in windows
## of growing length. f16 and bf16 are computed in f32.
fn hmc(key, f, x0, args=(), draws=1000, warmup=1000, steps=32, target=0.8) {
    let steps = _count(steps, "the `steps` of `mcmc.hmc`", least=1)
    let move = fn(key, f, z, size, inverse) = _hmc_move(key, f, z, size, inverse, steps)
    _chain(move, key, f, x0, args, (draws, warmup, target), "mcmc.hmc")
}
## mcmc.nuts(key, f, x0, args=(), draws=1000, warmup=1000, depth=10, target=0.8): Samples as by mcmc.hmc, where each
## path ends where it begins to turn back (Hoffman and Gelman 2014). Its points are chosen with the weights of their
## densities, and the latest points are preferred (Betancourt 2017). A path has at most 2^depth leapfrog steps. Its
## doublings are loops, not recursions (Phan, Pradhan and Jankowiak 2019). `accept` is the mean over the points of a
## path.
fn nuts(key, f, x0, args=(), draws=1000, warmup=1000, depth=10, target=0.8) {
    let depth = _count(depth, "the `depth` of `mcmc.nuts`", least=1)
    let move = fn(key, f, z, size, inverse) = _nuts_move(key, f, z, size, inverse, depth)
    _chain(move, key, f, x0, args, (draws, warmup, target), "mcmc.nuts")
}

## The draws of a chain. move(key, f, z, size, inverse) returns the next point {x, y, g} and {accept, divergent, steps}.
## A point has the vector x, the value y of f and its gradient g.
fn _chain(move, key, f, x0, args, (draws, warmup, target), what) {
    let draws = _count(draws, "the `draws` of `{what}`", least=1)
    let warmup = _count(warmup, "the `warmup` of `{what}`")
    let target =
        _probabilities(_one_number(target, "the `target` of `{what}`"), "the `target` of `{what}`")
    let (flat, back) = tree.ravel(tree_map(fn(x) = _inexact(array(x)), x0))
    if flat.size == 0 { _refuse("`{what}` needs one number at least to begin with") }
    let start = _wide(flat)
    let value = fn(x) {
        let y = f(back(x), *args)
        if not _is_numeric(y) or array(y).ndim != 0 {
            _refuse("`{what}` needs a function whose result is one number, got {_type(y)}")
        }
        array(y).astype(start.dtype)
    }
    let point = fn(x) {
        let (y, g) = value_and_grad(value)(x)
        {x: x, y: y, g: g}
    }
    let (first_key, warm_key, key) = tuple(random.split(key, 3))
    let inverse = ones_like(start)
    let z = point(start)
    assert(isfinite(z.y), "`{what}` needs a finite f(x0)")
    let size = _first_size(first_key, point, z, inverse)
    let (z, size, inverse) = if warmup == 0 {
        (z, size, inverse)
    } else {
        _warmed(move, warm_key, point, (z, size, inverse), warmup, target)
    }
    let sampled = fn(z, key) {
        let (next, report) = move(key, point, z, size, inverse)
        (next, {..report, x: next.x, y: next.y})
    }
    let (_, all) = scan(sampled, z, random.split(key, draws))
    {
        draws: vmap(back)(all.x),
        logp: all.y,
        accept: all.accept,
        divergent: all.divergent,
        steps: all.steps,
        step_size: size,
        inverse_mass: back(inverse),
    }
}
fn _kinetic(p, inverse) = sum(p * p * inverse) / 2
## One step of the leapfrog method. z also has the momentum p.
fn _leapfrog(f, z, size, inverse) {
    let p = z.p + size / 2 * z.g
    let next = f(z.x + size * inverse * p)
    {..next, p: p + size / 2 * next.g}
}
fn _momentum(key, inverse) = random.normal(key, inverse.shape, dtype=inverse.dtype) / sqrt(inverse)
## The change of the logarithm of the weight since `start`, -inf for NaN.
fn _gain(z, start, inverse) {
    let gain = z.y - _kinetic(z.p, inverse) - start
    where(isnan(gain), -inf, gain)
}
fn _chosen(c, a, b) = tree.where(c, {x: a.x, y: a.y, g: a.g}, {x: b.x, y: b.y, g: b.g})

## A step size for which one step is accepted with a probability of about 1/2 (Hoffman and Gelman 2014, algorithm 4).
fn _first_size(key, f, z, inverse) {
    let p = _momentum(key, inverse)
    let start = z.y - _kinetic(p, inverse)
    let high = fn(size) =
        _gain(_leapfrog(f, {..z, p}, size, inverse), start, inverse) > -0.6931471805599453
    mut size = 0.1 * ones_like(start)
    let up = high(size)
    mut n = 0
    while high(size) == up and n < 60 {
        size = where(up, 2 * size, size / 2)
        n += 1
    }
    size
}

## The windows of the warmup as bools: whether a step's draw counts for the variances, and whether a window ends after
## the step. The first window has 25 steps, each further one twice as many. 75 steps before them, and a tenth of the
## steps but at least 50 after them, adapt only the step size. Fewer than 150 steps have one window.
fn _windows(warmup) {
    let n = _known(warmup)
    let (before, after) = if n < 150 {
        (n * 15 // 100, n // 2)
    } else {
        (75, if n > 500 { n // 10 } else { 50 })
    }
    let last = n - after
    mut ends = ()
    mut (at, length) = (before, if n < 150 { last - before } else { 25 })
    for _ in tuple(0..40) {
        if at < last and length > 0 {
            # if no further window fits, this one extends to the end
            let end = if at + 3 * length > last { last } else { at + length }
            ends += (end - 1,)
            at = end
            length = 2 * length
        }
    }
    let step = arange(n)
    (step >= before and step < last, isin(step, i32(stack(ends + (-1,)))))
}
## (point, step size, inverse mass) after the warmup.
fn _warmed(move, key, f, (z, size, inverse), warmup, target) {
    let fresh = fn(size) = {
        center: log(10 * size),
        error: 0 * size,
        log_size: log(size),
        mean_log_size: 0 * size,
        n: 0 * size,
    }
    let none_yet = {n: 0 * size, mean: zeros_like(z.x), sum: zeros_like(z.x)}
    let adapt = fn((z, sizes, inverse, seen), (key, counts, ends)) {
        let (z, report) = move(key, f, z, exp(sizes.log_size), inverse)
        let sizes = _averaged(sizes, target - report.accept)
        let n = seen.n + 1
        let off = z.x - seen.mean
        let mean = seen.mean + off / n
        let more = {n: n, mean: mean, sum: seen.sum + off * (z.x - mean)}
        let seen = tree.where(counts, more, seen)
        # shrunk towards 1e-3, as in Stan
        let spread = (seen.sum / maximum(seen.n - 1, 1) * seen.n + 5e-3) / (seen.n + 5)
        let good = ends and seen.n > 1
        (
            (
                z,
                tree.where(good, fresh(exp(sizes.mean_log_size)), sizes),
                where(good, spread, inverse),
                tree.where(ends, none_yet, seen),
            ),
            none,
        )
    }
    let (counts, ends) = _windows(warmup)
    let keys = random.split(key, warmup)
    let ((z, sizes, inverse, _), _) =
        scan(adapt, (z, fresh(size), inverse, none_yet), (keys, counts, ends))
    (z, exp(where(sizes.n > 0, sizes.mean_log_size, sizes.log_size)), inverse)
}
## Dual averaging of the logarithm of the step size (Hoffman and Gelman 2014, section 3.2).
fn _averaged(s, error) {
    let n = s.n + 1
    let mean = s.error + (error - s.error) / (n + 10)
    let log_size = s.center - mean * sqrt(n) / 0.05
    let part = n ** -0.75
    {
        center: s.center,
        error: mean,
        log_size: log_size,
        mean_log_size: s.mean_log_size + part * (log_size - s.mean_log_size),
        n: n,
    }
}

fn _hmc_move(key, f, z, size, inverse, steps) {
    let (a, b, c) = tuple(random.split(key, 3))
    let p = _momentum(a, inverse)
    let start = z.y - _kinetic(p, inverse)
    let count = random.randint(b, (), 1, steps + 1)
    mut (end, gain, n) = ({..z, p}, 0 * start, 0i32)
    while n < count and gain > -1000 {
        end = _leapfrog(f, end, size, inverse)
        gain = _gain(end, start, inverse)
        n += 1
    }
    let accept = where(gain > -1000, exp(minimum(gain, 0)), 0)
    let taken = random.uniform(c, dtype=start.dtype) < accept
    (_chosen(taken, end, z), {accept: accept, divergent: not (gain > -1000), steps: n})
}

fn _nuts_move(key, f, z, size, inverse, depth) {
    let (a, key) = tuple(random.split(key))
    let p = _momentum(a, inverse)
    let start = z.y - _kinetic(p, inverse)
    mut (left, right, chosen) = ({..z, p}, {..z, p}, z)
    mut (total, weight, level) = (p, 0 * start, 0i32)
    mut (accept, steps, divergent, ended) = (0 * start, 0i32, false, false)
    while level < depth and not ended {
        let (b, c, d) = tuple(random.split(random.fold_in(key, level), 3))
        let forth = random.bernoulli(b)
        let edge = tree.where(forth, right, left)
        let way = where(forth, size, -size)
        let new = _half_path(d, f, edge, way, inverse, (level, depth, start))
        let bad = new.turned or new.divergent
        let taken = log(random.uniform(c, dtype=start.dtype)) < new.weight - weight
        chosen = _chosen(taken and not bad, new.chosen, chosen)
        left = tree.where(forth, left, new.end)
        right = tree.where(forth, new.end, right)
        total = total + new.total
        weight = logaddexp(weight, new.weight)
        accept += new.accept
        steps += new.steps
        divergent = new.divergent
        ended = bad or _turns(left.p, right.p, total, inverse)
        level += 1
    }
    (chosen, {accept: accept / steps, divergent: divergent, steps: steps})
}
## Whether a path turns back: the momentum at an end against the sum of the momenta, where the ends count half.
fn _turns(p, q, total, inverse) {
    let mean = inverse * (total - (p + q) / 2)
    sum(p * mean, axis=-1) <= 0 or sum(q * mean, axis=-1) <= 0
}
## The 2^level points beyond `edge`, fewer if a part of the path turns back or is divergent. Each part of 2^i points
## that begins at a multiple of 2^i is checked when its last point is reached. Its first momentum and the sum up to it
## are in a row of `firsts` and `sums`. Point n is the first of parts of the row that is the number of ones in n // 2.
fn _half_path(key, f, edge, size, inverse, (level, depth, start)) {
    let rows = arange(_known(depth))
    let empty = zeros((_known(depth),) + edge.x.shape, dtype=edge.x.dtype)
    mut (firsts, sums, end, chosen) = (empty, empty, edge, {x: edge.x, y: edge.y, g: edge.g})
    mut (total, weight, accept) = (zeros_like(edge.p), 0 * start - inf, 0 * start)
    mut (n, turned, divergent) = (0i32, false, false)
    while n < 1 << level and not turned and not divergent {
        end = _leapfrog(f, end, size, inverse)
        let gain = _gain(end, start, inverse)
        divergent = not (gain > -1000)
        weight = logaddexp(weight, gain)
        let u = random.uniform(random.fold_in(key, n), dtype=start.dtype)
        chosen = _chosen(log(u) < gain - weight, end, chosen)
        total = total + end.p
        accept += exp(minimum(gain, 0))
        let row = population_count(n >> 1)
        if n % 2 == 0 {
            firsts = firsts with [row] = end.p
            sums = sums with [row] = total - end.p
        } else {
            let parts = population_count(n ^ (n + 1)) - 1
            let checked = rows <= row and rows > row - parts
            turned = any(checked and _turns(firsts, end.p, total - sums, inverse))
        }
        n += 1
    }
    {
        end: end,
        chosen: chosen,
        total: total,
        weight: weight,
        accept: accept,
        steps: n,
        turned: turned,
        divergent: divergent,
    }
}

# ---- diagnostics

## The draws f[chains, draws, ...] in f32 or wider.
fn _drawn(x, what) = _wide(_inexact(_of_rank_at_least(x, 2, what, "draws f[chains, draws, ...]")))
## The draws f[chains, draws, ...] with each chain cut into two halves, f[2 chains, draws / 2, ...].
fn _halves(x, what) {
    let x = _drawn(x, what)
    let half = x.shape[1] // 2
    if half < 2 { _refuse("`{what}` needs four draws of a chain at least, got {_type(x)}") }
    concatenate((x[:, :half], x[:, -half:]), axis=0)
}
## The mean of the variances within chains, and the estimate of the variance from all of them.
fn _variances(x) {
    let n = x.shape[1]
    let within = mean(var(x, axis=1, ddof=1), axis=0)
    (within, within * (n - 1) / n + var(mean(x, axis=1), axis=0, ddof=1))
}
## mcmc.r_hat(x): The potential scale reduction of draws f[chains, draws, ...] -> f[...], or of a tree of them. It is
## the root of the variance of all draws, divided by the mean variance within chains, where each chain is cut into two
## halves (Gelman et al. 2013, 11.4). It is near 1 if the chains agree, and NaN for constant draws.
fn r_hat(x) = tree_map(
    fn(x) {
        let (within, whole) = _variances(_halves(x, "mcmc.r_hat"))
        sqrt(whole / within)
    },
    x,
)
## mcmc.ess(x): The effective sample size of draws f[chains, draws, ...] -> f[...], or of a tree of them: the number of
## independent draws for which the mean has the same variance. Autocorrelations of all chains, cut into halves, are
## combined (Vehtari et al. 2021). They are summed in pairs, up to the first pair below 0, and made decreasing (Geyer
## 1992). The result is at most n log10(n) for n draws of all chains, and NaN for constant draws.
fn ess(x) = tree_map(fn(x) = _ess(_halves(x, "mcmc.ess")), x)
fn _ess(x) {
    let (chains, n) = x.shape[:2]
    let constant = all(x == x[:, :1], axis=(0, 1))
    let (within, whole) = _variances(x)
    let spectrum = fft.rfft(x - mean(x, axis=1, keepdims=true), n=2 * n, axis=1)
    let power = fft.irfft(_squares(spectrum), n=2 * n, axis=1)[:, :n] / n
    let rho = 1 - (within - mean(power, axis=0) * n / (n - 1)) / whole
    let even = n // 2 * 2
    let pairs = rho[0:even:2] + rho[1:even:2]
    let positive = cummin(where(pairs > 0, 1, 0), axis=0) == 1
    let time = 2 * sum(where(positive, cummin(pairs, axis=0), 0), axis=0) - 1
    let count = 1.0 * chains * n
    where(constant, nan, count / maximum(time, 1 / log10(count)))
}

## mcmc.summary(x, interval=0.9): The table of the draws f[chains, draws, ...], or of a tree of them: a record of
## columns {name, mean, sd, low, median, high, ess, r_hat} with a row for each number. `low` and `high` are the ends of
## the central interval of the probability `interval`. A name is the place in the tree: "slope[1]", and "x" for an
## array.
fn summary(x, interval=0.9) {
    let what = "the `interval` of `mcmc.summary`"
    let tail = (1 - _probabilities(_one_number(interval, what), what)) / 2
    let leaves = (_drawn(leaf, "mcmc.summary") for leaf in tree.leaves(x))
    let column = fn(f) = concatenate((ravel(f(leaf)) for leaf in leaves))
    let (low, median, high) =
        (column(fn(x) = quantile(x, q, axis=(0, 1))) for q in (tail, 0.5, 1 - tail))
    let paths = (path for (path, _) in tree.leaves_with_path(x))
    {
        name: (
            _name_of_number(path, i, leaf.shape[2:])
            for (path, leaf) in zip(paths, leaves)
            for i in 0..prod(leaf.shape[2:])
        ),
        mean: column(fn(x) = mean(x, axis=(0, 1))),
        sd: column(fn(x) = std(x, axis=(0, 1), ddof=1)),
        low: low,
        median: median,
        high: high,
        ess: column(ess),
        r_hat: column(r_hat),
    }
}
fn _name_of_number(path, i, shape) {
    let leaf = tree.keystr(path)
    let name = if leaf == "" { "x" } else if leaf[0] == "." { leaf[1:] } else { leaf }
    if len(shape) == 0 { return name }
    "{name}[{text.join(("{int(at)}" for at in unravel_index(i, shape)), ", ")}]"
}

test "nuts draws from a normal distribution, with diagnostics" {
    let (center, spread) = ([1.0, -2.0], [[4.0, 1.2], [1.2, 1.0]])
    let inverse = linalg.inv(spread)
    let f = fn({x}) = -(x - center) @ inverse @ (x - center) / 2
    let r = vmap(fn(k) = nuts(k, f, {x: zeros(2)}, draws=500, warmup=300))(
        random.split(random.key(0), 4),
    )
    assert(
        r.draws.x.shape == (4, 500, 2) and
        not any(r.divergent) and
        r.inverse_mass.x.shape == (4, 2),
    )
    let x = r.draws.x.reshape(-1, 2)
    assert(allclose(mean(x, axis=0), center, atol=0.3) and allclose(cov(x.T), spread, rtol=0.3))
    assert(all(r_hat(r.draws).x < 1.03) and all(ess(r.draws).x > 300) and mean(r.accept) > 0.7)
}

test "the effective size of draws with the autocorrelation 0.5^k is a third of their number" {
    let noise = random.normal(random.key(1), (4, 2000))
    let (_, x) = scan(fn(a, e) = (a / 2 + e, a / 2 + e), noise[:, 0], noise.T)
    assert(abs(ess(x.T) * 3 / 8000 - 1) < 0.15 and abs(r_hat(x.T) - 1) < 0.01)
    assert(r_hat(x.T + 10 * arange(4)[:, none]) > 3)
    assert(isnan(ess(zeros((4, 100)))) and isnan(ess(full((2, 100), 0.1))))
}

test "a summary has a row for each number" {
    let noise = random.normal(random.key(2), (4, 500, 2, 1))
    let t = summary({a: noise[:, :, 0, 0], b: (3 + noise,)}, interval=0.5)
    assert(t.name == ("a", "b[0][0, 0]", "b[0][1, 0]"))
    assert(allclose(t.mean, [0.0, 3.0, 3.0], atol=0.1) and allclose(t.sd, 1, atol=0.1))
    assert(
        allclose(t.high - t.median, 0.674, atol=0.1) and
        allclose(t.median - t.low, 0.674, atol=0.1),
    )
    assert(allclose(t.r_hat, 1, atol=0.02) and all(t.ess > 1000))
    assert(summary(noise[..., 0]).name == ("x[0]", "x[1]"))
    assert(not attempt(summary, noise[0, 0, :, 0]).ok)
}
