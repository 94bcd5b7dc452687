#include "compiler/plan/partition/partition.hpp"

#include "compiler/base/stop.hpp"
#include "compiler/plan/partition/nests.hpp"
#include "compiler/plan/partition/roots.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <unordered_set>

// Fusion roots become members of units in program order. A root joins an earlier unit if two conditions hold. First,
// every value that the root reads is computed by that unit or before it. Second, the loops of the unit can compute the
// root. For this, unit and root must have the same shape. Also, the root must read members of the unit only at its own
// index.

namespace pm::plan {
namespace {

constexpr std::size_t most_candidates = 6;
/// Values with at most this many elements may share a nest if they have the same shape. They need not depend on each
/// other.
constexpr std::int64_t small_elements = 16;
constexpr std::int64_t most_row_elements = 65536; ///< the greatest number of elements of a row over which a nest
                                                  ///< iterates several times
constexpr std::int64_t most_single_row = 32768;   ///< the same limit for a nest with fewer than 16 rows
/// The limit for the bytes that an epilogue reads. Measured with k = 32 and 32 MB of cache. If the arrays have 2 MB
/// each, reading 4 of them takes 0.23 ms in a product's tiles and 0.25 ms in a separate nest. If they have 6 MB each,
/// it takes 1.7 ms and 1.0 ms.
constexpr std::int64_t most_beside_product = std::int64_t{16} << 20;

class Partitioner {
  public:
    Partitioner(const Facts& facts, const PartitionOptions& options)
        : f_(facts), options_(options), roots_(find_roots(facts, options)) {
        p_.roles = roots_.roles;
        p_.bases = roots_.bases;
        p_.offsets = roots_.offsets;
        p_.unit_of.assign(facts.block.values.size(), -1);
        p_.stored.assign(facts.block.values.size(), false);
    }

    Partition run() {
        for (const Value param : f_.block.params)
            if (p_.role(param) == Role::member) place(param, nullptr); // a recipe whose value must be in memory
        for (const Inst& inst : f_.block.insts) {
            const Kind kind = kind_of(inst);
            if (kind != Kind::nest)
                kernel(kind, inst);
            else if (is_reduction(inst))
                place(inst.results[0], &inst);
            else if (p_.role(inst.results[0]) == Role::member)
                place(inst.results[0], nullptr);
        }
        if (options_.fuse)
            for (std::size_t u = 0; u < p_.units.size(); ++u) take_epilogue(u);
        find_stored();
        return std::move(p_);
    }

  private:
    // ---- the reads of an expression

    void leaves(Value v, std::set<std::uint32_t>& found, std::set<std::uint32_t>& seen) const {
        if (!seen.insert(v.id).second) return;
        if (p_.role(v) != Role::inlined) {
            found.insert(p_.base(v).id);
            return;
        }
        for (const Value operand : f_.definition(v)->operands) leaves(operand, found, seen);
    }
    /// The bases of the values that the computation of `v` reads.
    std::set<std::uint32_t> reads_of(Value v) const {
        std::set<std::uint32_t> found;
        std::set<std::uint32_t> seen;
        for (const Value operand : f_.definition(v)->operands) leaves(operand, found, seen);
        return found;
    }
    std::set<std::uint32_t> kernel_reads(const Inst& inst) const {
        std::set<std::uint32_t> found;
        std::set<std::uint32_t> seen;
        for (std::size_t i = 0; i < inst.operands.size(); ++i) {
            const Value v = kind_of(inst) == Kind::dot ? without_transposes(f_, inst.operands[i]) : inst.operands[i];
            leaves(v, found, seen);
        }
        return found;
    }

    void kernel(Kind kind, const Inst& inst) {
        Unit unit;
        unit.kind = kind;
        unit.inst = &inst;
        unit.members = inst.results;
        if (kind == Kind::dot) unit.full = f_.type(inst.results[0]).shape;
        unit.in_lanes = kind != Kind::collective && differs(inst);
        add_reads(unit, kernel_reads(inst));
        append(std::move(unit));
    }

