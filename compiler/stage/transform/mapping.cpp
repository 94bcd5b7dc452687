// Calls of vmap(f) and pmap(f): determines the mapped axes of the arguments and results.
#include "compiler/stage/transform/mapping.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/call/staging.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/known/options.hpp"
#include "compiler/stage/transform/devices.hpp"
#include "compiler/stage/transform/prefix_axes.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/transform/divergence.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

namespace {

/// A call of vmap(f) or pmap(f). Finds the mapped leaves and the size of the mapped axis, and stages the body for one
/// slice.
class Mapping {
  public:
    Mapping(Stager& s, const Transformed& t, Call call) : s_(s), t_(t), call_(std::move(call)) {}

    Value vmap() {
        read_axes();
        read_size();
        const StagedFunction f = stage("vmap", slice_shapes(false), {});
        std::vector<bool> batched;
        std::vector<Value> operands;
        collect(f, [&](std::size_t leaf) {
            batched.push_back(axes_[leaf].has_value());
            operands.push_back(axes_[leaf] ? to_front(leaves_.all[leaf], *axes_[leaf]) : leaves_.all[leaf]);
        });
        for (const Value& c : f.captures) {
            batched.push_back(false);
            operands.push_back(c);
        }
        const transform::Batched made = transform::batch(f.block, batched, size_, axis_id_);
        verified(s_, made.block, "batch");
        std::vector<NumericType> types = f.results;
        for (std::size_t i = 0; i < types.size(); ++i)
            if (made.batched[i]) types[i].type.shape.insert(types[i].type.shape.begin(), size_);
        std::vector<Value> results = Staging(s_).apply(made.block, operands, types, call_.span);
        return place(f, [&](std::size_t i, std::optional<std::int64_t> axis, const ResultLeaf& leaf) {
            return placed(results[i], made.batched[i], axis, leaf);
        });
    }

    Value pmap() {
        read_axes();
        tiled_ = flag("tiled");
        uneven_ = flag("uneven");
        read_devices();
        read_size();
        check_devices();
        check_donated();
        const StagedFunction f = stage("pmap", slice_shapes(tiled_), static_leaves());
        std::vector<transform::AxisSet> varying;
        ir::Integers in_axes;
        std::vector<Value> operands;
        collect(f, [&](std::size_t leaf) {
            varying.push_back(axes_[leaf] ? 1U : 0U);
            in_axes.push_back(axes_[leaf].value_or(-1));
            operands.push_back(leaves_.all[leaf]);
        });
        for (const Value& c : f.captures) {
            varying.push_back(0);
            in_axes.push_back(-1);
            operands.push_back(c);
        }
        const transform::Varies varies = transform::varies(*f.block, {axis_id_}, varying);
        const std::vector<std::optional<std::int64_t>> wanted = result_axes(f);
        // Several leaves may be the same result of the block but have different out_axes. Each of these axes is then a
        // separate output.
        using Output = std::pair<std::size_t, std::optional<std::int64_t>>;
        std::vector<Output> outputs;
        ir::Integers out_axes;
        std::vector<NumericType> types;
        const auto body = std::make_shared<ir::Block>(*f.block);
        body->results.clear();
        for (std::size_t leaf = 0; leaf < f.places.size(); ++leaf) {
            if (f.places[leaf] < 0) continue;
            const auto i = static_cast<std::size_t>(f.places[leaf]);
            if (!wanted[leaf] && varies.results[i] != 0) refuse_unequal(f, i, leaf, varying);
            const Output output{i, wanted[leaf]};
            if (std::find(outputs.begin(), outputs.end(), output) != outputs.end()) continue;
            outputs.push_back(output);
            body->results.push_back(f.block->results[i]);
            out_axes.push_back(wanted[leaf] ? checked_out_axis(*wanted[leaf], f.results[i].type, {f.result, leaf})
                                            : -1);
            types.push_back(f.results[i]);
            if (!wanted[leaf]) continue;
            Shape& shape = types.back().type.shape;
            if (tiled_)
                shape[static_cast<std::size_t>(out_axes.back())] *= size_;
            else
                shape.insert(shape.begin() + out_axes.back(), size_);
        }
        ir::Attrs attrs{{ir::Attr::axis_id, axis_id_},  {ir::Attr::axis_name, name_},
                        {ir::Attr::axis_size, size_},   {ir::Attr::in_axes, in_axes},
                        {ir::Attr::out_axes, out_axes}, {ir::Attr::tiled, std::int64_t{tiled_ ? 1 : 0}}};
        if (!named_devices_.empty()) attrs.set(ir::Attr::devices, named_devices_);
        const Value made = s_.array_work(call_.span, [&] {
            ir::Values in;
            for (std::size_t i = 0; i < operands.size(); ++i)
                in.push_back(s_.use(operands[i], f.block->type(f.block->params[i]).dtype));
            const ir::Values out = s_.build().emit(ir::Op::pmap, in, attrs, {body});
            std::vector<Value> list;
            for (std::size_t i = 0; i < out.size(); ++i) list.push_back(s_.wrap(out[i], types[i].weak));
            return Value::tuple(std::move(list));
        });
        return place(f, [&](std::size_t i, std::optional<std::int64_t> axis, const ResultLeaf&) {
            const auto at = std::find(outputs.begin(), outputs.end(), Output{i, axis});
            return made.tuple()->items[static_cast<std::size_t>(at - outputs.begin())];
        });
    }

