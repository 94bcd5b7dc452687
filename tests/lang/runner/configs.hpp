#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pm::lang {

/// One way to run all programs. Every configuration must print the same.
struct Config {
    std::string name;
    std::vector<std::string> switches; ///< options of `pm` that are independent of each other
    std::vector<std::string> options;  ///< options that are no switches
    int runs = 1;                      ///< with one cache folder
    std::string devices = "cpu";       ///< the kind of the devices
};

const std::vector<Config>& configs();

/// The configuration of that name, or nullptr.
const Config* find_config(std::string_view name);

/// The kind that `# configs:` names: `mixed` for `mixed-1`, `mixed-2` and `mixed-3`, else the name itself.
std::string kind_of(const Config& config);

/// The same configuration with one of its switches alone.
Config with_switch(const Config& config, const std::string& only);

} // namespace pm::lang
