#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// The approximate number of instructions that a scatter step executes. If this number exceeds poll_work, the step
/// polls.
double scatter_work(const plan::Step& step);

/// The code of a scatter step (see plan::ScatterStep) that all devices share.
class Scatter {
  public:
    Scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);

    std::int64_t batch() const { return batch_; }
    std::int64_t count() const { return count_; }
    std::int64_t window() const { return window_; }
    bool empty() const { return batch_ == 0 || count_ == 0 || window_ == 0 || block_ == 0; }
    DType dtype() const { return dtype_; }

    /// The destination of an update whose indices are in row `row` of the index buffers. If `inside` is true, the
    /// destination is row `number` of its batch.
    struct Place {
        Value* inside; ///< i1
        Value* number; ///< i64
    };
    Place place(Value* row);
    /// Calls `write` with two addresses: of the first element of an update, and of the first element of the result's
    /// row that the update changes. Does nothing if this row does not exist.
    void one(Value* batch, Value* update, const std::function<void(Value* from, Value* to)>& write);
    /// Combines elements w .. w + lanes of an update with the same elements of the result's row that the update
    /// changes.
    void elements(Value* from, Value* to, Value* w, int lanes);
    /// Elements w .. w + lanes of an update, in the result's dtype.
    Value* update(Value* from, Value* w, int lanes);

  private:
    Emit& e_;
    const plan::Step& step_;
    const plan::Program& program_;
    llvm::ArrayRef<Value*> buffers_;
    std::int64_t batch_ = 0;
    std::int64_t count_ = 0;
    std::int64_t window_ = 0;
    std::int64_t block_ = 0; ///< elements of the result per batch
    std::int64_t width_ = 0;
    std::vector<std::int64_t> sizes_;
    DType dtype_{};
    DType update_dtype_{};
    std::int64_t update_width_ = 0;
};

} // namespace pm::codegen
