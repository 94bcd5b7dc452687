#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The name of a device, as `devices()` returns it.
std::string device_name(Stager& s, std::int64_t number);

/// The numbers of the devices that the option `devices` of a pmap requests. For an integer n these are the first n
/// devices; for a tuple, the devices in it. Empty if the option is not given; the pmap then uses all devices.
ir::Integers asked_devices(Stager& s, const Value* option, Span span);

/// Whether all devices that have a slice have the same number of slices.
bool divides_evenly(std::int64_t slices, std::int64_t devices);
/// Elements that must be cut into `count` equal parts.
struct Parts {
    enum class Kind : std::uint8_t {
        blocks,   ///< the number is specified by the program
        of_pmap,  ///< one for each device that a pmap runs on
        of_engine ///< one for each available device
    };
    std::int64_t size = 0;
    std::int64_t count = 1;
    Kind kind = Kind::of_pmap;
    /// The axis of an array; nullopt: the elements are the slices of the option `axis_size`.
    std::optional<std::int64_t> axis;
};
/// The text for messages that describes an axis of `name` with n elements.
std::string axis_text(std::int64_t axis, const std::string& name, std::int64_t n);
/// The error that the elements, described by `what`, cannot be cut into these parts. It suggests the nearest sizes and
/// numbers of parts.
Diagnostic indivisible(Stager& s, Span place, const std::string& what, const Parts& parts);

} // namespace pm::stage
