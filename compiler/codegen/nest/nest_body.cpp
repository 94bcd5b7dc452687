#include "compiler/codegen/nest/nest_body.hpp"

#include "compiler/codegen/scalar/emit_scalar.hpp"
#include "compiler/codegen/scalar/integer.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pm::codegen {

using nest::Inst;
using nest::ScalarOp;
using nest::Stage;

namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();

std::int64_t width(DType d) { return static_cast<std::int64_t>(runtime::size_of(d)); }

Value* reversed(Emit& e, Value* v) {
    std::vector<int> order(static_cast<std::size_t>(Emit::lanes_of(v)));
    std::iota(order.rbegin(), order.rend(), 0);
    return e.b.CreateShuffleVector(v, order);
}

} // namespace

NestBody::NestBody(Emit& emit, const NestShape& s, llvm::ArrayRef<Value*> buffers)
    : e(emit), shape(s), buffers_(buffers.begin(), buffers.end()) {}

Scope NestBody::outermost() const {
    Scope scope;
    scope.values.assign(shape.nest.insts.size(), nullptr);
    scope.addresses.assign(shape.nest.insts.size(), nullptr);
    for (const Stage& s : shape.nest.stages)
        for (const nest::Ref r : s.body) {
            const Inst& inst = shape.nest[r];
            if (inst.op == ScalarOp::load || inst.op == ScalarOp::store)
                scope.addresses[r.id] =
                    e.byte_offset(buffers_[inst.access.buffer], inst.access.offset.base * width(inst.dtype));
        }
    return scope;
}

void NestBody::enter(Scope& scope, Value* index, llvm::ArrayRef<const Stage*> stages) const {
    const std::size_t loop = scope.indices.size();
    scope.indices.push_back(index);
    for (const Stage* s : stages)
        for (const nest::Ref r : s->body) {
            const Inst& inst = shape.nest[r];
            if (inst.op != ScalarOp::load && inst.op != ScalarOp::store) continue;
            const std::int64_t coefficient = inst.access.offset.coefficient(loop);
            if (coefficient != 0)
                scope.addresses[r.id] =
                    e.byte_offset(scope.addresses[r.id], e.mul(index, coefficient * width(inst.dtype)));
        }
}

void NestBody::instructions(Scope& scope, const Stage& stage, int depth) const {
    for (const nest::Ref r : stage.body) {
        const ScalarOp op = shape.nest[r].op;
        if (shape.depth[r.id] != depth || op == ScalarOp::reduce) continue;
        if (op == ScalarOp::store)
            store(scope, stage, r);
        else
            scope.values[r.id] = instruction(scope, stage, r);
    }
}

void NestBody::everything(Scope& scope, const Stage& stage) const {
    for (const nest::Ref r : stage.body) {
        if (shape.nest[r].op == ScalarOp::store)
            store(scope, stage, r);
        else
            scope.values[r.id] = instruction(scope, stage, r);
    }
}

Value* NestBody::spread(const Scope& scope, nest::Ref r) const { return e.splat(scope.values[r.id], scope.lanes); }

Value* NestBody::operand(const Scope& scope, nest::Ref r, bool varies) const {
    return varies ? spread(scope, r) : scope.values[r.id];
}

Value* NestBody::instruction(const Scope& scope, const Stage& stage, nest::Ref r) const {
    const Inst& inst = shape.nest[r];
    const bool varies = shape.varies[r.id] != 0;
    switch (inst.op) {
    case ScalarOp::constant: return constant_bits(e, inst.dtype, inst.bits);
    case ScalarOp::index: return index(scope, stage, inst, varies);
    case ScalarOp::load: return load(scope, stage, r);
    case ScalarOp::div:
    case ScalarOp::rem:
        if (Value* quick = small_division(scope, inst, varies)) return quick;
        break;
    default: break;
    }
    llvm::SmallVector<Value*, 3> operands;
    for (const nest::Ref o : inst.operands) operands.push_back(operand(scope, o, varies));
    return emit_scalar(e, inst.op, inst.dtype, shape.nest[inst.operands.back()].dtype, operands);
}

