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

/// A step whose code is a function of its own. Equal steps share one unit.
struct Unit {
    std::string name;
    std::int64_t number = 0;
    const plan::Step* step = nullptr;
    NestShape shape; ///< of nests; of other steps only its weight
    std::size_t module = 0;
};

/// The form of a target's units.
enum class UnitForm : std::uint8_t {
    function, ///< void name(call, buffer addresses...), which the host's code calls
    emulated, ///< a kernel in the host's modules; the loader of the program finds it by its name
    kernel,   ///< a kernel in the module of the device
};

/// For one function of the host's code: emits the steps that a target runs in a different way than others, and the
/// host's accesses to the target's memory.
class TargetSteps {
  public:
    virtual ~TargetSteps() = default;
    TargetSteps() = default;
    TargetSteps(const TargetSteps&) = delete;
    TargetSteps& operator=(const TargetSteps&) = delete;

    /// Emits a single step. False: the code is that of all targets. With UnitForm::function it also emits several steps
    /// that share one unit (Layout::equal_steps).
    virtual bool emit(llvm::ArrayRef<plan::Step> equal) = 0;
    /// The address at which the host reads `bytes` bytes of the target's memory, until end_access().
    virtual Value* read(Value* address, std::int64_t bytes) = 0;
    /// The same for bytes that the host changes. `all`: it overwrites all of them.
    virtual Value* write(Value* address, std::int64_t bytes, bool all) = 0;
    virtual void end_access() = 0;
    /// Stores the index of a loop, an i64, as an element of the target's memory.
    virtual void store_index(DType dtype, Value* index, Value* address) = 0;
    /// The index of the first false element of a check, or -1. Null if the host looks for it.
    virtual Value* first_failure(const plan::Step& check) = 0;
};

/// Code generation for one target and one program. The common code (Layout, StepEmitter) knows targets by this
/// interface alone.
class Backend {
  public:
    virtual ~Backend() = default;
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    virtual UnitForm form() const = 0;

    // Layout divides a program into units. It asks in the order of the steps, each step before its children.

    /// Whether one unit runs the control step with its children.
    virtual bool runs_whole(const plan::Step& step) = 0;
    /// Whether another step is a unit, unless inlined() says that its code stays in place.
    virtual bool may_be_unit(const plan::Step& step) const = 0;
    /// The number of equal parts of a reducing collective. Each is a run of the unit.
    virtual std::int64_t parts(const plan::Step& collective) const = 0;
    /// Steps that may follow a step: units too. They live as long as this object.
    virtual std::vector<const plan::Step*> epilogues(const plan::Step& step) = 0;
    virtual NestShape shape(const plan::Step& step) const = 0;
    /// Whether the code of such a step is inlined instead.
    virtual bool inlined(const plan::Step& step, const NestShape& shape) const = 0;
    /// A text that is equal for steps that can share a unit.
    virtual std::string text(const plan::Step& step, const NestShape& shape) const = 0;
    virtual void add(const Unit& unit) = 0;
    /// About how many instructions the host has after the unit of a step, beside its call.
    virtual int weight_after(const plan::Step& step) const = 0;

    // Code.

    /// `internal`: all code is in one module.
    virtual void emit_unit(Emit& e, const Unit& unit, bool internal) const = 0;
    virtual std::unique_ptr<TargetSteps> steps(StepEmitter& emitter) const = 0;
};

} // namespace pm::codegen