  private:
    std::string caller() const { return std::string(name(t_.kind)); }
    const Value& function() const { return t_.function(); }

    bool flag(const std::string& name) {
        const Value* v = option(t_, name);
        return v && !v->is_none() && need_bool(s_, *v, call_.span, name);
    }

    void read_axes() {
        leaves_ = call_leaves(call_);
        axes_.assign(leaves_.arguments.empty() ? leaves_.named_begin : leaves_.arguments.front().first, std::nullopt);
        const Value* spec = option(t_, "in_axes");
        const Value all = spec ? *spec : Value::integer(0);
        if (const Tuple* list = all.tuple()) {
            if (list->items.size() != call_.arguments.size())
                raise(diagnose(
                    Diag::bad_axes, call_.span, "in_axes", caller(), printed(all),
                    fmt::format("it has {:entry|entries}, but the call has {:positional argument|positional arguments}",
                                Count{list->items.size()}, Count{call_.arguments.size()})));
            for (std::size_t i = 0; i < call_.arguments.size(); ++i)
                prefix_axes(list->items[i], call_.arguments[i], argument_axes(i), axes_);
        } else {
            for (std::size_t i = 0; i < call_.arguments.size(); ++i)
                prefix_axes(all, call_.arguments[i], argument_axes(i), axes_);
        }
        for (const std::size_t a : static_arguments()) {
            if (all.tuple() && !all.tuple()->items[a].is_none())
                raise(diagnose(Diag::bad_axes, call_.span, "in_axes", caller(), printed(all),
                               fmt::format("{} is static, and has no axis", argument_text(function(), a, "")))
                          .fix(fmt::format("write `none` at place {}", a)));
            for (std::size_t leaf = leaves_.arguments[a].first; leaf < leaves_.arguments[a].second; ++leaf)
                axes_[leaf].reset();
        }
        // Named arguments are mapped along axis 0, as in JAX.
        while (axes_.size() < leaves_.all.size()) axes_.push_back(0);
        for (std::size_t leaf = 0; leaf < axes_.size(); ++leaf) {
            if (!axes_[leaf]) continue;
            const Type& type = numeric_type(leaves_.all[leaf]).type;
            const std::int64_t axis = *axes_[leaf];
            if (axis < -type.rank() || axis >= type.rank()) {
                auto d = diagnose(Diag::map_axis_range, leaf_place(leaf), caller(), axis, leaf_name(leaf),
                                  Count{type.rank()});
                if (leaf >= leaves_.named_begin)
                    raise(std::move(d).fix(
                        "a named argument is cut along axis 0: give it by its position, with `none` in in_axes"));
                if (type.dtype == DType::key && type.rank() == 0)
                    raise(std::move(d).fix("give every slice a key of its own: random.split(key, 4) has four of them"));
                if (type.rank() == 0)
                    raise(std::move(d).fix("give every slice the same number: in_axes=none for this argument"));
                raise(std::move(d).fix(
                    fmt::format("use an axis from {} to {}, or `none` to give every slice the whole of it",
                                -type.rank(), type.rank() - 1)));
            }
            axes_[leaf] = axis < 0 ? axis + type.rank() : axis;
        }
    }

