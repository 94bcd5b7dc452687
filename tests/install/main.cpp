// A minimal host. The installed header compiles alone, no other library is linked, a program runs on two devices, and
// an error is returned as a value.
#include <polymap/pm.hpp>

#include <cstdio>
#include <vector>

int main() {
    const auto engine = pm::Engine::create({.devices = 2});
    if (!engine) return std::puts(engine.problem().text.c_str()), 1;
    const auto module = engine->load_text("fn loss(w, x) = mean((x @ w) ** 2)\n"
                                          "let step = pmap(fn(w, x) = pmean(grad(loss)(w, x), \"i\"), axis_name=\"i\", "
                                          "in_axes=(none, 0), out_axes=none)\n");
    if (!module) return std::puts(module.problem().text.c_str()), 1;
    const auto step = module->function("step");
    if (!step) return std::puts(step.problem().text.c_str()), 1;

    const std::vector<float> w{1, 2}, x{1, 0, 0, 1, 1, 1, 2, 0};
    const auto gradient = (*step)(pm::View(w, {2}), pm::View(x, {2, 2, 2}));
    if (!gradient) return std::puts(gradient.problem().text.c_str()), 1;
    // x has four rows on two devices. d/dw mean((x w)^2) is x^T x w / 2 on each device, and the gradient is the mean of
    // both.
    const auto values = gradient->elements<float>();
    if (!values || values->size() != 2 || (*values)[0] != 4.0F || (*values)[1] != 2.5F)
        return std::puts(gradient->to_text().c_str()), 1;

    const auto wrong = (*step)(pm::View(w, {2}), pm::View(x, {8}));
    if (wrong || wrong.problem().code.empty()) return std::puts("a wrong shape gave no problem"), 1;
    return std::puts("ok"), 0;
}
