#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pm::lang {

/// One way to run all programs. Every configuration must print the same output.
struct Config {
    std::string name;
    std::vector<std::string> switches; ///< options of `pm` that are independent of each other
    std::vector<std::string> options;  ///< other options
    int runs = 1;                      ///< number of runs in a row; the second takes all code from the cache
    std::string devices = "cpu";       ///< the kind of the devices
    /// The number of processes, each with an equal part of the devices. 0: one for each device. If it is not 1, only
    /// files that name numbers of devices are run, on the numbers that can be divided.
    int processes = 1;
};

const std::vector<Config>& configs();

/// The configuration of that name. Null if there is none.
const Config* find_config(std::string_view name);

/// The kind that `# configs:` names: `mixed` for names with the prefix `mixed-`, else the name itself.
std::string kind_of(const Config& config);

/// The same configuration with only one of its switches; empty: without any.
Config with_switch(const Config& config, const std::string& only);

} // namespace pm::lang
