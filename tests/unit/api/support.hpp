#pragma once
#include "compiler/api/pm.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace pm_test {

/// Both values of Config::interpret: false is the compiler, true the reference interpreter.
inline constexpr std::array both{false, true};

/// An engine, and the text that programs of the engine have printed.
struct Host {
    std::shared_ptr<std::string> printed = std::make_shared<std::string>();
    pm::Engine engine;

    explicit Host(pm::Config config = {}) : engine(make(std::move(config))) {}
    pm::Module load(std::string_view text) { return engine.load_text(text).value(); }

  private:
    pm::Engine make(pm::Config config) {
        if (!config.output) config.output = [to = printed](std::string_view text) { *to += text; };
        return pm::Engine::create(std::move(config)).value();
    }
};

} // namespace pm_test
