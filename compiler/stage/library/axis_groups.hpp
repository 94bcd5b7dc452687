#pragma once
#include "compiler/stage/library/library.hpp"

/// Collectives within groups of devices, `axis_index_groups`. They are all_gather and rows of constant tables, so that
/// derivatives and batching are those of gathers.
namespace pm::stage::library {

/// The axes that a collective runs over. Several count row by row, the first slowest.
struct Named {
    ir::Integers ids;
    ir::Integers sizes;
    std::int64_t size = 1; ///< their product
};

/// The device's place along the axes, i32.
ir::Value place_along(ops::Build& b, const Named& axes);

/// A partition of the places along an axis; what a collective moves goes in the order in which a group is written.
class AxisGroups {
  public:
    /// From tuples of places, which are checked; with `equal` they have to be of one size.
    AxisGroups(Stager& s, const Value& groups, Span span, std::string_view collective, const Named& axes, bool equal);

    bool one() const { return groups_.size() == 1; }
    bool equal() const { return equal_; }
    /// How many places the first group has: all of them where they are equal.
    std::int64_t size() const { return static_cast<std::int64_t>(groups_.front().size()); }

    /// How many places the device's group has.
    ir::Value size_here(ops::Build& b) const;
    /// x of every device of the group together, by a reduction along one axis.
    ir::Value reduced(ops::Build& b, ir::Op reduction, ir::Value x) const;
    /// x of every device of the group along a new axis 0.
    ir::Value gathered(ops::Build& b, ir::Value x) const;
    /// Of x[part, ...] of every device of the group the part that is this device's by its place in the group, along a
    /// new axis 0.
    ir::Value received(ops::Build& b, ir::Value parts) const;

  private:
    ir::Value all(ops::Build& b, ir::Value x) const;
    ir::Value group_here(ops::Build& b) const;
    ir::Value members_here(ops::Build& b) const;

    std::string spoken_; ///< the collective
    Named axes_;
    std::vector<ir::Integers> groups_;
    ir::Integers members_;  ///< the groups behind one another
    ir::Integers group_of_; ///< for each place
    ir::Integers within_;   ///< for each place its own within the group
    bool equal_ = true;
};

} // namespace pm::stage::library