    /// Sets `by_rows` to false in the arguments that are sliced along axis 0, because axis 0 of a slice is another
    /// axis.
    void drop_rows() {
        if (tiled_) return;
        for (std::size_t a = 0; a < call_.arguments.size(); ++a) {
            const auto [begin, end] = leaves_.arguments[a];
            const auto first = axes_.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto last = axes_.begin() + static_cast<std::ptrdiff_t>(end);
            if (std::find(first, last, std::optional<std::int64_t>(0)) != last)
                call_.arguments[a] = without_rows(call_.arguments[a]);
        }
        for (auto& [name, value] : call_.named) value = without_rows(value);
    }

    std::vector<std::size_t> static_arguments() {
        return argument_numbers(s_, t_, "static_broadcasted_argnums", call_.arguments.size(), call_.span);
    }

    void check_donated() {
        const std::vector<std::size_t> fixed = static_arguments();
        for (const std::size_t a : argument_numbers(s_, t_, "donate_argnums", call_.arguments.size(), call_.span))
            if (std::find(fixed.begin(), fixed.end(), a) != fixed.end())
                raise(diagnose(Diag::bad_axes, call_.span, "donate_argnums", caller(), a,
                               "the argument is one of static_broadcasted_argnums, and a constant has no memory"));
    }

    std::set<std::size_t> static_leaves() {
        std::set<std::size_t> out;
        for (const std::size_t a : static_arguments()) {
            const auto [begin, end] = leaves_.arguments[a];
            for (std::size_t leaf = begin; leaf < end; ++leaf) out.insert(leaf);
        }
        return out;
    }

    AxesOf argument_axes(std::size_t i) const {
        return {"in_axes", caller(), call_.span,
                [this, i](const std::string& path) { return argument_text(function(), i, path); }, all_leaves};
    }

    /// A description, for messages, of the part of the result at `path`.
    static std::string result_text(const std::string& path) {
        return path.empty() ? "the result" : fmt::format("result `{}`", path);
    }
    /// A leaf of the result, for messages. The path of the leaf is computed only if a message needs it.
    struct ResultLeaf {
        const Value& result;
        std::size_t leaf;
        std::string text() const { return result_text(leaf_path(result, leaf)); }
    };

    std::string leaf_name(std::size_t leaf) const {
        for (std::size_t a = 0; a < leaves_.arguments.size(); ++a)
            if (leaf >= leaves_.arguments[a].first && leaf < leaves_.arguments[a].second)
                return fmt::format(
                    "{}, {}",
                    argument_text(function(), a, leaf_path(call_.arguments[a], leaf - leaves_.arguments[a].first)),
                    ir::to_string(numeric_type(leaves_.all[leaf]).type));
        return fmt::format("a named argument, {}", ir::to_string(numeric_type(leaves_.all[leaf]).type));
    }

    /// The position of the argument that contains this leaf.
    Span leaf_place(std::size_t leaf) const {
        for (std::size_t a = 0; a < leaves_.arguments.size(); ++a)
            if (leaf >= leaves_.arguments[a].first && leaf < leaves_.arguments[a].second)
                return s_.places().argument(call_.span, a);
        std::size_t end = leaves_.named_begin;
        for (const auto& [name, value] : call_.named) {
            end += all_leaves(value).size();
            if (leaf >= leaves_.named_begin && leaf < end) return s_.places().argument(call_.span, name);
        }
        return call_.span;
    }