    bool differs(const Inst& inst) const {
        if (options_.varying.empty()) return false;
        if (inst.op == Op::pmap) return false;
        // An effect takes place in each lane. Control flow around collectives runs in the driver.
        if (ir::info(inst.op).has(ir::effect)) return true;
        for (const ir::BlockPtr& region : inst.regions)
            if (needs_several_lanes(*region)) return false;
        // The driver cannot run regions that have effects or use the lane number, even if their results are equal in
        // all lanes.
        const auto of_lanes = [](const Inst& i) { return ir::info(i.op).has(ir::effect) || i.op == Op::axis_index; };
        for (const ir::BlockPtr& region : inst.regions)
            if (ir::any_inst(*region, of_lanes)) return true;
        const auto varies = [&](Value v) { return options_.varying[v.id]; };
        return std::any_of(inst.operands.begin(), inst.operands.end(), varies) ||
               std::any_of(inst.results.begin(), inst.results.end(), varies);
    }

    void add_reads(Unit& unit, const std::set<std::uint32_t>& found) {
        std::unordered_set<std::uint32_t> had;
        for (const Value v : unit.reads) had.insert(v.id);
        for (const std::uint32_t id : found)
            if (had.count(id) == 0) unit.reads.push_back(Value{id});
    }

    void append(Unit unit) {
        poll_stop();
        const auto index = static_cast<std::int32_t>(p_.units.size());
        for (const Value v : unit.members) p_.unit_of[v.id] = index;
        for (const Value v : unit.reads) readers_[v.id].push_back(index);
        p_.units.push_back(std::move(unit));
    }

    // ---- joining

    void place(Value v, const Inst* reduce) {
        const bool in_lanes = !options_.varying.empty() && options_.varying[v.id];
        const std::set<std::uint32_t> reads = reads_of(v);
        const bool parts = is_put_together(f_, *f_.definition(v));
        if (options_.fuse && !parts) {
            for (const std::int32_t candidate : candidates(v, reads, reduce)) {
                Unit& unit = p_.units[static_cast<std::size_t>(candidate)];
                if (unit.in_lanes != in_lanes || !ready_before(reads, candidate)) continue;
                if (!join(unit, v, reduce)) continue;
                p_.unit_of[v.id] = candidate;
                add_reads(unit, reads);
                std::erase_if(unit.reads, [&](Value r) { return p_.unit_of[r.id] == candidate; });
                for (const std::uint32_t r : reads)
                    if (p_.unit_of[r] != candidate) readers_[r].push_back(candidate);
                return;
            }
        }
        Unit unit;
        unit.kind = parts ? Kind::concatenate : Kind::nest;
        if (parts) unit.inst = f_.definition(v);
        unit.in_lanes = in_lanes;
        unit.members = {v};
        unit.full = reduce != nullptr ? f_.type(reduce->operands[0]).shape : f_.type(v).shape;
        if (reduce != nullptr) unit.axes = reduced_axes(*reduce);
        unit.size = probe(unit, v, reduce).value_or(0);
        add_reads(unit, reads);
        if (squeezed(unit.full).empty() || f_.type(v).elements() <= small_elements)
            small_.push_back(static_cast<std::int32_t>(p_.units.size()));
        append(std::move(unit));
    }

    /// The units that `v` may join. First come units that compute values that `v` reads. Then come units that read the
    /// same values as `v`, and last units of small values. Within each of these three groups, the latest unit comes
    /// first.
    std::vector<std::int32_t> candidates(Value v, const std::set<std::uint32_t>& reads, const Inst* reduce) const {
        std::set<std::int32_t, std::greater<>> near;
        std::set<std::int32_t, std::greater<>> siblings;
        for (const std::uint32_t r : reads) {
            if (p_.unit_of[r] >= 0) near.insert(p_.unit_of[r]);
            const auto found = readers_.find(r);
            if (found == readers_.end()) continue;
            const std::size_t first = found->second.size() - std::min(found->second.size(), most_candidates);
            siblings.insert(found->second.begin() + static_cast<std::ptrdiff_t>(first), found->second.end());
        }
        std::vector<std::int32_t> result;
        for (const std::int32_t u : near)
            if (result.size() < most_candidates) result.push_back(u);
        for (const std::int32_t u : siblings)
            if (result.size() < 2 * most_candidates && near.count(u) == 0) result.push_back(u);
        if (reduce == nullptr && f_.type(v).elements() <= small_elements)
            std::ranges::copy(small_ | std::views::reverse | std::views::take(2), std::back_inserter(result));
        return result;
    }

