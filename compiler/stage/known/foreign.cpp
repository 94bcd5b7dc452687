#include "compiler/stage/known/foreign.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/numpy_names.hpp"
#include "compiler/syntax/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pm::stage {
namespace {

struct Foreign {
    std::string_view where;
    std::string_view name;
    std::string_view repair;
};

constexpr auto foreign_names = std::to_array<Foreign>({
#define FOREIGN(where, name, repair) {where, name, repair},
#include "compiler/stage/known/foreign.def"
#undef FOREIGN
});

bool matches(std::string_view pattern, std::string_view name) {
    if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern == name;
}

/// Lists of synonyms. Each list has the names of the same argument in different libraries.
const std::vector<std::vector<std::string_view>>& synonyms() {
    static const std::vector<std::vector<std::string_view>> groups = {
        {"rate", "learning_rate", "lr", "step_size"},
        {"axis", "axes", "dim", "dims", "dimension"},
        {"keepdims", "keepdim", "keep_dims"},
        {"shape", "size", "newshape"},
        {"key", "rng", "seed", "random_state", "generator"},
        {"dtype", "type"},
        {"b1", "beta1", "beta_1"},
        {"b2", "beta2", "beta_2"},
        {"eps", "epsilon"},
        {"momentum", "mom"},
        {"decay", "alpha", "rho"},
        {"x", "a", "arr", "input", "array", "tensor"},
        {"num", "n", "num_samples", "count", "steps"},
        {"minval", "low", "a_min", "min"},
        {"maxval", "high", "a_max", "max"},
        {"repeats", "reps"},
        {"loc", "mean", "mu"},
        {"scale", "std", "sigma", "stddev"},
        {"norm", "max_norm"},
        {"steps", "transition_steps", "decay_steps", "num_steps"},
        {"value", "init_value", "fill_value"},
        {"factor", "decay_rate", "gamma"},
        {"logits", "predictions", "inputs"},
        {"labels", "targets", "target"},
        {"train", "training", "is_training"},
        {"tree", "t", "pytree"},
        {"init", "initial", "start", "initializer"},
    };
    return groups;
}

std::vector<std::string_view> parts_of_path(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        parts.push_back(path.substr(0, dot));
        path.remove_prefix(std::min(path.size(), dot + 1));
    }
    return parts;
}

bool has_function(std::string_view module, std::string_view name) {
    const auto text = embedded_module(module);
    return text && (text->find(fmt::format("\nfn {}(", name)) != std::string_view::npos ||
                    text->find(fmt::format("\nlet {} ", name)) != std::string_view::npos);
}

} // namespace

std::string_view foreign_name(std::string_view where, std::string_view name) {
    for (const Foreign& f : foreign_names)
        if (f.where == where && matches(f.name, name)) return f.repair;
    return {};
}

std::string_view foreign_kind(const Value& v) {
    if (v.is_numeric()) return "array";
    if (v.record()) return "record";
    if (v.tuple()) return "tuple";
    if (v.text() || v.text_template()) return "text";
    if (v.function() && v.function()->native()) return v.function()->native()->name;
    return "value";
}

bool foreign_module(std::string_view name) {
    for (const std::string_view module : {"np", "jnp", "jax", "lax", "numpy", "torch", "scipy", "optax", "flax", "jsp",
                                          "jnn", "jrandom", "tf", "F", "math", "pd", "pandas"})
        if (module == name) return true;
    return false;
}

std::string repair_of_path(std::string_view path, const std::vector<const NearNames*>& globals) {
    const std::vector<std::string_view> parts = parts_of_path(path);
    if (parts.size() < 2) return {};
    const std::string_view name = parts.back();
    // The name of the module in the standard library that corresponds to the module in the path. Some modules have
    // another name in the standard library.
    std::string_view module = parts.size() > 2 ? parts[parts.size() - 2] : parts.front();
    if (module == "optax") module = "optim";
    if (module == "jrandom") module = "random";
    if (module == "jnn" || module == "F") module = "nn";
    if (module == "tree_util") module = "tree";
    if (module == "re") module = "regex";
    if (embedded_module(module)) {
        if (has_function(module, name)) return fmt::format("write {}.{}", module, name);
        if (const auto repair = foreign_name(module, name); !repair.empty()) return std::string(repair);
    }
    if (const std::string_view dtype = dtype_of_numpy(name); !dtype.empty())
        return fmt::format("the dtype is called {}", dtype);
    const auto holds = [&](const NearNames* list) { return list->contains(name); };
    if (std::any_of(globals.begin(), globals.end(), holds) || syntax::transform_named(name))
        return fmt::format("write {}", name);
    if (const auto repair = foreign_name("", name); !repair.empty()) return std::string(repair);
    for (const std::string_view other : offered_modules())
        if (has_function(other, name)) return fmt::format("write {}.{}", other, name);
    return {};
}

std::string argument_meant(std::string_view name, const std::vector<std::string>& parameters) {
    for (const auto& group : synonyms()) {
        if (std::find(group.begin(), group.end(), name) == group.end()) continue;
        for (const std::string& parameter : parameters)
            if (std::find(group.begin(), group.end(), parameter) != group.end()) return parameter;
    }
    return nearest(name, parameters);
}

} // namespace pm::stage