    /// The suggestion to pass the whole argument to all slices.
    std::string whole_argument(std::size_t leaf) const {
        std::string axes;
        for (const auto& [first, end] : leaves_.arguments) {
            const bool mapped = first < end && axes_[first] && (leaf < first || leaf >= end);
            axes += (axes.empty() ? "" : ", ") + (mapped ? fmt::format("{}", *axes_[first]) : std::string("none"));
        }
        if (leaves_.arguments.size() < 2 || leaf >= leaves_.named_begin)
            return "or give what every slice gets whole as an argument of its own, with `none` in in_axes";
        return fmt::format("or give every slice the whole of it: in_axes=({})", axes);
    }

    std::int64_t leaf_size(std::size_t leaf) const {
        return numeric_type(leaves_.all[leaf]).type.shape[static_cast<std::size_t>(*axes_[leaf])];
    }

    void read_devices() {
        named_devices_ = asked_devices(s_, option(t_, "devices"), option_place(t_, "devices", call_.span));
        devices_ = named_devices_.empty() ? s_.host().devices : static_cast<std::int64_t>(named_devices_.size());
    }

    void read_size() {
        std::optional<std::int64_t> given;
        if (const Value* v = option(t_, "axis_size"); v && !v->is_none()) {
            given = need_integer(s_, *v, call_.span, fmt::format("the `axis_size` of `{}`", caller()));
            if (*given < 1)
                raise(diagnose(Diag::bad_axes, call_.span, "axis_size", caller(), *given, "it is at least 1"));
        }
        std::optional<std::int64_t> found;
        std::size_t first = 0;
        for (std::size_t leaf = 0; leaf < axes_.size(); ++leaf) {
            if (!axes_[leaf]) continue;
            const std::int64_t n = leaf_size(leaf);
            if (tiled_) {
                found = given.value_or(devices_);
                if (n % *found != 0) refuse_leaf(leaf, n, *found, given ? Parts::Kind::blocks : Parts::Kind::of_pmap);
                continue;
            }
            if (!found) {
                found = n;
                first = leaf;
            } else if (*found != n) {
                raise(diagnose(Diag::axis_sizes_differ, leaf_place(leaf), caller(),
                               fmt::format("{} along axis {} of {}, but {} along axis {} of {}", *found, *axes_[first],
                                           leaf_name(first), n, *axes_[leaf], leaf_name(leaf)))
                          .under(fmt::format("size {}", n))
                          .label(leaf_place(first), fmt::format("size {}", *found))
                          .fix(fmt::format("cut the longer one to {}", std::min(*found, n)))
                          .fix(whole_argument(leaf)));
            }
        }
        if (!found && !given) raise(unknown_size());
        if (found && given && *found != *given)
            raise(diagnose(Diag::axis_sizes_differ, leaf_place(first), caller(),
                           fmt::format("axis_size is {}, but axis {} of {} has {}", *given, *axes_[first],
                                       leaf_name(first), *found))
                      .label(call_.span, fmt::format("axis_size is {}", *given))
                      .fix(fmt::format("leave axis_size out, or give {}", *found)));
        size_ = given ? *given : *found;
        if (size_ < 1 && caller() == "pmap")
            raise(diagnose(Diag::bad_axes, call_.span, "the mapped axis", caller(), "empty",
                           "pmap needs at least one slice"));
        if (const Value* n = option(t_, "axis_name"); n && !n->is_none())
            name_ = need_text(s_, *n, call_.span, fmt::format("the `axis_name` of `{}`", caller()));
    }

    /// The reason why the number of slices is not known.
    std::string no_slices() {
        if (call_.arguments.empty() && call_.named.empty()) return "it is called without arguments";
        if (leaves_.arguments.empty() || leaves_.arguments.front().first == leaves_.all.size())
            return "no argument holds an array";
        return static_arguments().empty() ? "every argument has `none` in in_axes"
                                          : "every argument is static or has `none` in in_axes";
    }

