#include "compiler/base/check.hpp"
#include "compiler/nest/nest.hpp"

#include <fmt/format.h>

namespace pm::nest {
namespace {

class Verifier {
  public:
    Verifier(const Nest& nest, std::string_view after)
        : nest_(nest), after_(after), defined_(nest.insts.size(), Scope::none) {}

    void run() {
        for (const std::int64_t extent : nest_.grid) check(extent >= 0, "an extent of the grid is negative");
        for (const Stage& s : nest_.stages) stage(s);
    }

  private:
    enum class Scope : std::uint8_t { none, stage, nest };

    void check(bool condition, std::string_view what) const {
        PM_CHECK(condition, fmt::format("after {}: nest {}: {}\n{}", after_, nest_.name, what, nest::print(nest_)));
    }

    void stage(const Stage& s) {
        for (const std::int64_t extent : s.loops) check(extent >= 0, "an extent of a stage is negative");
        check(s.chunk.iterations >= 0, "a chunk has less than no iterations");
        check(s.chunk.iterations == 0 || s.chunk.loop < s.loops.size(), "a chunk without a loop");
        check(s.block >= 0 && (s.block == 0 || !s.loops.empty()), "a block without a loop");
        loops_ = nest_.grid.size() + s.loops.size();
        for (const Ref r : s.body) {
            check(r.id < nest_.insts.size(), "a body names an instruction that does not exist");
            check(defined_[r.id] == Scope::none, "an instruction is there twice");
            instruction(nest_[r], s);
            defined_[r.id] = nest_[r].op == ScalarOp::reduce ? Scope::nest : Scope::stage;
            if (nest_[r].op == ScalarOp::reduce) reduces_.push_back(r);
        }
        // After a stage, its values are out of scope, except the results of its reductions.
        for (const Ref r : s.body)
            if (defined_[r.id] == Scope::stage) defined_[r.id] = Scope::none;
        reduces_.clear();
    }

    bool reduced_here(Ref r) const {
        for (const Ref other : reduces_)
            if (other == r) return true;
        return false;
    }
    void use(Ref r) const {
        check(r.id < nest_.insts.size() && defined_[r.id] != Scope::none, "a value is used where it is not defined");
        check(!reduced_here(r), "a reduction is used in its own stage");
    }

    void affine(const Affine& a) const {
        check(a.coefficients.size() <= loops_, "an index uses a loop that is not there");
    }

    void instruction(const Inst& inst, const Stage& s) const {
        for (const Ref r : inst.operands) use(r);
        switch (inst.op) {
        case ScalarOp::constant: check(inst.operands.empty(), "a constant with operands"); return;
        case ScalarOp::index:
            affine(inst.affine);
            check(inst.dtype == DType::i64, "an index is an i64");
            return;
        case ScalarOp::load:
        case ScalarOp::store: memory(inst); return;
        case ScalarOp::reduce: reduction(inst, s); return;
        case ScalarOp::select:
            check(inst.operands.size() == 3 && type(inst, 0) == DType::b1 && type(inst, 1) == inst.dtype &&
                      type(inst, 2) == inst.dtype,
                  "select does not fit");
            return;
        case ScalarOp::equal:
        case ScalarOp::not_equal:
        case ScalarOp::less:
        case ScalarOp::less_equal:
            check(inst.operands.size() == 2 && inst.dtype == DType::b1 && type(inst, 0) == type(inst, 1),
                  "a comparison does not fit");
            return;
        case ScalarOp::is_finite:
            check(inst.operands.size() == 1 && inst.dtype == DType::b1, "is_finite does not fit");
            return;
        case ScalarOp::convert:
        case ScalarOp::bitcast:
        case ScalarOp::threefry:
        case ScalarOp::shift_left:
        case ScalarOp::shift_right:
        case ScalarOp::population_count: count(inst); return;
        default:
            count(inst);
            for (std::size_t i = 0; i < inst.operands.size(); ++i)
                check(type(inst, i) == inst.dtype, fmt::format("operand {} of {} has another dtype", i, name(inst.op)));
        }
    }

    DType type(const Inst& inst, std::size_t i) const { return nest_[inst.operands[i]].dtype; }
    void count(const Inst& inst) const {
        check(static_cast<int>(inst.operands.size()) == operand_count(inst.op),
              fmt::format("{} has the wrong number of operands", name(inst.op)));
    }

    void memory(const Inst& inst) const {
        check(inst.access.buffer < nest_.buffers.size(), "an access to no buffer");
        const Buffer& buffer = nest_.buffers[inst.access.buffer];
        check(buffer.dtype == inst.dtype, "an access with another dtype than its buffer");
        affine(inst.access.offset);
        if (inst.access.dynamic) {
            use(inst.access.dynamic);
            check(nest_[inst.access.dynamic].dtype == DType::i64, "an address that is not an i64");
        }
        if (inst.access.mask) {
            use(inst.access.mask);
            check(nest_[inst.access.mask].dtype == DType::b1, "a mask that is not a bool");
        }
        if (inst.op != ScalarOp::store) return;
        check(buffer.written, "a store to a buffer that is only read");
        check(inst.operands.size() == 1 && type(inst, 0) == inst.dtype, "a store of another dtype");
    }

    void reduction(const Inst& inst, const Stage& s) const {
        const bool positional = inst.combine == Combine::argmax || inst.combine == Combine::argmin;
        check(inst.operands.size() == (positional ? 2U : 1U), "a reduction with the wrong number of operands");
        check(!s.loops.empty(), "a reduction without a loop");
        check(inst.dtype == (positional ? DType::i64 : type(inst, 0)),
              "a reduction with another dtype than its operand");
        if (positional) check(type(inst, 1) == DType::i64, "a position that is not an i64");
    }

    const Nest& nest_;
    std::string_view after_;
    std::vector<Scope> defined_;
    std::vector<Ref> reduces_;
    std::size_t loops_ = 0;
};

} // namespace

void verify(const Nest& nest, std::string_view after) { Verifier(nest, after).run(); }

} // namespace pm::nest
