#pragma once
#include "compiler/codegen/gpu/dot/product_epilogue.hpp"
#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/codegen/options.hpp"
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pm::codegen {

/// A step whose code is a function of its own: void name(call, buffer addresses...). Equal steps share one unit.
struct Unit {
    std::string name;
    std::int64_t number = 0;
    const plan::Step* step = nullptr;
    NestShape shape;                              ///< of nests
    Mapping mapping;                              ///< of kernels
    const PersistentKernel* persistent = nullptr; ///< for a kernel that is a whole control step; otherwise null
    int passes = 1;                               ///< of kernels: the number of launches, see step_passes()
    std::size_t module = 0;

    /// The number of parameters of a kernel, without those that only persistent kernels have.
    std::size_t parameters() const;
};
/// Steps first..last of a long list as a function: bool name(call, done [, failed, lane], loops.., locals..). It
/// returns true if the call must be left. One function of thousands of instructions would take longer to compile than
/// its parts, and its compilation cannot be stopped.
struct OutlinedRegion {
    std::string name;
    const plan::Steps* list = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
    bool in_lane = false;
    std::vector<std::uint32_t> loops;  ///< the enclosing loops, by Step::id
    std::vector<std::uint32_t> locals; ///< by Buffer::index: those that steps outside use too
    std::size_t module = 0;
    int weight = 0;
};

/// A program cut into modules that can be compiled independently. The first has the entry, the others have units and
/// regions.
class Layout {
  public:
    /// Uses the options target, device and function_size.
    Layout(const plan::Program& program, const Machine& machine, const Options& options);

    std::size_t modules() const { return modules_; }
    void emit(std::size_t module, llvm::Module& into) const;
    /// Emits all kernels, for NVPTX.
    void emit_kernels(llvm::Module& into, const Machine& gpu) const;

    const plan::Program& program() const { return program_; }
    const Machine& machine() const { return machine_; }
    /// Whether steps run as kernels of a GPU: whole control steps, and the steps for which is_kernel() is true. Each is
    /// a unit.
    bool kernels() const { return target_ != Target::cpu; }
    /// Whether the kernels run on a real GPU, not on the emulated one.
    bool runs_on_gpu() const { return target_ == Target::gpu; }
    bool on_several_gpus() const { return several_gpus_; }
    /// The unit that runs a step; null if its code is inlined.
    const Unit* unit_of(const plan::Step& step) const;
    /// The number of steps of the list, from `first` to at most `last`, that run one unit on buffers whose addresses
    /// are computed alike. 1 if there are too few for a loop.
    std::size_t equal_steps(const plan::Steps& list, std::size_t first, std::size_t last) const;
    /// The regions of a long list, which cover all of it. Empty for other lists.
    const std::vector<const OutlinedRegion*>& regions_of(const plan::Steps& list) const;
    /// The persistent kernel of a control step that one unit runs as a whole. Null for other steps.
    const PersistentKernel* persistent_kernel(const plan::Step& step) const;
    /// The step that replaces this one, for example the nest of a collective. Null for other steps.
    const plan::Step* replacement(const plan::Step& step) const;
    /// The number of parts of a replacement. The GPU of one lane runs each part.
    std::int64_t parts(const plan::Step& replacement) const;
    /// The requests to the device's library, in the order in which they are tried before the product's own kernel.
    llvm::ArrayRef<LibraryProduct> library_products(const plan::Step& step) const;
    /// The convolution of a step with an epilogue. Null for other steps.
    const LibraryConvolution* library_convolution(const plan::Step& step) const;

  private:
    void collect(const plan::Steps& steps);
    void add(const plan::Step& step);
    void add_library_products(const plan::Step& step);
    void add_library_convolution(const plan::Step& step);
    bool add_persistent_kernel(const plan::Step& step);
    Unit* new_unit(const plan::Step& step);
    struct Scope;
    int cut(const plan::Steps& list, Scope& scope);
    int weight_of(const plan::Step& step, Scope& scope);
    int report_weight(const plan::Step& step) const;
    void spread(int entry_weight);
    std::int64_t parts_of_collective(const plan::Step& step) const;
    bool stands_in_place(const plan::Step& step, const NestShape& shape) const;

    const plan::Program& program_;
    const Machine& machine_;
    Target target_;
    bool several_gpus_; ///< several GPUs run the lanes
    int function_size_; ///< also the weight of a module
    std::vector<std::unique_ptr<Unit>> units_;
    std::map<std::string, Unit*> by_text_;
    std::map<const plan::Step*, Unit*> by_step_;
    std::map<const plan::Step*, std::unique_ptr<PersistentKernel>> persistent_kernels_;
    std::map<const plan::Step*, std::unique_ptr<plan::Step>> replacements_;
    std::map<const plan::Step*, std::int64_t> parts_; ///< of replacements with several parts
    std::map<const plan::Step*, std::vector<LibraryProduct>> library_products_;
    std::map<const plan::Step*, std::unique_ptr<LibraryConvolution>> library_convolutions_;
    std::map<const plan::Step*, int> in_place_; ///< about how many instructions
    std::vector<std::unique_ptr<OutlinedRegion>> regions_;
    std::map<const plan::Steps*, std::vector<const OutlinedRegion*>> cuts_;
    std::size_t modules_ = 1;
};

inline constexpr const char* entry_name = "pm_entry";
inline constexpr const char* unit_count_name = "pm_unit_count"; ///< an i64, in programs with kernels

/// Emits the entry function with all inlined steps.
void emit_entry(Emit& e, const Layout& layout);
/// Emits the function of a unit.
void emit_unit(Emit& e, const Layout& layout, const Unit& unit);
llvm::FunctionType* unit_type(Emit& e, const plan::Step& step);
llvm::FunctionType* kernel_type(Emit& e);
/// Emits a unit that is a kernel for NVPTX. Its parameters are the addresses of the step's buffers.
void emit_ptx_kernel(Emit& e, const Layout& layout, const Unit& unit);
/// Emits the function of a region.
void emit_region(Emit& e, const Layout& layout, const OutlinedRegion& region);
llvm::FunctionType* region_type(Emit& e, const OutlinedRegion& region);

} // namespace pm::codegen