    /// True if unit `candidate` or an earlier unit computes each value of `reads`.
    bool ready_before(const std::set<std::uint32_t>& reads, std::int32_t candidate) const {
        return std::all_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return p_.unit_of[r] <= candidate; });
    }

    bool join(Unit& unit, Value v, const Inst* reduce) {
        if (unit.kind == Kind::dot)
            return reduce == nullptr && f_.type(v).shape == unit.full && read_beside(unit, v) &&
                   try_join(unit, v, nullptr);
        if (unit.kind != Kind::nest) return false;
        if (reduce != nullptr) return join_reduction(unit, v, *reduce);
        const Shape& shape = f_.type(v).shape;
        if (unit.axes.empty()) return shape == unit.full && try_join(unit, v, nullptr);
        if (shape == unit.full ? !sweeps_rows(unit.full, unit.axes) : squeezed(shape) != squeezed_grid(unit))
            return false;
        return try_join(unit, v, nullptr);
    }

    /// True if an epilogue that includes `v` reads its other arrays fast enough. The epilogue reads them in the order
    /// of the product's tiles. True for one array as large as the product, and for several arrays that fit in a cache.
    /// A separate nest reads several larger arrays faster, because it reads them row by row.
    bool read_beside(const Unit& unit, Value v) const {
        std::set<std::uint32_t> reads = reads_of(v);
        for (std::size_t i = 1; i < unit.members.size(); ++i) reads.merge(reads_of(unit.members[i]));
        for (const Value member : unit.members) reads.erase(member.id);
        const std::int64_t elements = ir::product(unit.full);
        std::int64_t bytes = 0;
        int large = 0;
        for (const std::uint32_t id : reads) {
            const Type& type = f_.type(Value{id});
            if (type.elements() < elements) continue;
            ++large;
            bytes += elements * static_cast<std::int64_t>(runtime::size_of(type.dtype));
        }
        return large <= 1 || bytes <= most_beside_product;
    }

    bool join_reduction(Unit& unit, Value v, const Inst& reduce) {
        if (f_.type(reduce.operands[0]).shape != unit.full) return false;
        const std::vector<std::int64_t> axes = reduced_axes(reduce);
        if (axes == unit.axes) return try_join(unit, v, &reduce);
        if (!unit.axes.empty() || !sweeps_rows(unit.full, axes)) return false;
        // Tries to change a nest over all elements into a nest over rows.
        unit.axes = axes;
        if (try_join(unit, v, &reduce)) return true;
        unit.axes.clear();
        return false;
    }

    bool try_join(Unit& unit, Value v, const Inst* reduce) {
        const std::optional<int> size = probe(unit, v, reduce);
        if (!size || unit.size + *size > most_nest_size) return false;
        unit.members.push_back(v);
        unit.size += *size;
        return true;
    }

    Shape squeezed_grid(const Unit& unit) const { return squeezed(NestLoops(unit.full, unit.axes).grid); }

    /// True if it is fast to iterate over rows several times. The rows must be contiguous and fit in cache. The limit
    /// for the length of a row is lower if there are few rows.
    static bool sweeps_rows(const Shape& full, const std::vector<std::int64_t>& axes) {
        const NestLoops shape(full, axes);
        std::int64_t first = static_cast<std::int64_t>(full.size());
        for (std::size_t i = axes.size(); i-- > 0;) {
            if (axes[i] != first - 1) return false;
            first = axes[i];
        }
        const std::int64_t row = ir::product(shape.row);
        return row <= (ir::product(shape.grid) < 16 ? most_single_row : most_row_elements);
    }

