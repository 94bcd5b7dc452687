#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <unordered_map>

namespace pm::optimize {
namespace {

using ir::Op;

template <class T>
void add_bytes(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void add_attribute(std::string& key, const ir::AttrValue& value) {
    if (const auto* n = std::get_if<std::int64_t>(&value)) add_bytes(key, *n);
    if (const auto* d = std::get_if<ir::DType>(&value)) add_bytes(key, *d);
    if (const auto* list = std::get_if<ir::Integers>(&value)) {
        add_bytes(key, list->size());
        for (const std::int64_t n : *list) add_bytes(key, n);
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        add_bytes(key, text->size());
        key += *text;
    }
    if (const auto* literal = std::get_if<ir::Literal>(&value)) {
        add_bytes(key, literal->bytes.size());
        key.append(literal->bytes.begin(), literal->bytes.end());
    }
}

void add_attributes(std::string& key, const Inst& inst) {
    add_bytes(key, inst.attrs.items().size());
    for (const auto& [name, value] : inst.attrs.items()) {
        add_bytes(key, name);
        add_attribute(key, value);
    }
}

/// Assigns numbers to blocks; equal blocks have equal numbers. An object lives for one run of the pass.
class BlockNumbers {
  public:
    std::size_t operator()(const BlockPtr& block) {
        const auto known = numbers_.find(block.get());
        if (known != numbers_.end()) return known->second;
        const std::size_t number = keys_.emplace(key_of(*block), keys_.size()).first->second;
        kept_.push_back(block); // keeps the block alive, so that no later block can have its address
        return numbers_[block.get()] = number;
    }

  private:
    /// The key of a block. Equal blocks have equal keys. Values are numbered in the order of their definitions. A
    /// region is represented by its number. So the time for nested blocks is linear in the size of their text.
    std::string key_of(const Block& block) {
        std::string key;
        std::unordered_map<std::uint32_t, std::size_t> order;
        const auto define = [&](const Values& values) {
            add_bytes(key, values.size());
            for (const Value v : values) {
                order.emplace(v.id, order.size());
                const ir::Type& type = block.type(v);
                add_bytes(key, type.dtype);
                add_bytes(key, type.shape.size());
                for (const std::int64_t n : type.shape) add_bytes(key, n);
            }
        };
        const auto use = [&](const Values& values) {
            add_bytes(key, values.size());
            for (const Value v : values) add_bytes(key, order.at(v.id));
        };
        define(block.params);
        for (const Inst& inst : block.insts) {
            add_bytes(key, inst.op);
            use(inst.operands);
            add_attributes(key, inst);
            for (const BlockPtr& region : inst.regions) add_bytes(key, (*this)(region));
            define(inst.results);
        }
        use(block.results);
        return key;
    }

    std::unordered_map<const Block*, std::size_t> numbers_;
    std::unordered_map<std::string, std::size_t> keys_;
    std::vector<BlockPtr> kept_;
};

/// True if exchanging the operands changes no bit of the result. False for max and min of inexact dtypes.
bool commutes(Op op, ir::DType dtype) {
    if (op == Op::max || op == Op::min) return !runtime::is_inexact(dtype);
    return op == Op::add || op == Op::mul || op == Op::and_ || op == Op::or_ || op == Op::xor_ || op == Op::equal ||
           op == Op::not_equal;
}

/// The key of an instruction. Instructions with equal keys have equal results.
std::string key_of(const Inst& inst, const ir::Block& block, BlockNumbers& numbers) {
    std::string key;
    add_bytes(key, inst.op);
    Values operands = inst.operands;
    if (operands.size() == 2 && commutes(inst.op, block.type(operands[0]).dtype) && operands[1].id < operands[0].id)
        std::swap(operands[0], operands[1]);
    for (const Value v : operands) add_bytes(key, v.id);
    add_attributes(key, inst);
    for (const BlockPtr& region : inst.regions) add_bytes(key, numbers(region));
    return key;
}

BlockPtr merge(const BlockPtr& block, BlockNumbers& numbers) {
    std::unordered_map<std::string, Values> seen;
    bool changed = false;
    Rebuild to(*block);
    for (const Inst& inst : block->insts) {
        if (!is_pure(inst) || ir::info(inst.op).has(ir::in_place)) {
            to.copy(inst);
            continue;
        }
        Inst made = to.renamed(inst);
        std::string key = key_of(made, to.b.raw().block(), numbers);
        const auto known = seen.find(key);
        if (known != seen.end()) {
            to.set(inst, known->second);
            changed = true;
            continue;
        }
        const Values results = to.append(std::move(made), inst);
        to.set(inst, results);
        seen.emplace(std::move(key), results);
    }
    return changed ? to.finish() : block;
}

} // namespace

BlockPtr pass::cse(const BlockPtr& block) {
    BlockNumbers numbers;
    return bottom_up(block, [&](const BlockPtr& b) { return merge(b, numbers); });
}

} // namespace pm::optimize
