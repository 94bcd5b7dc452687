#include "compiler/ir/verify.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

namespace pm::ir {
namespace {

class Verifier {
  public:
    Verifier(TypeRule types, std::string_view after) : types_(types), after_(after) {}

    void block(const Block& block) {
        if (!seen_.insert(&block).second) return; // several calls may share a callee
        std::vector<bool> defined(block.values.size(), false);
        const auto define = [&](Value v, const Inst* inst) {
            if (v.id >= defined.size()) fail(block, inst, "a result that is no value of the block");
            if (defined[v.id]) fail(block, inst, "a value defined twice");
            defined[v.id] = true;
        };
        for (const Value v : block.params) define(v, nullptr);
        for (const Inst& inst : block.insts) {
            for (std::size_t i = 0; i < inst.operands.size(); ++i)
                if (inst.operands[i].id >= defined.size() || !defined[inst.operands[i].id])
                    fail(block, &inst, fmt::format("operand {} is not defined before", i));
            instruction(block, inst);
            for (const Value v : inst.results) define(v, &inst);
        }
        for (std::size_t i = 0; i < block.results.size(); ++i)
            if (block.results[i].id >= defined.size() || !defined[block.results[i].id])
                fail(block, nullptr, fmt::format("result {} of the block is not defined", i));
    }

  private:
    void instruction(const Block& block, const Inst& inst) {
        const OpInfo& op = info(inst.op);
        if (op.operands >= 0 && inst.operands.size() != static_cast<std::size_t>(op.operands))
            fail(block, &inst, fmt::format("{} operands are due, here are {}", op.operands, inst.operands.size()));
        if (op.results >= 0 && inst.results.size() != static_cast<std::size_t>(op.results))
            fail(block, &inst, fmt::format("{} results are due, here are {}", op.results, inst.results.size()));
        if (!is_control(inst.op) && !inst.regions.empty()) fail(block, &inst, "regions on a flat operation");
        for (const BlockPtr& region : inst.regions) {
            if (region == nullptr) fail(block, &inst, "a missing region");
            this->block(*region);
        }
        const std::vector<Type> due = due_types(block, inst);
        if (due.size() != inst.results.size())
            fail(block, &inst, fmt::format("{} results are due, here are {}", due.size(), inst.results.size()));
        for (std::size_t i = 0; i < due.size(); ++i)
            if (inst.results[i].id < block.values.size() && block.type(inst.results[i]) != due[i])
                fail(block, &inst, fmt::format("result {} must have type {}", i, to_string(due[i])));
    }

    std::vector<Type> due_types(const Block& block, const Inst& inst) {
        std::vector<Type> in;
        for (const Value v : inst.operands) in.push_back(block.type(v));
        try {
            return is_control(inst.op) ? control_types(inst, in) : types_(inst, in);
        } catch (const InternalError& error) {
            fail(block, &inst, error.what());
        } catch (const Error& error) {
            fail(block, &inst, error.what());
        }
    }

    [[noreturn]] void fail(const Block& block, const Inst* inst, const std::string& what) const {
        std::string where;
        if (inst != nullptr) where = "\n  in " + line(block, *inst);
        throw InternalError(fmt::format("after {}: invalid IR in `{}`: {}{}", after_, block.name, what, where));
    }

    /// The instruction as text. Values have their ids in the block, and operands have their types.
    static std::string line(const Block& block, const Inst& inst) {
        const auto list = [&](const Values& values) {
            std::vector<std::string> parts;
            for (const Value v : values)
                parts.push_back(
                    fmt::format("%{}: {}", v.id, v.id < block.values.size() ? to_string(block.type(v)) : "?"));
            return fmt::format("{}", fmt::join(parts, ", "));
        };
        std::string attributes;
        for (const auto& [key, value] : inst.attrs.items()) {
            attributes += fmt::format(" {}", name(key));
            if (const auto* n = std::get_if<std::int64_t>(&value)) attributes += fmt::format("={}", *n);
            if (const auto* ns = std::get_if<Integers>(&value))
                attributes += fmt::format("=[{}]", fmt::join(*ns, ", "));
            if (const auto* d = std::get_if<DType>(&value)) attributes += fmt::format("={}", runtime::name(*d));
        }
        return fmt::format("{} = {}({}){}", list(inst.results), info(inst.op).name, list(inst.operands), attributes);
    }

    TypeRule types_;
    std::string_view after_;
    std::unordered_set<const Block*> seen_;
};

} // namespace

void verify(const Block& block, TypeRule types, std::string_view after) { Verifier(types, after).block(block); }

} // namespace pm::ir
