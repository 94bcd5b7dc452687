#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The name of a device, as `devices()` gives it.
std::string device_name(Stager& s, std::int64_t number);

/// The devices that the option `devices` of a pmap asks for, by their numbers: an integer n asks for the first n, a
/// tuple for those it names. None: it says nothing, and all are meant.
ir::Integers asked_devices(Stager& s, const Value* option, Span span);

/// Whether so many slices are the same number on each device that has any.
bool lies_evenly(std::int64_t slices, std::int64_t devices);
/// Elements that are to be cut into so many equal parts.
struct Parts {
    enum class Kind : std::uint8_t {
        blocks,   ///< as many as the program says
        of_pmap,  ///< one for each device that a pmap runs on
        of_engine ///< one for each device there is
    };
    std::int64_t size = 0;
    std::int64_t count = 1;
    Kind kind = Kind::of_pmap;
    std::optional<std::int64_t> axis; ///< of an array; nothing: they are as many as axis_size says
};
/// An axis of what `name` says, of n elements, for people.
std::string axis_text(std::int64_t axis, const std::string& name, std::int64_t n);
/// That they are not, `what` they are; tells the nearest sizes and numbers of parts.
Diagnostic indivisible(Stager& s, Span place, const std::string& what, const Parts& parts);

} // namespace pm::stage
