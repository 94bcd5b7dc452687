// A C++ program that trains a small network. The parameters, the data and the loop are the host's; the loss and its
// derivative come from loss.pm, compiled at the first call. Prints the loss every 1000 steps.
#include <polymap/pm.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int samples = 64;
constexpr int hidden = 16;

/// One parameter: the host's memory, its axes, and where its derivative goes.
struct Parameter {
    pm::Sizes shape;
    std::vector<float> values, gradient;

    Parameter(pm::Sizes sizes, float scale) : shape(std::move(sizes)) {
        std::size_t count = 1;
        for (const auto size : shape) count *= static_cast<std::size_t>(size);
        for (std::size_t i = 0; i < count; ++i) values.push_back(scale * std::sin(static_cast<float>(7 * i + 1)));
        gradient.resize(count);
    }
    pm::View view() const { return {values, shape}; }
    pm::MutableView gradient_view() { return {gradient, shape}; }
};

int fail(const pm::Problem& problem) {
    std::fprintf(stderr, "%s", problem.text.c_str());
    return 1;
}

} // namespace

int main() {
    const auto engine =
        pm::Engine::create({.output = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }});
    if (!engine) return fail(engine.problem());
    const auto module = engine->load_file(LOSS_FILE);
    if (!module) return fail(module.problem());
    const auto step = module->function("step"); // looked up once
    if (!step) return fail(step.problem());

    std::vector<float> x, y;
    for (int i = 0; i < samples; ++i) {
        x.push_back(static_cast<float>(i) / samples * 6 - 3);
        y.push_back(std::sin(x.back()));
    }
    Parameter w_hidden({1, hidden}, 1), b_hidden({hidden}, 1), w_out({hidden, 1}, 0.3F), b_out({1}, 0);
    // Nothing is copied here: the values show the host's memory, which is read anew at each call.
    const auto pair = [](const Parameter& a, const Parameter& b) {
        return pm::Value::record({{"hidden", a.view()}, {"out", b.view()}});
    };
    const pm::Value arguments[] = {pm::Value::record({{"w", pair(w_hidden, w_out)}, {"b", pair(b_hidden, b_out)}}),
                                   pm::View(x, {samples, 1}), pm::View(y, {samples, 1})};

    float loss = 0;
    // The leaves of the result (loss, {w: {hidden, out}, b: {hidden, out}}): items in order, fields by name.
    const pm::MutableView results[] = {
        {&loss, {}}, b_hidden.gradient_view(), b_out.gradient_view(), w_hidden.gradient_view(), w_out.gradient_view()};
    for (int iteration = 0; iteration <= 6000; ++iteration) {
        if (const auto done = step->call_into(results, arguments); !done) return fail(done.problem());
        for (Parameter* p : {&w_hidden, &b_hidden, &w_out, &b_out})
            for (std::size_t i = 0; i < p->values.size(); ++i) p->values[i] -= 0.07F * p->gradient[i];
        if (iteration % 1000 == 0) std::printf("step %4d  loss %.5f\n", iteration, static_cast<double>(loss));
    }
    std::printf("%s\n", loss < 0.01F ? "learned sin(x)" : "not learned");
    return loss < 0.01F ? 0 : 1;
}
