#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// Instructions of a scatter step. It asks whether to stop when they are more than poll_work.
double scatter_work(const plan::Step& step);

/// What a scatter step does (see plan::Step), on every device.
class Scatter {
  public:
    Scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);

    std::int64_t batch() const { return batch_; }
    std::int64_t count() const { return count_; }
    std::int64_t window() const { return window_; }
    bool empty() const { return batch_ == 0 || count_ == 0 || window_ == 0 || block_ == 0; }
    DType dtype() const { return dtype_; }

    /// Where the update in row `row` of the index buffers goes: to row `number` of its batch, if there is such a row.
    struct Place {
        Value* inside; ///< i1
        Value* number; ///< i64
    };
    Place place(Value* row);
    /// Calls `write` with the first elements of an update and of the row of the result that it goes to, where there is
    /// one.
    void one(Value* batch, Value* update, const std::function<void(Value* from, Value* to)>& write);
    /// Elements w .. w + lanes of the row.
    void elements(Value* from, Value* to, Value* w, int lanes);
    /// Those of an update, as the result's dtype.
    Value* update(Value* from, Value* w, int lanes);

  private:
    Emit& e_;
    const plan::Step& step_;
    const plan::Program& program_;
    llvm::ArrayRef<Value*> buffers_;
    std::int64_t batch_ = 0;
    std::int64_t count_ = 0;
    std::int64_t window_ = 0;
    std::int64_t block_ = 0; ///< elements of the result in a batch
    std::int64_t width_ = 0;
    std::vector<std::int64_t> sizes_;
    DType dtype_{};
    DType update_dtype_{};
    std::int64_t update_width_ = 0;
};

} // namespace pm::codegen
