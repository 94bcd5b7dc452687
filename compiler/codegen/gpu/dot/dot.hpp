#pragma once
#include "compiler/codegen/gpu/dot/product_end.hpp"
#include "compiler/codegen/gpu/kernel.hpp"
#include "compiler/codegen/steps/dot.hpp"

#include <optional>
#include <vector>

namespace pm::codegen {

/// Threads of a block that has a tile of a product.
inline constexpr int threads_of_dot = 256;

/// What becomes of an element of the product: the step's epilogue, or it is stored.
class DotEnd {
  public:
    DotEnd(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);
    /// `sum` is the element as it is in memory, of type dot_sum().
    void put(Value* sum, Value* batch, Value* m, Value* n);

  private:
    static std::vector<Value*> own_buffers(Emit& e, const plan::Step& step, llvm::ArrayRef<Value*> buffers);

    NestShape shape_;
    NestBody body_;
    Value* product_ = nullptr; ///< in a register, of the product's type
    DType sum_;
};

/// Blocks of a launch that each have a tile, and the tiles they go on with.
void each_tile(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t tiles,
               const std::function<void(Value*)>& tile);

/// A block's tile where a warp multiplies matrices (tensor_dot.cpp).
struct TensorTile {
    std::int64_t height = 64;
    std::int64_t width = 64;
    explicit TensorTile(const DotSizes& sizes);
};
/// The product need not be exact, and is large enough for it.
bool on_tensor_cores(const plan::Step& dot);
/// What a library of the device's is asked for before the kernel is, one after the other as long as it cannot: the
/// product with what follows it, then alone, that being a step of its own.
std::vector<LibraryProduct> products_for_library(const plan::Step& dot, const plan::Program& program);
void emit_tensor_dot(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
