# If a number is outside of a library function's documented range, the message has the argument's name and the rule.
# session: yes
signal.firwin(7, 1.5)
signal.firwin(7, -0.2)
signal.firwin(7, 600.0, fs=1000.0)
jit(fn(c) = signal.firwin(7, c))(1.0)
signal.firwin(7, (0.2, 0.4))
signal.lfilter([1.0], [0.0, 1.0], [1.0, 2.0])
signal.sosfilt([[1.0, 0.0, 0.0, 0.0, 0.5, 0.0]], ones(4))
signal.gaussian(5, 0.0)
signal.savgol_coeffs(5, 2, delta=0.0)
signal.square([0.1, 0.2], 1.5)
signal.sawtooth([0.1, 0.2], -0.5)
signal.chirp([0.1], 1.0, 0.0, 2.0)
signal.chirp([0.1], -1.0, 1.0, 2.0, method="logarithmic")
random.uniform(random.key(0), 3, minval=2.0, maxval=1.0)
random.bernoulli(random.key(0), 1.5, (3,))
random.bernoulli(random.key(0), [0.5, -0.5])
random.choice(random.key(0), [1, 2], (2,), p=[-0.5, 1.5])
random.truncated_normal(random.key(0), 1.0, 1.0)
random.triangular(random.key(0), 0.0, 2.0, 1.0)
random.geometric(random.key(0), 1.5)
random.gamma(random.key(0), -1.0)
random.poisson(random.key(0), -1.0)
random.pareto(random.key(0), 0.0)
random.weibull_min(random.key(0), 1.0, 0.0)
nn.dropout(random.key(0), ones(3), 1.5)
nn.smooth_labels([0.0, 1.0], 2.0)
ode.odeint(fn(y, t) = -y, 1.0, [0.0, 1.0], rtol=-1.0)
ode.odeint(fn(y, t) = -y, 1.0, [0.0, 1.0], most=0)
quantile([1.0, 2.0], 1.5)
percentile([1.0, 2.0], 150)
nanquantile([1.0, nan], -0.5)
nanpercentile([1.0, nan], 101)
histogram([1.0, 2.0], bins=0)
histogram([1.0, 2.0], range=(3, 1))
geomspace(-1.0, 1.0, 4)
gradient([1.0])
diff([1, 2, 3], n=-1)
array_split(arange(5), 0)
vander([1, 2], 0)
one_hot([0, 1], -2)
unravel_index(10, (2, 3))
text.repeat("a", -1)
optim.adam(0.1, b1=1.5)
optim.clip_by_global_norm(ones(3), 0.0)
optim.clip_by_value(ones(3), -1.0)
stats.entropy([0.5, 0.5], base=-1.0)
quantile(ones(3), arange(30) / 10)
jit(fn(q) = quantile(ones(3), q))(arange(30) / 10)
compress([true, false, true], [1, 2])

