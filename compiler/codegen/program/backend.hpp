#pragma once
#include "compiler/codegen/nest/nest_shape.hpp"
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pm::codegen {

class StepEmitter;

/// A step whose code is a separate function. Equal steps share one unit.
struct Unit {
    std::string name;
    std::int64_t number = 0;
    const plan::Step* step = nullptr;
    NestShape shape; ///< the shape of a nest; for other steps only the weight is set
    std::size_t module = 0;
};

/// The form of a target's units.
enum class UnitForm : std::uint8_t {
    function, ///< void name(call, buffer addresses...), which the host's code calls
    emulated, ///< a kernel in the host's modules, which the loader of the program finds by name
    kernel,   ///< a kernel in the device's module
};

/// Emits code of one function of the host: the steps for which the target has its own code, and the accesses of the
/// host to the target's memory.
class TargetSteps {
  public:
    virtual ~TargetSteps() = default;
    TargetSteps() = default;
    TargetSteps(const TargetSteps&) = delete;
    TargetSteps& operator=(const TargetSteps&) = delete;

    /// Emits a step. Returns false if the common code must emit the step. With UnitForm::function, `equal` may contain
    /// several steps that share one unit (Layout::equal_steps).
    virtual bool emit(llvm::ArrayRef<plan::Step> equal) = 0;
    /// The address at which the host reads `bytes` bytes of the target's memory. Valid until end_access().
    virtual Value* read(Value* address, std::int64_t bytes) = 0;
    /// The address at which the host changes `bytes` bytes. `all` is true if the host overwrites all of these bytes.
    virtual Value* write(Value* address, std::int64_t bytes, bool all) = 0;
    virtual void end_access() = 0;
    /// Stores the index of a loop, an i64, as an element of dtype `dtype` in the target's memory.
    virtual void store_index(DType dtype, Value* index, Value* address) = 0;
    /// Emits a search for the first false element of a check. Returns the index of the element, or -1 if no element is
    /// false. Returns null if the host must search.
    virtual Value* first_failure(const plan::Step& check) = 0;
};

/// Code generation for one target and one program. The common code (Layout, StepEmitter) uses targets only through this
/// interface.
class Backend {
  public:
    virtual ~Backend() = default;
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    virtual UnitForm form() const = 0;

    // Layout divides a program into units. Layout calls the following functions in the order of the steps. The calls
    // for a control step come before the calls for its children.

    /// Whether one unit runs the whole control step, including its children.
    virtual bool runs_whole(const plan::Step& step) = 0;
    /// Whether a step that is no control step can be a unit. Such a step is a unit unless inlined() is true for the
    /// step.
    virtual bool may_be_unit(const plan::Step& step) const = 0;
    /// The number of equal parts into which a reducing collective is divided. The unit runs once for each part.
    virtual std::int64_t parts(const plan::Step& collective) const = 0;
    /// The steps that may compute the epilogue of `step` after `step` itself. Each of these steps is also a unit. The
    /// back end owns these steps.
    virtual std::vector<const plan::Step*> epilogues(const plan::Step& step) = 0;
    virtual NestShape shape(const plan::Step& step) const = 0;
    /// Whether the code of a step is inlined, although may_be_unit() is true for the step.
    virtual bool inlined(const plan::Step& step, const NestShape& shape) const = 0;
    /// A text that is equal for steps that can share one unit.
    virtual std::string text(const plan::Step& step, const NestShape& shape) const = 0;
    virtual void add(const Unit& unit) = 0;
    /// The approximate number of instructions that the host runs after the unit of a step. The call of the unit does
    /// not count.
    virtual int weight_after(const plan::Step& step) const = 0;

    // Emission.

    /// If `internal` is true, all code is in one module, and the function has internal linkage.
    virtual void emit_unit(Emit& e, const Unit& unit, bool internal) const = 0;
    virtual std::unique_ptr<TargetSteps> steps(StepEmitter& emitter) const = 0;
};

} // namespace pm::codegen