Value* NestBody::index(const Scope& scope, const Stage& stage, const Inst& inst, bool varies) const {
    Value* sum = e.int64(inst.affine.base);
    for (std::size_t l = 0; l < scope.indices.size(); ++l)
        if (const std::int64_t c = inst.affine.coefficient(l); c != 0) sum = e.add(e.mul(scope.indices[l], c), sum);
    if (!varies || scope.lanes == 1) return sum;
    const auto step = inst.affine.coefficient(static_cast<std::size_t>(shape.vector_loop(stage)));
    return e.b.CreateAdd(e.splat(sum, scope.lanes), e.iota(e.i64(), scope.lanes, step));
}

/// The quotient or remainder of an index by a constant. Null unless the ranges show that the index is not negative and
/// that the index and the constant fit in 31 bits.
Value* NestBody::small_division(const Scope& scope, const Inst& inst, bool varies) const {
    if (inst.dtype != DType::i64) return nullptr;
    const nest::Range a = shape.ranges[inst.operands[0].id];
    const nest::Range c = shape.ranges[inst.operands[1].id];
    if (!a.within(0, int_max) || c.low != c.high || !c.within(1, int_max)) return nullptr;
    Value* x = operand(scope, inst.operands[0], varies);
    Value* q = divide_small(e, x, c.low);
    return inst.op == ScalarOp::div ? q : e.b.CreateSub(x, e.mul(q, c.low));
}

Value* NestBody::zeros() const {
    constexpr const char* name = "zeros";
    if (llvm::GlobalVariable* known = e.module.getGlobalVariable(name, true)) return known;
    auto* type = llvm::ArrayType::get(e.i64(), 2);
    auto* made = new llvm::GlobalVariable(e.module, type, true, llvm::GlobalValue::InternalLinkage,
                                          llvm::ConstantAggregateZero::get(type), name);
    made->setAlignment(llvm::Align(16));
    return made;
}

NestBody::Place NestBody::place(const Scope& scope, const Stage& stage, nest::Ref r, bool varies) const {
    const Inst& inst = shape.nest[r];
    Place made{scope.addresses[r.id], 0, nullptr, nullptr};
    if (varies) made.step = shape.lane_step(stage, inst);
    if (inst.access.dynamic) {
        Value* dynamic = scope.values[inst.access.dynamic.id];
        if (Emit::lanes_of(dynamic) == 1) {
            made.base = e.byte_offset(made.base, e.mul(dynamic, width(inst.dtype)));
        } else {
            const nest::Range range = shape.ranges[inst.access.dynamic.id];
            const std::int64_t reach = int_max / 2;
            if (range.within(-reach, reach) && std::abs(made.step) < reach / 64)
                dynamic = e.b.CreateTrunc(dynamic, e.shaped(e.i32(), dynamic));
            made.offsets =
                made.step == 0
                    ? dynamic
                    : e.b.CreateAdd(dynamic, e.iota(dynamic->getType()->getScalarType(), scope.lanes, made.step));
        }
    }
    if (inst.access.mask) made.mask = operand(scope, inst.access.mask, varies);
    if (scope.mask != nullptr && varies)
        made.mask = made.mask == nullptr ? scope.mask : e.b.CreateAnd(made.mask, scope.mask);
    return made;
}

Value* NestBody::pointers(const Place& place, DType dtype, int lanes) const {
    const bool narrow = std::abs(place.step) < int_max / 64;
    Value* offsets = place.offsets != nullptr ? place.offsets : e.iota(narrow ? e.i32() : e.i64(), lanes, place.step);
    return e.b.CreateGEP(memory_type(e, dtype), place.base, offsets);
}