# error: PM0503
# message: the `cutoff` of `signal.firwin` must lie between 0 and fs / 2, the highest frequency there is, got 1.5
# error: PM0503
# message: the `cutoff` of `signal.firwin` must lie between 0 and fs / 2, the highest frequency there is, got -0.2
# error: PM0503
# message: the `cutoff` of `signal.firwin` must lie between 0 and fs / 2, the highest frequency there is, got 600.0
# error: PM0503
# message: the `cutoff` of `signal.firwin` must lie between 0 and fs / 2, the highest frequency there is, got 1.0
# error: PM0504
# message: the `cutoff` of `signal.firwin` must be one number, got a tuple of 2
# error: PM0503
# message: the first element of the `a` of `signal.lfilter`, by which all are divided, must not be 0, got 0.0
# error: PM0503
# message: the first element of the `a` of `signal.lfilter`, by which all are divided, must not be 0, got 0.0
# error: PM0503
# message: the `std` of `signal.gaussian` must be above 0, got 0.0
# error: PM0503
# message: the `delta` of `signal.savgol_coeffs` must be above 0, got 0.0
# error: PM0503
# message: the `duty` of `signal.square` must be a part of the period, from 0 to 1, got 1.5
# error: PM0503
# message: the `width` of `signal.sawtooth` must be a part of the period, from 0 to 1, got -0.5
# error: PM0503
# message: the `t1` of `signal.chirp`, when the frequency is f1, must not be 0, got 0.0
# error: PM0503
# message: the `f0` and `f1` of a logarithmic `signal.chirp` must be both above or both below 0, got -1.0 and 2.0
# error: PM0503
# message: the `minval` of `random.uniform` must be no greater than its `maxval`, got 2.0 and 1.0
# error: PM0503
# message: the `p` of `random.bernoulli` must be a probability, from 0 to 1, got 1.5
# error: PM0503
# message: the `p` of `random.bernoulli` must hold probabilities, from 0 to 1, got [0.5, -0.5]
# error: PM0503
# message: the `p` of `random.choice` must hold no number below 0, and one above, got [-0.5, 1.5]
# error: PM0503
# message: the `lower` of `random.truncated_normal` must be less than its `upper`, got 1.0 and 1.0
# error: PM0503
# message: the `mode` of `random.triangular` must lie from its `left` to its `right`, got 2.0
# error: PM0503
# message: the `p` of `random.geometric` must be a probability, from 0 to 1, got 1.5
# error: PM0503
# message: the parameters of gamma, beta, Dirichlet, chi-square and t numbers must be above 0, got -1.0
# error: PM0503
# message: the `lam` of `random.poisson`, a mean of counts, must not be below 0, got -1.0
# error: PM0503
# message: the `b` of `random.pareto` must be above 0, got 0.0
# error: PM0503
# message: the `concentration` of `random.weibull_min` must be above 0, got 0.0
# error: PM0503
# message: the `rate` of `nn.dropout` must be a probability, from 0 to 1, got 1.5
# error: PM0503
# message: the `alpha` of `nn.smooth_labels` must be a probability, from 0 to 1, got 2.0
# error: PM0503
# message: the `rtol` and `atol` of `ode.odeint` must not be below 0, got -1.0
# error: PM0503
# message: the `most` of `ode.odeint` must be an integer of at least 1, got 0
# error: PM0503
# message: the `q` of `quantile` must lie from 0 to 1, got 1.5
# error: PM0503
# message: the `q` of `percentile` must lie from 0 to 100, got 150
# error: PM0503
# message: the `q` of `nanquantile` must lie from 0 to 1, got -0.5
# error: PM0503
# message: the `q` of `nanpercentile` must lie from 0 to 100, got 101
# error: PM0504
# message: the `bins` of a histogram must be an integer of at least 1, got 0
# error: PM0503
# message: the `range` of a histogram must go from its least to its greatest number, got 3 and 1
# error: PM0503
# message: the ends of `geomspace` must be both above or both below 0, got -1.0 and 1.0
# error: PM0504
# message: `gradient` needs two elements at least along axis 0, got f32[1]
# error: PM0504
# message: the `n` of `diff` must be an integer of at least 0, got -1
# error: PM0504
# message: the number of parts of `array_split` must be an integer of at least 1, got 0
# error: PM0504
# message: the `N` of `vander` must be an integer of at least 1, got 0
# error: PM0504
# message: the `num_classes` of `one_hot` must be an integer of at least 0, got -2
# error: PM0503
# message: a place of `unravel_index` must lie within the shape, got 10
# error: PM0504
# message: the `n` of `text.repeat` must be an integer of at least 0, got -1
# error: PM0503
# message: the `b1` of `optim.adam` must lie from 0 to less than 1, got 1.5
# error: PM0503
# message: the `norm` of `optim.clip_by_global_norm` must be above 0, got 0.0
# error: PM0503
# message: the `limit` of `optim.clip_by_value` must be above 0, got -1.0
# error: PM0503
# message: the `base` of `stats.entropy` must be above 0, got -1.0
# error: PM0503
# message: the `q` of `quantile` must lie from 0 to 1, at [11] got 1.1
# error: PM0503
# message: the `q` of `quantile` must lie from 0 to 1, at [11] got 1.1
# error: PM0503
# message: the mask of `compress` is true at places past the 2 elements of x
