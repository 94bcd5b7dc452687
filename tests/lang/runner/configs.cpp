#include "tests/lang/runner/configs.hpp"

#include <algorithm>

namespace pm::lang {
namespace {

const std::string no_fusion = "--no-fuse";
const std::string no_simplification = "--skip=simplify";
const std::string one_worker = "--workers=1";
const std::string narrow_vectors = "--vector-bits=128";
const std::string cut_functions = "--function-size=40";
const std::string plain_code = "--plain-code";

} // namespace

const std::vector<Config>& configs() {
    // `compiled` is the default configuration. It runs twice, the second time without compilation. The evaluated, mixed
    // and GPU configurations check the IR and the plan after every step. Each pair of switches is on together in one of
    // mixed-1 to mixed-3. mixed-4 has the default passes.
    static const std::vector<Config> all = {
        {"compiled", {}, {}, 2},
        {"evaluate", {}, {"--evaluate", "--verify"}},
        {"mixed-1", {no_simplification, one_worker, narrow_vectors, cut_functions}, {"--verify"}},
        {"mixed-2", {no_fusion, one_worker, cut_functions, plain_code}, {"--verify"}},
        {"mixed-3", {no_fusion, no_simplification, narrow_vectors, plain_code}, {"--verify"}},
        {"mixed-4", {narrow_vectors, cut_functions, plain_code}, {"--verify"}},
        {"gpu-emulated", {}, {"--deterministic", "--precision=highest", "--verify", plain_code}, 1, "gpu-emulated"},
        {"gpu", {}, {"--deterministic", "--precision=highest", "--verify"}, 1, "gpu"},
        {"gpu-emulated-any-order", {}, {"--precision=highest", plain_code}, 1, "gpu-emulated"},
        {"processes-2", {}, {"--verify"}, 1, "cpu", 2},
        {"processes-each", {}, {"--verify"}, 1, "cpu", 0},
        {"gpu-any-order", {}, {"--precision=highest"}, 1, "gpu"},
    };
    return all;
}

const Config* find_config(std::string_view name) {
    const auto found =
        std::find_if(configs().begin(), configs().end(), [&](const Config& c) { return c.name == name; });
    return found == configs().end() ? nullptr : &*found;
}

std::string kind_of(const Config& config) { return config.name.starts_with("mixed-") ? "mixed" : config.name; }

Config with_switch(const Config& config, const std::string& only) {
    Config one = config;
    one.switches.clear();
    if (!only.empty()) one.switches.push_back(only);
    return one;
}

} // namespace pm::lang
