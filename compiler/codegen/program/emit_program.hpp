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

/// A step whose code is a function of its own: void name(call, buffer addresses...). Equal steps share one.
struct Unit {
    std::string name;
    std::int64_t number = 0;
    const plan::Step* step = nullptr;
    NestShape shape;                            ///< of nests
    Mapping mapping;                            ///< of kernels
    const PersistentKernel* resident = nullptr; ///< of a kernel that is a whole control step
    int passes = 1;                             ///< of kernels, how often they are launched: see step_passes()
    std::size_t module = 0;

    /// Of a kernel, beside what only resident ones have.
    std::size_t parameters() const;
};
/// Steps first..last of a long list, a function of their own: bool name(call, done [, failed, lane], loops..,
/// locals..), true when the call is to be left. A function of thousands of instructions would take more time to compile
/// than its parts, and nothing could stop it meanwhile.
struct OutlinedRegion {
    std::string name;
    const plan::Steps* list = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
    bool in_lane = false;
    std::vector<std::uint32_t> loops;  ///< the loops around, by Step::id
    std::vector<std::uint32_t> locals; ///< by Buffer::index: those that steps outside use too
    std::size_t module = 0;
    int weight = 0;
};

/// A program cut into modules that can be made independently: the first holds the entry, the others units and
/// regions.
class Layout {
  public:
    /// Of the options target, device and function_size count.
    Layout(const plan::Program& program, const Machine& machine, const Options& options);

    std::size_t modules() const { return modules_; }
    void emit(std::size_t module, llvm::Module& into) const;
    /// All kernels, for NVPTX.
    void emit_kernels(llvm::Module& into, const Machine& gpu) const;

    const plan::Program& program() const { return program_; }
    const Machine& machine() const { return machine_; }
    /// Steps are kernels of a GPU, each a unit, as far as is_kernel() says, or whole control steps are.
    bool kernels() const { return target_ != Target::cpu; }
    /// They are those of a real one, and not of the emulated.
    bool runs_on_gpu() const { return target_ == Target::gpu; }
    bool on_several_gpus() const { return several_gpus_; }
    /// The unit that runs a step; null when its code stands in place.
    const Unit* unit_of(const plan::Step& step) const;
    /// How many steps of a list, from `first` to `last` at most, run one unit on buffers whose addresses are found
    /// alike; 1: it alone, or so few that they are written out.
    std::size_t equal_steps(const plan::Steps& list, std::size_t first, std::size_t last) const;
    /// What a long list of steps is cut into, all of it; empty for the others.
    const std::vector<const OutlinedRegion*>& regions_of(const plan::Steps& list) const;
    /// What a control step is when a unit runs the whole of it; null otherwise.
    const PersistentKernel* resident(const plan::Step& step) const;
    /// Steps that are made of others, e.g. a collective that is a nest.
    const plan::Step* replacement(const plan::Step& step) const;
    /// In how many parts a replacement is done, each by the GPU of one lane; 1: at once.
    std::int64_t parts(const plan::Step& replacement) const;
    /// What the device's library is asked for before a product's kernel is.
    llvm::ArrayRef<LibraryProduct> library_products(const plan::Step& step) const;
    /// A convolution with an epilogue; null for others.
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
    bool several_gpus_; ///< run the lanes
    int function_size_; ///< the weight of a module, too
    std::vector<std::unique_ptr<Unit>> units_;
    std::map<std::string, Unit*> by_text_;
    std::map<const plan::Step*, Unit*> by_step_;
    std::map<const plan::Step*, std::unique_ptr<PersistentKernel>> residents_;
    std::map<const plan::Step*, std::unique_ptr<plan::Step>> replacements_;
    std::map<const plan::Step*, std::int64_t> parts_; ///< of replacements in several
    std::map<const plan::Step*, std::vector<LibraryProduct>> library_products_;
    std::map<const plan::Step*, std::unique_ptr<LibraryConvolution>> library_convolutions_;
    std::map<const plan::Step*, int> in_place_; ///< instructions, about
    std::vector<std::unique_ptr<OutlinedRegion>> regions_;
    std::map<const plan::Steps*, std::vector<const OutlinedRegion*>> cuts_;
    std::size_t modules_ = 1;
};

inline constexpr const char* entry_name = "pm_entry";
inline constexpr const char* unit_count_name = "pm_unit_count"; ///< i64, of a program with kernels

/// The entry function and everything that stands in place.
void emit_entry(Emit& e, const Layout& layout);
/// A unit's function.
void emit_unit(Emit& e, const Layout& layout, const Unit& unit);
llvm::FunctionType* unit_type(Emit& e, const plan::Step& step);
llvm::FunctionType* kernel_type(Emit& e);
/// A unit that is a kernel, as NVPTX has it: its parameters are the addresses of the step's buffers.
void emit_ptx_kernel(Emit& e, const Layout& layout, const Unit& unit);
/// A region's function.
void emit_region(Emit& e, const Layout& layout, const OutlinedRegion& region);
llvm::FunctionType* region_type(Emit& e, const OutlinedRegion& region);

} // namespace pm::codegen
