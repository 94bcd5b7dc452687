// Calls of library functions with wrong arguments. Each message must name the called function and the values of
// arguments.
#include "tests/unit/stage/harness.hpp"

#include "compiler/base/diagnostic.hpp"

using namespace pm;
using namespace pm::stage;

TEST_CASE("calls of the library with arguments that do not fit") {
    struct Case {
        const char* call;
        const char* message;
    };
    static const Case cases[] = {
        {"random.uniform(k, (3,), dtype=i32)",
         "these random numbers are floats: `dtype` must be f16, bf16, f32 or f64, got i32"},
        {"random.exponential(k, dtype=u8)",
         "these random numbers are floats: `dtype` must be f16, bf16, f32 or f64, got u8"},
        {"random.choice(k, 0)", "`random.choice` has nothing to choose from: `a` is empty"},
        {"random.choice(k, 3, p=[0.1, 0.2])",
         "the `p` of `random.choice` must hold one probability for each of 3 elements, got f32[2]"},
        {"random.permutation(k, 3.5)", "the `x` of `random.permutation` must be an integer of at least 0, got 3.5"},
        {"random.randint(k, (3,), 0.5, 9)", "the bounds of `random.randint` must be integers, got f32"},
        {"random.categorical(k, zeros((2, 3)), shape=(5,))",
         "the `shape` of `random.categorical` ends in that of the logits without their axis, (2,), got (5,)"},
        {"random.multivariate_normal(k, zeros(3), eye(2))",
         "`random.multivariate_normal` needs a covariance f[..., n, n] for a mean f[..., n], got f32[2, 2] and f32[3]"},
        {"random.dirichlet(k, 1.0)", "`random.dirichlet` needs alpha f[..., n], got f32"},
        {"linalg.inv(zeros((2, 3)))", "`linalg.inv` needs a square matrix f[..., n, n], got f32[2, 3]"},
        {"linalg.cholesky(zeros(3))", "`linalg.cholesky` needs a square matrix f[..., n, n], got f32[3]"},
        {"linalg.solve(eye(3), zeros(2))",
         "`linalg.solve` needs as many rows on the right as in the matrix, got f32[2] for f32[3, 3]"},
        {"linalg.qr(2.0)", "`linalg.qr` needs a matrix f[..., m, n], got f32"},
        {"linalg.cond(zeros((0, 2)))", "`linalg.cond` of f32[0, 2] has no value: it holds no singular values"},
        {"linalg.matrix_power(eye(2), 1.5)", "the `n` of `linalg.matrix_power` must be an integer, got 1.5"},
        {"linalg.multi_dot(())", "`linalg.multi_dot` needs one matrix at least"},
        {"nn.conv(ones((4, 4)), ones((3, 3, 2, 5)))",
         "`nn.conv` needs x f[n, w, c], f[n, h, w, c] or f[n, d, h, w, c], got f32[4, 4]"},
        {"nn.conv2d(ones((1, 4, 4, 2)), ones((3, 3, 3, 5)))", "`nn.conv2d` needs a kernel f[k..., c / groups, d] "
                                                              "for x f[n, ..., c], d a multiple of groups; got f32[3, "
                                                              "3, 3, "
                                                              "5] for x f32[1, 4, 4, 2], groups 1"},
        {"nn.conv2d(ones((1, 4, 4, 2)), ones((3, 3, 2, 5)), strides=(0, 1))",
         "the `strides` of `nn.conv2d` must be an integer of at least 1, got 0"},
        {"nn.conv2d(ones((1, 2, 2, 2)), ones((3, 3, 2, 5)), padding=\"VALID\")",
         "`nn.conv2d`: a window of 3 does not fit into axis 1 of size 2"},
        {"nn.max_pool(ones((1, 4, 4, 2)), window=(2, 2, 2))",
         "the `window` of `nn.max_pool` must be a number or a tuple of 2, one for each axis of space, got (2, 2, 2)"},
        {"nn.multi_head_attention(nn.multi_head_attention_init(k, 6), ones((4, 6)), ones((4, 5)), 2)",
         "`nn.multi_head_attention` needs x f[..., n, 6] and y f[..., m, 6], got f32[4, 6] and f32[4, 5]"},
        {"nn.multi_head_attention(nn.multi_head_attention_init(k, 6), ones((4, 6)), ones((4, 6)), 4)",
         "`nn.multi_head_attention` cannot cut 6 features into 4 equal heads"},
        {"nn.mse(ones(3), ones((3, 1)))", "`nn.mse` needs two arrays of one shape, got f32[3] and f32[3, 1]"},
        {"correlate(zeros((2, 2)), zeros(2))", "`correlate` needs a vector f[n], got f32[2, 2]"},
        {"nn.he_normal(k, (3,))",
         "an initialiser by inputs and outputs needs a shape (..., inputs, outputs), got (3,)"},
        {"nn.mlp_init(k, 3)", "`nn.mlp_init` needs the sizes of two layers at least, as (784, 128, 10), got 3"},
        {"nn.attention(ones((2, 3)), ones((4, 5)), ones((4, 3)))",
         "`nn.attention` needs q f[..., n, d], k f[..., m, d] and v f[..., m, e], got f32[2, 3], f32[4, 5] and f32[4, "
         "3]"},
        {"nn.multi_head_attention(nn.multi_head_attention_init(k, 6), ones((2, 6)), ones((2, 6)), 4)",
         "`nn.multi_head_attention` cannot cut 6 features into 4 equal heads"},
        {"nn.embedding(nn.embedding_init(k, 4, 2), [0.5])",
         "`nn.embedding` needs numbers of rows, i32[...], got f32[1]"},
        {"nn.cross_entropy(ones((3, 4)), [0, 1])", "`nn.cross_entropy` needs logits f[..., n] and class numbers "
                                                   "i32[...] of the shape in front, got f32[3, 4] and i32[2]"},
        {"nn.group_norm(ones((2, 5)), 2, ones(5), ones(5))",
         "`nn.group_norm` cannot cut 5 features into 2 equal groups"},
        {"optim.linear(1.0, 0.0, 0)", "the `steps` of `optim.linear` must be at least 1, got 0"},
        {"optim.warmup_cosine(1.0, 10, 10)",
         "the `warmup` of `optim.warmup_cosine` must be from 0 to less than steps=10, got 10"},
        {"optim.piecewise_constant(1.0, (1, 2), (0.5,))",
         "`optim.piecewise_constant` needs one factor for each of 2 boundaries, got 1"},
        {"optim.sgd(\"x\")",
         "the `rate` of `optim.sgd` must be a number or a schedule, a function of the step, got str"},
        {"tree.stack(())", "`tree.stack` needs one tree at least"},
        {"tree.unstack({a: zeros(2), b: zeros(3)})",
         "`tree.unstack` needs arrays with one number of rows, got f32[2] and f32[3]"},
        {"tree.ravel({a: [1, 2]})[1](zeros(3))", "a tree of 2 elements is made of a vector of as many, got f32[3]"},
        {"ode.odeint(fn(y, t) = -y, 1.0, 2.0)", "`ode.odeint` needs times t f[n], got f32"},
        {"ode.odeint(fn(y, t) = -y, 1.0, zeros(0))", "`ode.odeint` needs one time at least: the first is that of y0"},
        {"ode.odeint(fn(y, t) = zeros(2), 1.0, [0.0, 1.0])",
         "`ode.odeint` needs a function f(y, t) whose result is like y, f32, got f32[2]"},
        {"ode.rk4(fn(y, t) = -y, 1.0, [0.0, 1.0], 0)",
         "the `steps` of `ode.rk4` must be an integer of at least 1, got 0"},
        {"data.split(zeros(3), 1.5)", "the `part` of `data.split` must be a part from 0 to 1, got 1.5"},
        {"data.shuffle(k, {a: zeros(3), b: zeros(4)})",
         "`data.shuffle` needs arrays with one number of rows, got f32[3] and f32[4]"},
        {"data.batches(zeros(3), 4)", "`data.batches` cannot make one batch of 4 from 3 rows"},
        {"data.shard(zeros(3), 2)", "`data.shard` cannot cut 3 rows into 2 equal parts"},
        {"metrics.accuracy(zeros((2, 3)), [0, 1, 2])",
         "`metrics.accuracy` needs logits f[..., n] and labels i32[...], the numbers of classes, got f32[2, 3] and "
         "i32[3]"},
        {"metrics.f1([true], [true, false])", "`metrics.f1` needs two arrays of one shape, got bool[1] and bool[2]"},
        {"stats.pearsonr([1.0, 2.0], [1.0])", "`stats.pearsonr` needs vectors of one size, got f32[2] and f32[1]"},
        {"stats.multivariate_normal_logpdf(zeros(3), zeros(2), eye(2))",
         "`stats.multivariate_normal_logpdf` needs x f[..., n], mean f[n] and cov f[n, n], got f32[3], f32[2] and "
         "f32[2, 2]"},
        {"slice(zeros((2, 3)), (1,), (2,))", "`slice` needs a start and a limit for each of 2 axes, got 1 and 1"},
        {"convolve([1.0], zeros(0))", "`convolve` needs vectors with one element at least, got f32[1] and f32[0]"},
        {"signal.convolve(zeros((2, 2)), zeros(2))", "`signal.convolve` needs a vector f[n], got f32[2, 2]"},
        {"signal.savgol_filter(zeros(9), 4, 2)",
         "`signal.savgol_filter` needs an odd window_length above polyorder, got 4 and 2"},
        {"signal.filtfilt([1.0], [1.0], zeros(2))", "`signal.filtfilt` needs more elements than padlen=3, got 2"},
        {"signal.get_window(\"hat\", 5)",
         "`signal.get_window` knows bartlett, blackman, blackmanharris, boxcar, cosine, hamming, hann, and with a "
         "parameter gaussian, general_hamming, kaiser, tukey, got hat"},
        {"signal.lfilter([1.0, 1.0], [1.0], zeros(3), zi=zeros(2))",
         "the `zi` of `signal.lfilter` must have 1 element along its axis, got f32[2]"},
        {"signal.medfilt(zeros(5), 4)", "the `kernel_size` of `signal.medfilt` must be odd, got 4"},
    };
    stage::test::Session s;
    s.run("let k = random.key(0)");
    for (const Case& c : cases) {
        CAPTURE(c.call);
        const Diagnostic d = s.error(c.call);
        CHECK(d.message == c.message);
        CHECK(s.sources().text(d.span) == c.call);
    }
}

TEST_CASE("for a misspelt name, helpers of the library are not proposed") {
    stage::test::Session s;
    CHECK(s.error("typ(1)").caret.find('_') == std::string::npos);
    CHECK(s.error("slise(1)").caret == "did you mean `slice`?");
    CHECK(s.error("i += 1").caret.empty());
    CHECK(s.error("i += 1").help == std::vector<std::string>{"declare it first: mut i = ..."});
}