    Diagnostic unknown_size() {
        auto d = diagnose(Diag::no_mapped_argument, call_.span, caller(), no_slices());
        const Function* inner = function().function();
        const bool function_given = std::any_of(call_.arguments.begin(), call_.arguments.end(),
                                                [](const Value& v) { return v.function() != nullptr; });
        if (function_given && inner && syntax::transform_named(inner->name))
            return std::move(d).fix(fmt::format(
                "an argument is a function: meant is {0}({1}(f))(x), not {0}({1})(f)(x)", caller(), inner->name));
        const std::vector<std::string> names = needed_arguments(function());
        if (call_.arguments.empty() && call_.named.empty() && !names.empty())
            d.help.push_back(
                fmt::format("call it with what is to be cut into slices: {}({})", written(), fmt::join(names, ", ")));
        else if (const std::string axes = cutting_axes(); !axes.empty())
            d.help.push_back(fmt::format("cut an argument along its axis 0: in_axes={}", axes));
        return std::move(d).fix(fmt::format("{}say how many: axis_size={}", d.help.empty() ? "" : "or ",
                                            caller() == "pmap" ? fmt::format("{}", devices_) : "n"));
    }

    /// The source text that makes the mapped function, such as `vmap(f, in_axes=1)`, if this text is short. Otherwise
    /// "vmap(f)".
    std::string written() const {
        constexpr std::size_t most = 60;
        const std::string_view text = s_.places().in_library(t_.span) ? "" : s_.sources().text(t_.span);
        const bool shows = !text.empty() && text.size() <= most && text.find('\n') == std::string_view::npos;
        return shows ? std::string(text) : fmt::format("{}({})", caller(), name_of(function()));
    }

    /// The source text of in_axes that slice one argument: the first argument that is an array with axes and is not
    /// static. Empty if no such argument exists.
    std::string cutting_axes() {
        const std::vector<std::size_t> fixed = static_arguments();
        std::string axes;
        bool cut = false;
        for (std::size_t a = 0; a < call_.arguments.size(); ++a) {
            const bool cuts = !cut && call_.arguments[a].is_numeric() &&
                              numeric_type(call_.arguments[a]).type.rank() > 0 &&
                              std::find(fixed.begin(), fixed.end(), a) == fixed.end();
            axes += fmt::format("{}{}", a == 0 ? "" : ", ", cuts ? "0" : "none");
            cut = cut || cuts;
        }
        if (!cut) return {};
        return call_.arguments.size() == 1 ? axes : fmt::format("({})", axes);
    }

    [[noreturn]] void refuse_leaf(std::size_t leaf, std::int64_t n, std::int64_t parts, Parts::Kind kind) {
        auto d = indivisible(s_, leaf_place(leaf), axis_text(*axes_[leaf], leaf_name(leaf), n),
                             {n, parts, kind, axes_[leaf]});
        if (tiled_ && uneven_) {
            d.notes.push_back("with tiled=true every device has a block of the same shape; uneven=true is for slices");
            d.help.push_back("leave tiled=true out: then the function gets slices, and uneven=true shares them out");
        } else if (!tiled_) {
            d.help.push_back("share the slices out as they are: pmap(..., uneven=true)");
        }
        raise(std::move(d));
    }

    void check_devices() {
        if (tiled_ || uneven_ || divides_evenly(size_, devices_)) return;
        for (std::size_t leaf = 0; leaf < axes_.size(); ++leaf)
            if (axes_[leaf]) refuse_leaf(leaf, size_, devices_, Parts::Kind::of_pmap);
        raise(indivisible(s_, call_.span, fmt::format("the {} slices of axis_size", size_),
                          {size_, devices_, Parts::Kind::of_pmap, {}})
                  .fix("share the slices out as they are: pmap(..., uneven=true)"));
    }

