#pragma once
#include "compiler/stage/library/library.hpp"

/// Collectives within groups of devices (`axis_index_groups`). They consist of all_gather and of gathers with constant
/// tables, so they need no separate rules for derivatives and batching.
namespace pm::stage::library {

/// The axes that a collective runs over. Devices are numbered along several axes in row-major order: the index along
/// the first axis varies slowest.
struct Named {
    ir::Integers ids;
    ir::Integers sizes;
    std::int64_t size = 1; ///< product of `sizes`
};

/// The current device's index along the axes, as an i32.
ir::Value place_along(ops::Build& b, const Named& axes);

/// A partition of the indices along an axis into groups. A collective uses the members of a group in the order of the
/// program's tuple.
class AxisGroups {
  public:
    /// Reads and checks tuples of indices. With `equal`, all groups must have the same size.
    AxisGroups(Stager& s, const Value& groups, Span span, std::string_view collective, const Named& axes, bool equal);

    bool one() const { return groups_.size() == 1; }
    bool equal() const { return equal_; }
    /// The size of the first group. If `equal()`, all groups have this size.
    std::int64_t size() const { return static_cast<std::int64_t>(groups_.front().size()); }

    /// The size of the current device's group.
    ir::Value size_here(ops::Build& b) const;
    /// The reduction of x over the devices of the current device's group. `reduction` is the IR operation that reduces
    /// along axes.
    ir::Value reduced(ops::Build& b, ir::Op reduction, ir::Value x) const;
    /// The values of x on all devices of the current device's group, stacked along a new axis 0.
    ir::Value gathered(ops::Build& b, ir::Value x) const;
    /// On each device, parts[i, ...] is the part for member i of the device's group. The result has the parts that all
    /// members of the current device's group have for the current device, stacked along a new axis 0.
    ir::Value received(ops::Build& b, ir::Value parts) const;

  private:
    ir::Value all(ops::Build& b, ir::Value x) const;
    ir::Value group_here(ops::Build& b) const;
    ir::Value members_here(ops::Build& b) const;

    std::string spoken_; ///< the name of the collective
    Named axes_;
    std::vector<ir::Integers> groups_;
    ir::Integers members_;  ///< the groups, concatenated
    ir::Integers group_of_; ///< per index along the axis: the number of its group
    ir::Integers within_;   ///< per index along the axis: its index within its group
    bool equal_ = true;
};

} // namespace pm::stage::library