    /// Writes the expression of `v` in the loops of the unit and returns its number of instructions. Empty if `v`
    /// cannot join the unit. There are two possible reasons: the expression reads a member of the unit at an index
    /// other than the member's own, or the expression does not fit the three loops of a dot.
    std::optional<int> probe(const Unit& unit, Value v, const Inst* reduce) const {
        const NestLoops shape(unit.full, unit.axes);
        nest::Builder builder("probe", shape.grid);
        const auto at_full = [&] {
            return unit.axes.empty() ? builder.grid_indices() : shape.full_index(unit.full, unit.axes);
        };
        const bool full = reduce != nullptr || f_.type(v).shape == unit.full;
        builder.begin_stage(full && !unit.axes.empty() ? shape.row : std::vector<std::int64_t>{});
        bool fits = true;
        const auto own_index = [&](Value member) {
            return f_.type(member).shape == unit.full && !is_reduced(member, unit)
                       ? at_full()
                       : shape.grid_index(f_.type(member).shape);
        };
        Pull pull(f_, builder, [&](Value x, const nest::Indices& at) -> std::optional<nest::Ref> {
            if (p_.role(x) == Role::inlined) return {};
            const Value base = p_.base(x);
            const bool own = std::find(unit.members.begin(), unit.members.end(), base) != unit.members.end();
            if (!own) return builder.load(builder.buffer(f_.type(x).dtype, false), f_.type(x).shape, at);
            // `x` is an alias of the product with another shape.
            if (unit.may_have_epilogue() && f_.type(base).shape != unit.full) {
                fits = fits && p_.offsets[x.id] == 0 && f_.type(x).dtype == f_.type(base).dtype &&
                       same_element(builder, at, f_.type(x).shape, at_full(), unit.full);
                return builder.constant(f_.type(x).dtype, 0);
            }
            // If an alias has another shape than the member, `v` cannot join the unit.
            if (!(base == x) && !(f_.type(base).shape == f_.type(x).shape) &&
                squeezed(f_.type(base).shape) != squeezed(f_.type(x).shape))
                fits = false;
            if (fits)
                fits = same_place(at, f_.type(x).shape, own_index(base), f_.type(base).shape) &&
                       f_.type(x).dtype == f_.type(base).dtype;
            if (unit.kind == Kind::dot) // a constant could be folded, but the real operand cannot; so this is a load
                return builder.load(builder.buffer(f_.type(x).dtype, false), unit.full, builder.grid_indices());
            return builder.constant(f_.type(x).dtype, 0);
        });
        const nest::Indices at = full ? at_full() : shape.grid_index(f_.type(v).shape);
        const nest::Ref made = reduce != nullptr ? pull(reduce->operands[0], at) : pull.expand(v, at);
        if (!fits) return {};
        int size = static_cast<int>(builder.nest().insts.size());
        for (const nest::Inst& inst : builder.nest().insts) size += inst.op == nest::ScalarOp::threefry ? 23 : 0;
        if (unit.kind == Kind::dot) {
            builder.store(builder.buffer(f_.type(v).dtype, true), unit.full, at, made);
            nest::Nest epilogue = builder.finish();
            if (!collapse_groups(epilogue, product_groups(f_, *unit.inst))) return {};
        }
        return size;
    }

    bool is_reduced(Value member, const Unit& unit) const {
        return unit.kind == Kind::nest && is_reduction(*f_.definition(member));
    }

    /// `a` and `b` are indices into two views of one array, which have different shapes. True if both denote the same
    /// element. Loops of one iteration are ignored.
    static bool same_element(nest::Builder& builder, const nest::Indices& a, const Shape& a_shape,
                             const nest::Indices& b, const Shape& b_shape) {
        const std::uint32_t buffer = builder.buffer(runtime::DType::f32, false);
        const nest::Ref loads[] = {builder.load(buffer, a_shape, a), builder.load(buffer, b_shape, b)};
        const nest::Nest& nest = builder.nest();
        const nest::Access &x = nest[loads[0]].access, &y = nest[loads[1]].access;
        bool same = x.offset.base == y.offset.base && x.dynamic == y.dynamic && x.mask == y.mask;
        for (std::size_t loop = 0; loop < nest.grid.size(); ++loop)
            same = same && (nest.grid[loop] == 1 || x.offset.coefficient(loop) == y.offset.coefficient(loop));
        return same;
    }