    /// The leaves that are passed to the staged body. For each mapped leaf this is a value with the type of a slice.
    /// The other leaves are passed unchanged.
    std::vector<Value> slice_shapes(bool tiled) {
        opaque_ = std::make_shared<Context>(Context::Kind::region, nullptr, "slices");
        std::vector<Value> out;
        for (std::size_t leaf = 0; leaf < axes_.size(); ++leaf) {
            if (!axes_[leaf]) {
                out.push_back(leaves_.all[leaf]);
                continue;
            }
            NumericType t = numeric_type(leaves_.all[leaf]);
            const auto axis = static_cast<std::size_t>(*axes_[leaf]);
            if (tiled)
                t.type.shape[axis] /= size_;
            else
                t.type.shape.erase(t.type.shape.begin() + static_cast<std::ptrdiff_t>(axis));
            out.push_back(opaque_->parameter(t.type, t.weak));
        }
        return out;
    }

    Number static_number(const Value& v, std::size_t leaf) {
        if (numeric_type(v).type.rank() != 0)
            raise(diagnose(Diag::wrong_kind, leaf_place(leaf), fmt::format("what is static ({})", leaf_name(leaf)),
                           "a number, text, a function or a tree of these", describe(v))
                      .fix("leave it out of static_broadcasted_argnums; with `none` in in_axes every slice gets the "
                           "whole of it"));
        return need_number(s_, v, leaf_place(leaf), fmt::format("what is static ({})", leaf_name(leaf)));
    }

    StagedFunction stage(const std::string& kind, std::vector<Value> slices, const std::set<std::size_t>& known) {
        drop_rows();
        axis_id_ = s_.around().next_axis++;
        s_.around().axes.push_back({axis_id_, name_, size_, call_.span, kind});
        struct Pop {
            Stager& s;
            ~Pop() { s.around().axes.pop_back(); }
        } pop{s_};
        for (const std::size_t leaf : known) {
            Number n = static_number(slices[leaf], leaf);
            if (numeric_type(slices[leaf]).weak) n.dtype.reset();
            slices[leaf] = n;
        }
        return Staging(s_).leaves(call_, slices, known);
    }

    /// Visits the leaves that are parameters of the staged body, in order.
    template <class F>
    static void collect(const StagedFunction& f, const F& visit) {
        for (std::size_t leaf = 0; leaf < f.known_leaves.size(); ++leaf)
            if (!f.known_leaves[leaf]) visit(leaf);
    }

    Value to_front(const Value& v, std::int64_t axis) {
        if (axis == 0) return v;
        return s_.array_work(call_.span, [&] {
            return s_.wrap(s_.build().move_axis(s_.use(v), static_cast<int>(axis), 0), numeric_type(v).weak);
        });
    }

    std::vector<std::optional<std::int64_t>> result_axes(const StagedFunction& f) {
        const Value* spec = option(t_, "out_axes");
        std::vector<std::optional<std::int64_t>> axes;
        prefix_axes(spec ? *spec : Value::integer(0), f.result, {"out_axes", caller(), call_.span, result_text, leaves},
                    axes);
        return axes;
    }

    std::int64_t checked_out_axis(std::int64_t axis, std::int64_t rank, const ResultLeaf& leaf) {
        if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
        auto d = diagnose(Diag::bad_axes, call_.span, "out_axes", caller(), axis,
                          fmt::format("{} has {:axis|axes}", leaf.text(), Count{rank}));
        if (rank > 0) raise(std::move(d).fix(fmt::format("use an axis from {} to {}", -rank, rank - 1)));
        d.notes.push_back("with tiled=true results are laid end to end along an axis that they have");
        raise(std::move(d)
                  .fix("give it an axis of one element: [x] for x")
                  .fix("or leave tiled=true out: then results are stacked along a new axis")
                  .fix("or make it the same on every device: out_axes=none, and psum, pmean ... in the function"));
    }
    std::int64_t checked_out_axis(std::int64_t axis, const Type& result, const ResultLeaf& leaf) {
        return checked_out_axis(axis, result.rank() + (tiled_ ? 0 : 1), leaf);
    }

