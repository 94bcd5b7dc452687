#pragma once
#include "compiler/codegen/gpu/dot/product_epilogue.hpp"
#include "compiler/codegen/gpu/kernel.hpp"
#include "compiler/codegen/steps/dot.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pm::codegen {

/// Threads of a block that has a tile of a product.
inline constexpr int threads_of_dot = 256;

/// What becomes of an element of the product: the step's epilogue, or it is stored.
class DotEpilogue {
  public:
    DotEpilogue(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);
    /// `sum` is the element as it is in memory, of type dot_sum().
    void put(Value* sum, Value* batch, Value* m, Value* n);

  private:
    static std::vector<Value*> own_buffers(Emit& e, const plan::Step& step, llvm::ArrayRef<Value*> buffers);

    NestShape shape_;
    NestBody body_;
    Value* product_ = nullptr; ///< in a register, of the product's type
    DType sum_;
};

/// The cut along k of a product of few tiles that adds many products. Each block of a launch has a part of k of a tile
/// and keeps the sums of its pieces in scratch memory; a second launch adds those of each element, in the order of
/// ProductSums.
struct DotParts {
    std::int64_t count = 1; ///< 1: k is not cut
    std::int64_t size = 0;  ///< products of a part, a multiple of `piece`
    std::int64_t piece = 0; ///< products of a sum that is kept
    std::int64_t group = 1; ///< pieces whose sums are added in the dtype of the product

    std::int64_t pieces(std::int64_t k) const { return ceil_div(k, piece); }
};
DotParts parts_of(const plan::Step& dot, const plan::Program& program);
/// Threads that add the sums of an element.
int team_of_totals(const DotSizes& sizes);
/// See step_passes().
int dot_passes(const plan::Step& dot, const plan::Program& program);
std::int64_t dot_scratch_bytes(const plan::Step& dot, const plan::Program& program);

/// The sums of pieces.
class DotPieces {
  public:
    /// Of a kernel in two passes, whose last two parameters are the scratch memory and the number of the pass; nothing
    /// of one that does not cut k.
    static std::optional<DotPieces> of(Emit& e, const plan::Step& step, const plan::Program& program,
                                       llvm::ArrayRef<Value*> buffers);
    const DotParts& parts() const { return parts_; }
    /// Runs `multiply` in the first pass; in the second the sums become the result.
    void run(Threads& threads, const Mapping& mapping, llvm::ArrayRef<Value*> buffers,
             const std::function<void()>& multiply);
    /// `sum`: as it is in memory, of type dot_sum().
    void put(Value* sum, Value* piece, Value* batch, Value* m, Value* n);

  private:
    DotPieces(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);
    Value* place(Value* piece, Value* element);
    /// The sum of a group of pieces.
    Ranked group_sum(Value* group, Value* element);
    Value* total(Threads& threads, const Mapping& mapping, Value* element);

    Emit& e_;
    const plan::Step& step_;
    const plan::Program& program_;
    DotSizes s_;
    DotParts parts_;
    Reduction sum_;
    Value* memory_;
    Value* pass_;
};

/// Blocks of a launch that each have a tile, and the tiles they go on with.
void each_tile(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t tiles,
               const std::function<void(Value*)>& tile);

/// Up to so many rows or columns the threads multiply by themselves.
inline constexpr std::int64_t few_lines = 16;
/// A block's tile where a warp multiplies matrices (tensor_dot.cpp).
struct TensorTile {
    std::int64_t height = 64;
    std::int64_t width = 64;
    explicit TensorTile(const DotSizes& sizes);
};
/// How many tiles a product has.
std::int64_t tiles_of_dot(const plan::Step& dot);
/// The product need not be exact, and is large enough for it.
bool on_tensor_cores(const plan::Step& dot);
/// What a library of the device's is asked for before the kernel is, one after the other as long as it cannot: the
/// product with what follows it, then alone, that being a step of its own.
std::vector<LibraryProduct> products_for_library(const plan::Step& dot, const plan::Program& program);
void emit_tensor_dot(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
