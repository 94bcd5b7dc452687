#pragma once
#include "compiler/codegen/program/backend.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pm::codegen {

/// Steps first..last of a long list as a function: bool name(call, done [, failed, lane], loops.., locals..). The
/// function returns true if the call must stop. A function of thousands of instructions would take longer to compile
/// than its parts, and the compilation of one function cannot be stopped.
struct OutlinedRegion {
    std::string name;
    const plan::Steps* list = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
    bool in_lane = false;
    std::vector<std::uint32_t> loops;  ///< the enclosing loops, by LoopStep::id
    std::vector<std::uint32_t> locals; ///< by Buffer::index: local buffers that steps outside of the region also use
    std::size_t module = 0;
    int weight = 0;
};

/// A program divided into modules that can be compiled independently. The first module has the entry, the others have
/// units and regions.
class Layout {
  public:
    /// `function_size`: see Options.
    Layout(const plan::Program& program, const Machine& machine, std::unique_ptr<Backend> backend, int function_size);

    std::size_t modules() const { return modules_; }
    void emit(std::size_t module, llvm::Module& into) const;
    /// Emits all units. Only for a target whose units are kernels (UnitForm::kernel).
    void emit_kernels(llvm::Module& into, const Machine& device) const;

    const plan::Program& program() const { return program_; }
    const Machine& machine() const { return machine_; }
    const Backend& backend() const { return *backend_; }
    /// The unit that runs a step; null if its code is inlined.
    const Unit* unit_of(const plan::Step& step) const;
    /// The number of consecutive equal steps of the list, from `first` to at most `last`. Equal steps run the same unit
    /// and compute the addresses of their buffers in the same way. The number is 1 if these steps are too few for a
    /// loop.
    std::size_t equal_steps(const plan::Steps& list, std::size_t first, std::size_t last) const;
    /// The regions of a long list; each step of the list is in one region. Empty if the list is not cut into regions.
    const std::vector<const OutlinedRegion*>& regions_of(const plan::Steps& list) const;
    /// The replacement of a step, for example the nest of a collective. Null if the step is not replaced.
    const plan::Step* replacement(const plan::Step& step) const;
    /// The number of equal parts of a replacement. The unit runs once for each part.
    std::int64_t parts(const plan::Step& replacement) const;

  private:
    void collect(const plan::Steps& steps);
    void add(const plan::Step& step);
    struct Scope;
    int cut(const plan::Steps& list, Scope& scope);
    int weight_of(const plan::Step& step, Scope& scope);
    void spread(int entry_weight);

    const plan::Program& program_;
    const Machine& machine_;
    std::unique_ptr<Backend> backend_;
    int function_size_; ///< the limit for the weight of a function, and of a module
    std::vector<std::unique_ptr<Unit>> units_;
    std::map<std::string, Unit*> by_text_;
    std::map<const plan::Step*, Unit*> by_step_;
    std::map<const plan::Step*, std::unique_ptr<plan::Step>> replacements_;
    std::map<const plan::Step*, std::int64_t> parts_; ///< the number of parts, for replacements with several parts
    std::map<const plan::Step*, int> in_place_;       ///< the approximate number of instructions of inlined steps
    std::vector<std::unique_ptr<OutlinedRegion>> regions_;
    std::map<const plan::Steps*, std::vector<const OutlinedRegion*>> cuts_;
    std::size_t modules_ = 1;
};

inline constexpr const char* entry_name = "pm_entry";
inline constexpr const char* unit_count_name = "pm_unit_count"; ///< the symbol of the number of units, in programs
                                                                ///< with kernels

} // namespace pm::codegen