    [[noreturn]] void refuse_unequal(const StagedFunction& f, std::size_t result, std::size_t leaf,
                                     const std::vector<transform::AxisSet>& varying) {
        const std::string path = leaf_path(f.result, leaf);
        auto d = diagnose(Diag::unequal_output, call_.span,
                          path.empty() ? fmt::format("{}", leaf) : fmt::format("`{}`", path));
        std::size_t param = 0;
        collect(f, [&](std::size_t given) {
            if (f.block->params[param++] == f.block->results[result])
                d.label(leaf_place(given), "is split, and comes back as it is");
        });
        raise(with_reason(std::move(d), *f.block, result, {axis_id_, name_, size_, call_.span, "pmap"}, varying));
    }

    Value placed(const Value& v, bool batched, std::optional<std::int64_t> axis, const ResultLeaf& leaf) {
        if (!axis) {
            if (!batched) return v;
            raise(diagnose(Diag::bad_axes, call_.span, "out_axes", caller(), "none",
                           fmt::format("{} differs from element to element", leaf.text()))
                      .fix(name_.empty()
                               ? "name the axis and combine over it: vmap(..., axis_name=\"i\"), and pmean(..., \"i\")"
                                 " in the function"
                               : fmt::format("combine it: pmean(..., \"{}\")", name_))
                      .fix("or keep one per element: out_axes=0 for it"));
        }
        return s_.array_work(call_.span, [&] {
            auto& b = s_.build();
            ir::Value x = s_.use(v);
            const std::int64_t rank = b.rank(x) + (batched ? 0 : 1);
            const std::int64_t at = checked_out_axis(*axis, rank, leaf);
            if (!batched) {
                Shape shape = b.shape(x);
                ir::Integers dims;
                for (std::int64_t d = 0; d < rank; ++d)
                    if (d != at) dims.push_back(d);
                shape.insert(shape.begin() + at, size_);
                x = b.broadcast(x, shape, dims);
            } else {
                x = b.move_axis(x, 0, static_cast<int>(at));
            }
            return s_.wrap(x, numeric_type(v).weak);
        });
    }

    /// The result of the call, with `by_rows` false. A leaf that is a known number and has an out axis is broadcast.
    /// Other leaves are replaced by the value of `leaf_of(result, axis, leaf)`.
    Value place(const StagedFunction& f,
                const std::function<Value(std::size_t, std::optional<std::int64_t>, const ResultLeaf&)>& leaf_of) {
        const std::vector<std::optional<std::int64_t>> axes = result_axes(f);
        std::size_t leaf = 0;
        return map_leaves(without_rows(Staging(s_).result_of(f)), [&](const Value& v) {
            const std::size_t i = leaf++;
            const ResultLeaf here{f.result, i};
            if (f.places[i] >= 0) return leaf_of(static_cast<std::size_t>(f.places[i]), axes[i], here);
            if (!axes[i]) return v;
            return placed(v, false, checked_out_axis(*axes[i], numeric_type(v).type, here), here);
        });
    }

    Stager& s_;
    const Transformed& t_;
    Call call_; ///< the call of the mapped function
    CallLeaves leaves_;
    std::vector<std::optional<std::int64_t>> axes_;
    std::int64_t size_ = 0;
    std::int64_t axis_id_ = -1;
    std::string name_;
    bool tiled_ = false;
    bool uneven_ = false;
    ir::Integers
        named_devices_; ///< the numbers of the devices in the option `devices`; empty if the pmap uses all devices
    std::int64_t devices_ = 1;
    std::shared_ptr<Context> opaque_;
};

} // namespace

Value map_call(Stager& s, const Transformed& t, Call call) {
    Mapping mapping(s, t, std::move(call));
    return t.kind == Transformation::vmap ? mapping.vmap() : mapping.pmap();
}

} // namespace pm::stage
