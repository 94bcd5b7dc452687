#include "compiler/stage/transform/explain_grad.hpp"

#include "compiler/base/count.hpp"
#include "compiler/base/python_format.hpp"
#include "compiler/optimize/pass.hpp"
#include "compiler/stage/core/note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace pm::stage {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

constexpr std::size_t most_rows = 20;
constexpr std::size_t widest_snippet = 48;

/// Residuals that have the same type and the same source position.
struct Row {
    Type type;
    Span span;
    bool each_iteration = false; ///< true if there is one value for each iteration of a loop with an unknown trip count
    std::int64_t count = 0;
    std::int64_t bytes() const {
        return count * type.elements() * static_cast<std::int64_t>(runtime::size_of(type.dtype));
    }
};

struct Definition {
    const Inst* inst = nullptr; ///< the instruction that computes the value; null if the value is a parameter
    std::size_t result = 0;
};

Definition definition(const Block& block, ir::Value v) {
    for (const Inst& inst : block.insts)
        for (std::size_t i = 0; i < inst.results.size(); ++i)
            if (inst.results[i] == v) return {&inst, i};
    return {};
}

class Report {
  public:
    Report(const SourceMap& sources, const ops::TargetInfo& target, const transform::Linearized& made)
        : sources_(sources) {
        const std::size_t results = made.primal->results.size() - made.residuals;
        const ir::BlockPtr lean =
            optimize::pass::release(optimize::run(made.primal, optimize::before_plan, {.target = &target}));
        std::set<std::uint32_t> seen;
        for (std::size_t i = results; i < lean->results.size(); ++i)
            if (seen.insert(lean->results[i].id).second) add(*lean, lean->results[i], lean->type(lean->results[i]));
        find_again(*made.linear);
    }