    /// True if the indices are equal. Axes of size 1 are ignored.
    static bool same_place(const nest::Indices& a, const Shape& a_shape, const nest::Indices& b, const Shape& b_shape) {
        const auto wide = [](const nest::Indices& at, const Shape& shape) {
            nest::Indices kept;
            for (std::size_t d = 0; d < shape.size(); ++d)
                if (shape[d] != 1) kept.push_back(at[d]);
            return kept;
        };
        return same_indices(wide(a, a_shape), wide(b, b_shape));
    }

    // ---- epilogues and buffers

    /// If a convolution has a single reader, makes this reader its epilogue. Then the library may compute the epilogue.
    /// The reader must be a nest that reads the convolution at the nest's own index. The other operands of the reader
    /// must be computed before the convolution.
    void take_epilogue(std::size_t at) {
        const Unit& kernel = p_.units[at];
        if (kernel.kind != Kind::matrices || !kernel.may_have_epilogue()) return;
        const Value made = kernel.members[0];
        std::vector<std::size_t> readers;
        for (std::size_t u = at + 1; u < p_.units.size(); ++u)
            if (reads(p_.units[u], made)) readers.push_back(u);
        if (readers.size() != 1 || roots_.required[made.id]) return;
        const Unit& nest = p_.units[readers[0]];
        const auto ready = [&](Value v) { return v == made || p_.unit_of[v.id] < static_cast<std::int32_t>(at); };
        if (nest.kind != Kind::nest || !nest.axes.empty() || nest.in_lanes != kernel.in_lanes ||
            ir::product(nest.full) != f_.type(made).elements() || !std::ranges::all_of(nest.reads, ready))
            return;
        Unit both = kernel;
        both.full = nest.full;
        for (const Value v : nest.members) {
            if (!probe(both, v, nullptr)) return;
            both.members.push_back(v);
        }
        for (const Value v : nest.reads)
            if (!(v == made) && !reads(both, v)) both.reads.push_back(v);
        p_.units[at] = std::move(both);
        p_.units.erase(p_.units.begin() + static_cast<std::ptrdiff_t>(readers[0]));
        for (std::size_t u = at; u < p_.units.size(); ++u)
            for (const Value v : p_.units[u].members) p_.unit_of[v.id] = static_cast<std::int32_t>(u);
    }
    static bool reads(const Unit& unit, Value v) { return std::ranges::find(unit.reads, v) != unit.reads.end(); }

    void find_stored() {
        for (const Unit& unit : p_.units) {
            for (const Value v : unit.reads) p_.stored[v.id] = true;
            if (unit.kind == Kind::nest || unit.may_have_epilogue()) continue;
            for (const Value v : unit.members) p_.stored[v.id] = true;
        }
        for (std::uint32_t v = 0; v < roots_.required.size(); ++v)
            if (roots_.required[v]) p_.stored[p_.bases[v].id] = true;
        // If no member of a unit is read, the unit stores its last member, because it must store something.
        for (const Unit& unit : p_.units)
            if (unit.kind == Kind::nest || unit.may_have_epilogue())
                if (std::none_of(unit.members.begin(), unit.members.end(), [&](Value v) { return p_.stored[v.id]; }))
                    p_.stored[unit.members.back().id] = true;
        keep_expensive();
    }

    /// In a nest over rows, an expensive value of the full shape is stored once. Later stages load it.
    void keep_expensive() {
        for (const Unit& unit : p_.units) {
            if (!unit.is_row_nest()) continue;
            for (const Value v : unit.members)
                if (!is_reduced(v, unit) && f_.type(v).shape == unit.full && roots_.costs[v.id] > cheap_in_row)
                    p_.stored[v.id] = true;
        }
    }

