#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The name of a device, as `devices()` returns it.
std::string device_name(Stager& s, std::int64_t number);

/// The numbers of the devices that the option `devices` of a pmap requests: the first n for an integer n, those it
/// names for a tuple. Empty if the option is not given, which means all devices.
ir::Integers asked_devices(Stager& s, const Value* option, Span span);

/// Whether all devices that have slices have the same number of them.
bool divides_evenly(std::int64_t slices, std::int64_t devices);
/// Elements that must be cut into `count` equal parts.
struct Parts {
    enum class Kind : std::uint8_t {
        blocks,   ///< as many as the program says
        of_pmap,  ///< one for each device that a pmap runs on
        of_engine ///< one for each available device
    };
    std::int64_t size = 0;
    std::int64_t count = 1;
    Kind kind = Kind::of_pmap;
    std::optional<std::int64_t> axis; ///< of an array; nullopt: the option `axis_size` is the number
};
/// Text for messages: an axis of `name`, with n elements.
std::string axis_text(std::int64_t axis, const std::string& name, std::int64_t n);
/// The error that the elements, described by `what`, cannot be cut into these parts. It suggests the nearest sizes and
/// numbers of parts.
Diagnostic indivisible(Stager& s, Span place, const std::string& what, const Parts& parts);

} // namespace pm::stage
