#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/nest/transpose_block.hpp"

#include <map>

namespace pm::codegen {
namespace {

class TransposedNest {
  public:
    TransposedNest(Emit& e, NestBody& body)
        : e_(e), body_(body), shape_(body.shape), stage_(shape_.nest.stages.front()), lanes_(shape_.lanes) {
        transposed_ = static_cast<std::size_t>(shape_.transposed_loop);
        for (const nest::Ref r : stage_.body) {
            const nest::Inst& inst = shape_.nest[r];
            if (!shape_.is_transposed(inst)) continue;
            tiles_[r.id] =
                e.slot(llvm::ArrayType::get(memory_type(e, inst.dtype, lanes_), static_cast<std::uint64_t>(lanes_)),
                       "transposed", 64);
        }
    }

    void run(Value* begin, Value* end) {
        begin_ = begin != nullptr ? begin : e_.int64(0);
        end_ = end != nullptr ? end : e_.int64(shape_.nest.grid.front());
        loops({});
    }

  private:
    void loops(const std::vector<Value*>& indices) {
        const std::size_t loop = indices.size();
        if (loop == shape_.grid()) {
            block(indices);
            return;
        }
        const bool wide = loop == transposed_ || loop + 1 == shape_.grid();
        e_.loop(loop == 0 ? begin_ : e_.int64(0), bound(loop), wide ? lanes_ : 1, [&](Value* index) {
            std::vector<Value*> inner = indices;
            inner.push_back(index);
            loops(inner);
        });
    }

    Value* bound(std::size_t loop) { return loop == 0 ? end_ : e_.int64(shape_.nest.grid[loop]); }

    /// The number of elements of the block along a loop: `lanes_`, or fewer at the end of the loop.
    Value* part(const std::vector<Value*>& indices, std::size_t loop) {
        return e_.call(llvm::Intrinsic::smin, {e_.i64()},
                       {e_.b.CreateSub(bound(loop), indices[loop]), e_.int64(lanes_)});
    }

    void block(const std::vector<Value*>& indices) {
        const std::size_t last = shape_.grid() - 1;
        Value* rows = part(indices, transposed_);
        Value* columns = part(indices, last);
        Scope corner = entered(indices);
        for (const auto& [id, tile] : tiles_) {
            const nest::Inst& inst = shape_.nest.insts[id];
            const auto width = static_cast<std::int64_t>(runtime::size_of(inst.dtype));
            TransposeBlock at{inst.dtype,
                              false,
                              lanes_,
                              corner.addresses[id],
                              e_.int64(inst.access.offset.coefficient(last) * width),
                              tile,
                              e_.int64(lanes_ * width),
                              columns,
                              rows};
            emit_transpose(e_, at);
        }
        Value* mask = nullptr;
        if (shape_.nest.grid[last] % lanes_ != 0)
            mask = e_.b.CreateICmpSLT(e_.iota(e_.i32(), lanes_), e_.splat(e_.b.CreateTrunc(columns, e_.i32()), lanes_));
        e_.loop(e_.int64(0), rows, 1, [&](Value* row) {
            std::vector<Value*> at = indices;
            at[transposed_] = e_.b.CreateAdd(at[transposed_], row);
            Scope scope = entered(at);
            scope.lanes = lanes_;
            scope.mask = mask;
            body_.replace_loads([&](const Scope&, nest::Ref r) -> Value* {
                const auto tile = tiles_.find(r.id);
                if (tile == tiles_.end()) return nullptr;
                const DType dtype = shape_.nest[r].dtype;
                llvm::Type* type = memory_type(e_, dtype, lanes_);
                return to_register(e_, dtype,
                                   e_.b.CreateAlignedLoad(type, e_.b.CreateGEP(type, tile->second, row),
                                                          llvm::Align(runtime::size_of(dtype))));
            });
            body_.everything(scope, stage_);
        });
    }

    Scope entered(const std::vector<Value*>& indices) {
        Scope scope = body_.outermost();
        const nest::Stage* stage = &stage_;
        for (Value* index : indices) body_.enter(scope, index, stage);
        return scope;
    }

    Emit& e_;
    NestBody& body_;
    const NestShape& shape_;
    const nest::Stage& stage_;
    int lanes_;
    std::size_t transposed_;
    std::map<std::uint32_t, Value*> tiles_;
    Value* begin_ = nullptr;
    Value* end_ = nullptr;
};

} // namespace

void emit_transposed(Emit& e, NestBody& body, Value* begin, Value* end) { TransposedNest(e, body).run(begin, end); }

} // namespace pm::codegen