    std::string text(const std::string& name) {
        std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.bytes() > b.bytes(); });
        std::int64_t count = 0, bytes = 0, each_iteration = 0;
        for (const Row& row : rows_) {
            count += row.count;
            (row.each_iteration ? each_iteration : bytes) += row.bytes();
        }
        std::string text = name + " keeps nothing beside its arguments";
        if (count > 0) text = fmt::format("{} keeps {:value|values}: {}", name, Count{count}, format_bytes(bytes));
        if (each_iteration > 0) text += fmt::format(", and {} at each iteration", format_bytes(each_iteration));
        for (std::size_t i = 0; i < std::min(rows_.size(), most_rows); ++i) {
            const Row& row = rows_[i];
            const std::string times = row.count > 1 ? fmt::format("{} of ", row.count) : "";
            text += fmt::format("\n  {:>10}  {}{}{}{}", format_bytes(row.bytes()), times, ir::to_string(row.type),
                                row.each_iteration ? " at each iteration" : "", place_text(row.span));
        }
        if (rows_.size() > most_rows)
            text += fmt::format("\n  and {:other place|other places}", Count{rows_.size() - most_rows});
        for (const auto& [span, again] : again_)
            text += fmt::format("\n  computed again, {:operation|operations}{}: {}{}", Count{again.operations},
                                again.calls > 1 ? fmt::format(" in {} calls", again.calls) : "", again.name,
                                place_text(span));
        return text;
    }

  private:
    /// Adds the residual `v` to the report. Constants are left out. Parameters are left out too, because the caller has
    /// them in memory.
    void add(const Block& block, ir::Value v, const Type& type) {
        const Definition made = definition(block, v);
        if (!made.inst || made.inst->op == Op::constant) return;
        if (type.dtype != runtime::DType::tape) return count(type, place(block, v), false);
        if (made.inst->op == Op::while_) add_tape(*made.inst, *made.inst->regions[1], made.result);
    }

    void count(const Type& type, Span span, bool each_iteration) {
        for (Row& row : rows_)
            if (row.type == type && row.span == span && row.each_iteration == each_iteration) {
                ++row.count;
                return;
            }
        rows_.push_back({type, span, each_iteration, 1});
    }

    /// Adds the value that the body of a loop writes to a tape in each iteration. The tape is result number `result` of
    /// the body.
    void add_tape(const Inst& loop, const Block& body, std::size_t result) {
        const Definition made = definition(body, body.results[result]);
        if (!made.inst || made.inst->op != Op::tape_set) return;
        const ir::Value kept = made.inst->operands[1];
        const Span span = place(body, kept);
        if (body.type(kept).dtype != runtime::DType::tape)
            return count(body.type(kept), span ? span : loop.place.span, true);
        const Definition inner = definition(body, kept);
        if (inner.inst && inner.inst->op == Op::while_) add_tape(*inner.inst, *inner.inst->regions[1], inner.result);
    }

    /// The position of the operation that computes a value. The operation may be in a region of a call, map, loop or
    /// branch.
    static Span place(const Block& block, ir::Value v) {
        const Definition made = definition(block, v);
        if (!made.inst) return {};
        const Inst& inst = *made.inst;
        Span inner;
        switch (inst.op) {
        case Op::scan:
        case Op::pmap:
        case Op::call:
        case Op::if_: inner = place(*inst.regions[0], inst.regions[0]->results[made.result]); break;
        default: break;
        }
        return inner ? inner : inst.place.span;
    }

    struct Again {
        std::string name;
        std::int64_t calls = 0;
        std::int64_t operations = 0;
    };

    /// Finds the calls of checkpointed functions in the linear part of the derivative. The operations in these calls
    /// that are not linear are recomputations.
    void find_again(const Block& block) {
        if (!seen_.insert(&block).second) return;
        for (const Inst& inst : block.insts) {
            if (inst.op == Op::call && inst.attrs.has(ir::Attr::policy)) {
                Again& again = again_[inst.place.span];
                const std::string& name = inst.attrs.text(ir::Attr::text);
                const std::string function = name.substr(0, name.find('.'));
                again.name = function.empty() ? "a segment of a loop" : fmt::format("`{}`", function);
                ++again.calls;
                again.operations += computed(*inst.regions[0]);
            }
            for (const ir::BlockPtr& region : inst.regions) find_again(*region);
        }
    }

    /// The number of operations in `block`, a checkpointed call, that are recomputed. These operations depend only on
    /// the barriers at the start of the call. The other operations are linear.
    static std::int64_t computed(const Block& block) {
        std::vector<bool> known(block.values.size(), false);
        std::int64_t n = 0;
        for (const Inst& inst : block.insts) {
            const bool start = inst.op == Op::barrier && !inst.attrs.has(ir::Attr::text);
            const bool made = !inst.operands.empty() && std::all_of(inst.operands.begin(), inst.operands.end(),
                                                                    [&](ir::Value v) { return known[v.id]; });
            if (!start && !made && !inst.operands.empty()) continue;
            for (const ir::Value v : inst.results) known[v.id] = true;
            if (made && !start) n += operations(inst);
        }
        return n;
    }
    static std::int64_t operations(const Inst& inst) {
        if (inst.regions.empty()) return 1;
        std::int64_t n = 0;
        for (const ir::BlockPtr& region : inst.regions)
            for (const Inst& inner : region->insts) n += operations(inner);
        return n;
    }

    std::string place_text(Span span) const {
        if (!span) return "";
        const Source& source = sources_[span.source];
        const Source::Position at = source.position(span.begin);
        std::string snippet(sources_.text(span));
        if (const std::size_t line = snippet.find('\n'); line != std::string::npos) snippet.resize(line);
        if (snippet.size() > widest_snippet) snippet = snippet.substr(0, widest_snippet - 3) + "...";
        return fmt::format("  {}:{}:{} {}", source.name(), at.line, at.column, snippet);
    }

    struct Order {
        bool operator()(Span a, Span b) const {
            return std::make_tuple(a.source, a.begin, a.end) < std::make_tuple(b.source, b.begin, b.end);
        }
    };

    const SourceMap& sources_;
    std::vector<Row> rows_;
    std::map<Span, Again, Order> again_;
    std::unordered_set<const Block*> seen_;
};

} // namespace

void explain_gradient(const Host& host, const SourceMap& sources, Span at, const std::string& name,
                      const transform::Linearized& made) {
    if (!host.explain_grad || !host.message) return;
    give_note(host, sources, at, Report(sources, *host.target, made).text(name));
}

} // namespace pm::stage
