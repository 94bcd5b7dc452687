#include "compiler/stage/library/axis_groups.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/known/known.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage::library {

using ir::Attr;
using ir::Integers;
using ir::Op;

namespace {

std::vector<Integers> read_groups(Stager& s, const Value& given, Span span) {
    const auto need_tuple = [&](const Value& v) -> const std::vector<Value>& {
        if (!v.tuple())
            raise(diagnose(Diag::wrong_kind, span, "`axis_index_groups`", "a tuple of tuples of places", describe(v))
                      .fix("write groups in round brackets, ((0, 1), (2, 3)): square ones make an array"));
        return v.tuple()->items;
    };
    std::vector<Integers> groups;
    for (const Value& group : need_tuple(given)) {
        groups.emplace_back();
        for (const Value& place : need_tuple(group))
            groups.back().push_back(need_integer(s, place, span, "a place of `axis_index_groups`"));
    }
    return groups;
}

/// The groups are a partition if they contain each device number from 0 to size - 1 exactly once. If they are not a
/// partition, returns the reason. Otherwise returns "".
std::string not_a_partition(const std::vector<Integers>& groups, std::int64_t size) {
    if (groups.empty()) return "there are none";
    std::vector<bool> seen(static_cast<std::size_t>(size));
    for (const Integers& group : groups) {
        if (group.empty()) return "a group is empty";
        for (const std::int64_t place : group) {
            if (place < 0 || place >= size) return fmt::format("{} is none of them", place);
            if (seen[static_cast<std::size_t>(place)]) return fmt::format("{} is there twice", place);
            seen[static_cast<std::size_t>(place)] = true;
        }
    }
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing == seen.end()) return {};
    return fmt::format("{} is missing", missing - seen.begin());
}

/// The slice of `x` at index `at` of axis 0, without this axis. If `at` is an array of indices, the slices are stacked.
ir::Value row(ops::Build& b, ir::Value x, ir::Value at) { return b.gather(x, {at}, {0}); }

} // namespace

ir::Value place_along(ops::Build& b, const Named& axes) {
    ir::Value place;
    for (std::size_t i = 0; i < axes.ids.size(); ++i) {
        const ir::Value one = b.emit1(Op::axis_index, {}, {{Attr::axis_id, axes.ids[i]}});
        place = i == 0 ? one : b.add(b.mul(place, b.constant_i(DType::i32, axes.sizes[i])), one);
    }
    return place;
}

AxisGroups::AxisGroups(Stager& s, const Value& groups, Span span, std::string_view collective, const Named& axes,
                       bool equal)
    : spoken_(collective), axes_(axes), groups_(read_groups(s, groups, span)),
      group_of_(static_cast<std::size_t>(axes.size)), within_(static_cast<std::size_t>(axes.size)) {
    if (const std::string why = not_a_partition(groups_, axes.size); !why.empty())
        raise(diagnose(Diag::axis_groups, span, spoken_, Count{axes.size},
                       fmt::format("with every place from 0 to {} once, but {}", axes.size - 1, why)));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        equal_ = equal_ && groups_[g].size() == groups_[0].size();
        if (equal && !equal_)
            raise(diagnose(Diag::axis_groups, span, spoken_, Count{axes.size},
                           fmt::format("of one size, but they have {} and {}", groups_[0].size(), groups_[g].size())));
        members_.insert(members_.end(), groups_[g].begin(), groups_[g].end());
        for (std::size_t i = 0; i < groups_[g].size(); ++i) {
            const auto place = static_cast<std::size_t>(groups_[g][i]);
            group_of_[place] = static_cast<std::int64_t>(g);
            within_[place] = static_cast<std::int64_t>(i);
        }
    }
}

ir::Value AxisGroups::all(ops::Build& b, ir::Value x) const {
    ir::Attrs attrs{{Attr::axes, axes_.ids},
                    {Attr::axis_size, axes_.size},
                    {Attr::axis, std::int64_t{0}},
                    {Attr::tiled, std::int64_t{0}},
                    {Attr::text, spoken_}};
    if (axes_.ids.size() > 1) attrs.set(Attr::sizes, axes_.sizes);
    return b.emit1(Op::all_gather, {x}, std::move(attrs));
}

ir::Value AxisGroups::group_here(ops::Build& b) const {
    return row(b, b.table(group_of_, {axes_.size}), place_along(b, axes_));
}

ir::Value AxisGroups::members_here(ops::Build& b) const {
    if (one()) return b.table(members_, {size()}); // with one group, all devices have the same members
    return row(b, b.table(members_, {axes_.size / size(), size()}), group_here(b));
}

ir::Value AxisGroups::size_here(ops::Build& b) const {
    Integers sizes;
    for (const Integers& group : groups_) sizes.push_back(static_cast<std::int64_t>(group.size()));
    return row(b, b.table(sizes, {static_cast<std::int64_t>(sizes.size())}), group_here(b));
}

ir::Value AxisGroups::reduced(ops::Build& b, Op reduction, ir::Value x) const {
    const ir::Value values = all(b, x);
    if (equal_) {
        const ir::Value members = b.table(members_, {axes_.size / size(), size()});
        return row(b, b.reduce(reduction, row(b, values, members), {1}), group_here(b));
    }
    ir::Values each; // the result of each group, stacked along axis 0
    for (const Integers& group : groups_) {
        const ir::Value members = b.table(group, {static_cast<std::int64_t>(group.size())});
        const ir::Value own = b.reduce(reduction, row(b, values, members), {0});
        Shape shape = b.shape(own);
        shape.insert(shape.begin(), 1);
        each.push_back(b.reshape(own, std::move(shape)));
    }
    return row(b, b.concatenate(std::move(each), 0), group_here(b));
}

ir::Value AxisGroups::gathered(ops::Build& b, ir::Value x) const { return row(b, all(b, x), members_here(b)); }

ir::Value AxisGroups::received(ops::Build& b, ir::Value parts) const {
    const ir::Value own = row(b, b.table(within_, {axes_.size}), place_along(b, axes_));
    return b.gather(all(b, parts), {members_here(b), b.broadcast_scalar(own, {size()})}, {0, 1});
}

} // namespace pm::stage::library
