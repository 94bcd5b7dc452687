#pragma once
#include "compiler/codegen/gpu/dot/product_epilogue.hpp"
#include "compiler/codegen/gpu/kernel.hpp"
#include "compiler/codegen/steps/dot.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pm::codegen {

/// The number of threads of a thread block that computes a tile of a product.
inline constexpr int threads_of_dot = 256;

/// Consumes an element of the product: runs the step's epilogue, or stores the element.
class DotEpilogue {
  public:
    DotEpilogue(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);
    /// `sum` is the element in the memory type of dot_sum().
    void put(Value* sum, Value* batch, Value* m, Value* n);

  private:
    static std::vector<Value*> own_buffers(Emit& e, const plan::Step& step, llvm::ArrayRef<Value*> buffers);

    NestShape shape_;
    NestBody body_;
    Value* product_ = nullptr; ///< the element in a register, of the product's dtype
    DType sum_;
};

/// How a product of few tiles and many terms is cut along k. Each thread block of a launch computes one tile for one
/// part of k. The thread block stores a sum for each piece of this part in scratch memory. A second launch adds the
/// stored sums of each element, in the order of ProductSums.
struct DotParts {
    std::int64_t count = 1; ///< 1: k is not cut
    std::int64_t size = 0;  ///< products per part, a multiple of `piece`
    std::int64_t piece = 0; ///< products per stored sum
    std::int64_t group = 1; ///< number of pieces whose sums are added in the dtype of the product

    std::int64_t pieces(std::int64_t k) const { return ceil_div(k, piece); }
};
DotParts parts_of(const plan::Step& dot, const plan::Program& program);
/// The number of threads that add the stored sums of one element of the product.
int team_of_totals(const plan::DotStep& sizes);
/// See step_passes().
int dot_passes(const plan::Step& dot, const plan::Program& program);
std::int64_t dot_scratch_bytes(const plan::Step& dot, const plan::Program& program);

/// The stored sums of the pieces of k; see DotParts.
class DotPieces {
  public:
    /// The pieces of a kernel in two passes. The last two parameters of the kernel are the scratch memory and the pass
    /// number. nullopt for a kernel that does not cut k.
    static std::optional<DotPieces> of(Emit& e, const plan::Step& step, const plan::Program& program,
                                       llvm::ArrayRef<Value*> buffers);
    const DotParts& parts() const { return parts_; }
    /// Runs `multiply` in the first pass. The second pass adds the sums and stores the result.
    void run(Threads& threads, const Mapping& mapping, llvm::ArrayRef<Value*> buffers,
             const std::function<void()>& multiply);
    /// Stores the sum of a piece. `sum` has the memory type of dot_sum().
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
    plan::DotStep s_;
    DotParts parts_;
    Reduction sum_;
    Value* memory_;
    Value* pass_;
};

/// Calls `tile` for each tile of this thread block.
void each_tile(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t tiles,
               const std::function<void(Value*)>& tile);

/// A product with at most this number of rows or columns does not use tensor cores.
inline constexpr std::int64_t few_lines = 16;
/// The tile of a thread block for matrix instructions of warps (tensor_dot.cpp).
struct TensorTile {
    std::int64_t height = 64;
    std::int64_t width = 64;
    explicit TensorTile(const plan::DotStep& sizes);
};
/// The number of tiles of a product.
std::int64_t tiles_of_dot(const plan::Step& dot);
/// Whether the product need not be exact and is large enough for tensor cores.
bool on_tensor_cores(const plan::Step& dot);
/// The requests to a library of the device. They are tried in order, and the kernel runs if the library accepts none.
/// First comes the product with its epilogue, then the product alone, with the epilogue as a separate step.
std::vector<LibraryProduct> products_for_library(const plan::Step& dot, const plan::Program& program);
void emit_tensor_dot(Emit& e, Threads& threads, const plan::Step& step, const plan::Program& program,
                     const Mapping& mapping, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
