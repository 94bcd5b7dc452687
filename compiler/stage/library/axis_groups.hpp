#pragma once
#include "compiler/stage/library/library.hpp"

/// Collectives within groups of devices, `axis_index_groups`. They are built on all_gather and gathers with constant
/// tables, so they need no rules of their own for derivatives and batching.
namespace pm::stage::library {

/// The axes that a collective runs over. Several are in row-major order: the first varies slowest.
struct Named {
    ir::Integers ids;
    ir::Integers sizes;
    std::int64_t size = 1; ///< their product
};

/// The device's index along the axes, i32.
ir::Value place_along(ops::Build& b, const Named& axes);

/// A partition of the indices along an axis into groups. A collective uses the members of a group in their written
/// order.
class AxisGroups {
  public:
    /// Reads and checks tuples of indices. With `equal`, all groups must have one size.
    AxisGroups(Stager& s, const Value& groups, Span span, std::string_view collective, const Named& axes, bool equal);

    bool one() const { return groups_.size() == 1; }
    bool equal() const { return equal_; }
    /// The size of the first group; of all groups if `equal()`.
    std::int64_t size() const { return static_cast<std::int64_t>(groups_.front().size()); }

    /// The size of the device's group.
    ir::Value size_here(ops::Build& b) const;
    /// The reduction of x over the devices of the group; `reduction` is the operation that reduces along axes.
    ir::Value reduced(ops::Build& b, ir::Op reduction, ir::Value x) const;
    /// x of every device of the group along a new axis 0.
    ir::Value gathered(ops::Build& b, ir::Value x) const;
    /// Takes from x[part, ...] of every device of the group the part whose number is this device's index in the group.
    /// The parts are along a new axis 0.
    ir::Value received(ops::Build& b, ir::Value parts) const;

  private:
    ir::Value all(ops::Build& b, ir::Value x) const;
    ir::Value group_here(ops::Build& b) const;
    ir::Value members_here(ops::Build& b) const;

    std::string spoken_; ///< the name of the collective
    Named axes_;
    std::vector<ir::Integers> groups_;
    ir::Integers members_;  ///< the groups, concatenated
    ir::Integers group_of_; ///< per index along the axis: its group
    ir::Integers within_;   ///< per index along the axis: its index within its group
    bool equal_ = true;
};

} // namespace pm::stage::library