llvm::Align NestBody::alignment(const Scope& scope, const Stage& stage, const Inst& inst) const {
    const bool whole = e.aligned && shape.whole_vectors(stage, inst);
    return llvm::Align(runtime::size_of(inst.dtype) * static_cast<std::uint64_t>(whole ? scope.lanes : 1));
}

Value* NestBody::load(const Scope& scope, const Stage& stage, nest::Ref r) const {
    auto& b = e.b;
    const Inst& inst = shape.nest[r];
    if (source_)
        if (Value* other = source_(scope, r)) return other;
    const bool varies = shape.varies[r.id] != 0 && scope.lanes > 1;
    const Place at = place(scope, stage, r, varies);
    const llvm::Align align(runtime::size_of(inst.dtype));
    const bool one_address = at.offsets == nullptr && at.step == 0;
    if (one_address) {
        // If the mask is false in every lane, the buffer must not be accessed.
        Value* from = at.mask == nullptr ? at.base : b.CreateSelect(e.any(at.mask), at.base, zeros());
        Value* value = load_scalar(e, inst.dtype, from);
        if (at.mask == nullptr || Emit::lanes_of(at.mask) == 1) return value;
        value = e.splat(value, scope.lanes);
        return b.CreateSelect(at.mask, value, llvm::Constant::getNullValue(value->getType()));
    }
    llvm::Type* type = memory_type(e, inst.dtype, scope.lanes);
    Value* nothing = llvm::Constant::getNullValue(type);
    Value* memory = nullptr;
    if (at.offsets == nullptr && (at.step == 1 || at.step == -1)) {
        const bool back = at.step == -1;
        Value* first = back ? e.byte_offset(at.base, -width(inst.dtype) * (scope.lanes - 1)) : at.base;
        Value* mask = at.mask != nullptr && back ? reversed(e, at.mask) : at.mask;
        memory =
            mask == nullptr
                ? static_cast<Value*>(b.CreateAlignedLoad(type, first, back ? align : alignment(scope, stage, inst)))
                : b.CreateMaskedLoad(type, first, align, mask, nothing);
        if (back) memory = reversed(e, memory);
    } else {
        Value* mask = at.mask != nullptr ? at.mask : e.splat(b.getTrue(), scope.lanes);
        memory = b.CreateMaskedGather(type, pointers(at, inst.dtype, scope.lanes), align, mask, nothing);
    }
    return to_register(e, inst.dtype, memory);
}

void NestBody::store(const Scope& scope, const Stage& stage, nest::Ref r) const {
    auto& b = e.b;
    const Inst& inst = shape.nest[r];
    const bool varies = shape.varies[r.id] != 0 && scope.lanes > 1;
    const Place at = place(scope, stage, r, varies);
    const llvm::Align align(runtime::size_of(inst.dtype));
    Value* memory = to_memory(e, inst.dtype, operand(scope, inst.operands[0], varies));
    if (!varies) {
        const auto write = [&] { b.CreateAlignedStore(memory, at.base, align); };
        if (at.mask == nullptr)
            write();
        else
            e.when(at.mask, write);
        return;
    }
    if (at.offsets == nullptr && (at.step == 1 || at.step == -1)) {
        const bool back = at.step == -1;
        Value* first = back ? e.byte_offset(at.base, -width(inst.dtype) * (scope.lanes - 1)) : at.base;
        if (back) memory = reversed(e, memory);
        Value* mask = at.mask != nullptr && back ? reversed(e, at.mask) : at.mask;
        if (mask == nullptr)
            b.CreateAlignedStore(memory, first, back ? align : alignment(scope, stage, inst));
        else
            b.CreateMaskedStore(memory, first, align, mask);
        return;
    }
    Value* mask = at.mask != nullptr ? at.mask : e.splat(b.getTrue(), scope.lanes);
    b.CreateMaskedScatter(memory, pointers(at, inst.dtype, scope.lanes), align, mask);
}

} // namespace pm::codegen