    const Facts& f_;
    const PartitionOptions& options_;
    Roots roots_;
    Partition p_;
    std::map<std::uint32_t, std::vector<std::int32_t>> readers_; ///< per value: the other units that read it
    std::vector<std::int32_t> small_;
};

} // namespace

Partition partition(const Facts& facts, const PartitionOptions& options) { return Partitioner(facts, options).run(); }

bool takes_recipe(const Inst& inst, std::size_t operand) {
    switch (inst.op) {
    case Op::call: return true;
    case Op::if_: return operand > 0;
    case Op::while_:
    case Op::scan: return static_cast<std::int64_t>(operand) < inst.attrs.integer(ir::Attr::whole);
    case Op::pmap: return inst.attrs.integers(ir::Attr::in_axes)[operand] < 0;
    default: return false;
    }
}

bool is_recipe(const Facts& facts, Value v) {
    const Inst* inst = facts.definition(v);
    return inst != nullptr && inst->operands.empty() && facts.is_element(v) && !facts.is_table(v);
}

Value without_transposes(const Facts& facts, Value v) {
    for (;;) {
        const Inst* inst = facts.definition(v);
        if (inst == nullptr || inst->op != Op::transpose) return v;
        v = inst->operands[0];
    }
}

std::vector<std::size_t> product_groups(const Facts& facts, const Inst& dot) {
    const auto rank = [&](std::size_t operand) { return facts.type(dot.operands[operand]).shape.size(); };
    const auto count = [&](ir::Attr axes) { return dot.attrs.integers(axes).size(); };
    const std::size_t batch = count(ir::Attr::lhs_batch);
    return {batch, rank(0) - batch - count(ir::Attr::lhs_contract), rank(1) - batch - count(ir::Attr::rhs_contract)};
}

std::vector<std::int64_t> reduced_axes(const Inst& inst) {
    if (inst.op == Op::argmax || inst.op == Op::argmin) return {inst.attrs.integer(ir::Attr::axis)};
    std::vector<std::int64_t> axes = inst.attrs.integers(ir::Attr::axes);
    std::sort(axes.begin(), axes.end());
    return axes;
}

Shape squeezed(const Shape& shape) {
    Shape result;
    std::copy_if(shape.begin(), shape.end(), std::back_inserter(result), [](std::int64_t size) { return size != 1; });
    return result;
}

NestLoops::NestLoops(const Shape& full, const std::vector<std::int64_t>& axes) {
    for (std::size_t a = 0; a < full.size(); ++a) {
        const bool swept = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(a)) != axes.end();
        if (!swept) {
            grid.push_back(full[a]);
        } else if (full[a] != 1) {
            row.push_back(full[a]);
        }
        if (full[a] != 1) last_axis = swept;
    }
    if (row.empty()) {
        last_axis = true;
        row.push_back(1);
    }
}

namespace {
nest::Index loop_index(std::size_t loop) {
    nest::Index index;
    index.affine.coefficients.assign(loop + 1, 0);
    index.affine.coefficients[loop] = 1;
    return index;
}
} // namespace

nest::Indices NestLoops::full_index(const Shape& full, const std::vector<std::int64_t>& axes) const {
    nest::Indices result;
    std::size_t next_grid = 0;
    std::size_t next_row = grid.size();
    for (std::size_t a = 0; a < full.size(); ++a) {
        const bool swept = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(a)) != axes.end();
        if (!swept)
            result.push_back(loop_index(next_grid++));
        else if (full[a] != 1)
            result.push_back(loop_index(next_row++));
        else
            result.push_back(nest::Index::constant(0));
    }
    return result;
}

nest::Indices NestLoops::grid_index(const Shape& shape) const {
    // Axes longer than 1 have the same order in `shape` and in the grid.
    nest::Indices result;
    std::size_t g = 0;
    for (const std::int64_t size : shape) {
        if (size == 1) {
            result.push_back(nest::Index::constant(0));
            continue;
        }
        while (g < grid.size() && grid[g] == 1) ++g;
        PM_CHECK(g < grid.size() && grid[g] == size);
        result.push_back(loop_index(g++));
    }
    return result;
}

} // namespace pm::plan
