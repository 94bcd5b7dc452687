#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The name of a device, as `devices()` returns it.
std::string device_name(Stager& s, std::int64_t number);

/// The numbers of the devices that the option `devices` of a pmap requests. An integer n requests the first n devices.
/// A tuple lists the requested devices. Empty if the option is not given. The pmap then uses all devices.
ir::Integers asked_devices(Stager& s, const Value* option, Span span);

/// Whether all devices with at least one slice get the same number of slices.
bool divides_evenly(std::int64_t slices, std::int64_t devices);
/// A division of `size` elements into `count` equal parts.
struct Parts {
    enum class Kind : std::uint8_t {
        blocks,   ///< the program specifies the number of parts
        of_pmap,  ///< one part for each device that a pmap runs on
        of_engine ///< one part for each available device
    };
    std::int64_t size = 0;
    std::int64_t count = 1;
    Kind kind = Kind::of_pmap;
    /// The axis of an array whose elements are divided. If nullopt, the elements are the slices that the option
    /// `axis_size` specifies.
    std::optional<std::int64_t> axis;
};
/// A description, for messages, of an axis of `name` with `n` elements.
std::string axis_text(std::int64_t axis, const std::string& name, std::int64_t n);
/// The error that the elements cannot be divided into these parts. `what` describes the elements. The error suggests
/// the nearest possible sizes and numbers of parts.
Diagnostic indivisible(Stager& s, Span place, const std::string& what, const Parts& parts);

} // namespace pm::stage
