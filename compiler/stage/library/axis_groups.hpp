#pragma once
#include "compiler/stage/library/library.hpp"

/// Collectives within groups of devices (`axis_index_groups`). Such a collective is built from all_gather and from
/// gathers with constant tables. So it needs no separate rules for derivatives and batching.
namespace pm::stage::library {

/// The named axes that a collective runs over. Along several axes, devices are numbered in row-major order: the index
/// along the first axis varies slowest.
struct Named {
    ir::Integers ids;
    ir::Integers sizes;
    std::int64_t size = 1; ///< product of `sizes`
};

/// The number of the current device along `axes`, as an i32.
ir::Value place_along(ops::Build& b, const Named& axes);

/// A partition of the device numbers along named axes into groups. A collective uses the members of a group in the
/// order in which the program's tuple lists them.
class AxisGroups {
  public:
    /// Reads and checks `groups`, a tuple of tuples of device numbers. If `equal` is true, raises if the groups do not
    /// all have the same size.
    AxisGroups(Stager& s, const Value& groups, Span span, std::string_view collective, const Named& axes, bool equal);

    bool one() const { return groups_.size() == 1; }
    bool equal() const { return equal_; }
    /// The size of the first group. If `equal()` is true, all groups have this size.
    std::int64_t size() const { return static_cast<std::int64_t>(groups_.front().size()); }

    /// The size of the current device's group.
    ir::Value size_here(ops::Build& b) const;
    /// The reduction of `x` over the devices of the current device's group. `reduction` is the IR operation for this
    /// reduction along axes of an array.
    ir::Value reduced(ops::Build& b, ir::Op reduction, ir::Value x) const;
    /// The values of `x` on all devices of the current device's group, stacked along a new axis 0.
    ir::Value gathered(ops::Build& b, ir::Value x) const;
    /// Each device sends `parts[i, ...]` to member number i of its group. Returns the arrays that the current device
    /// receives from the members of its group, stacked along a new axis 0.
    ir::Value received(ops::Build& b, ir::Value parts) const;

  private:
    ir::Value all(ops::Build& b, ir::Value x) const;
    ir::Value group_here(ops::Build& b) const;
    ir::Value members_here(ops::Build& b) const;

    std::string spoken_; ///< the name of the collective
    Named axes_;
    std::vector<ir::Integers> groups_;
    ir::Integers members_;  ///< the members of all groups, concatenated
    ir::Integers group_of_; ///< per device number: the number of the device's group
    ir::Integers within_;   ///< per device number: the index of the device within its group
    bool equal_ = true;
};

} // namespace pm::stage::library
