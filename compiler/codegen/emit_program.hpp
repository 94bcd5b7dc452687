#pragma once
#include "compiler/codegen/emit.hpp"
#include "compiler/codegen/nest_shape.hpp"
#include "compiler/plan/program.hpp"

#include <map>
#include <string>
#include <vector>

namespace pm::codegen {

/// A step whose code is a function of its own: void name(call, buffer addresses...). Equal steps share one.
struct Unit {
    std::string name;
    const plan::Step* step = nullptr;
    NestShape shape; ///< of nests
    std::size_t module = 0;
};

/// A program cut into modules that can be made independently: the first holds the entry, the others units.
class Layout {
  public:
    Layout(const plan::Program& program, const Machine& machine);

    std::size_t modules() const { return modules_; }
    void emit(std::size_t module, llvm::Module& into) const;

    const plan::Program& program() const { return program_; }
    const Machine& machine() const { return machine_; }
    /// The unit that runs a step; null when its code stands in place.
    const Unit* unit_of(const plan::Step& step) const;
    /// Steps that are made of others, e.g. a collective that is a nest.
    const plan::Step* replacement(const plan::Step& step) const;

  private:
    void collect(const plan::Steps& steps);
    void add(const plan::Step& step);
    bool stands_in_place(const plan::Step& step, const NestShape& shape) const;

    const plan::Program& program_;
    const Machine& machine_;
    std::vector<std::unique_ptr<Unit>> units_;
    std::map<std::string, Unit*> by_text_;
    std::map<const plan::Step*, Unit*> by_step_;
    std::map<const plan::Step*, std::unique_ptr<plan::Step>> replacements_;
    std::size_t modules_ = 1;
    int weight_ = 0;
};

inline constexpr const char* entry_name = "pm_entry";

/// The entry function and everything that stands in place.
void emit_entry(Emit& e, const Layout& layout);
/// A unit's function.
void emit_unit(Emit& e, const Layout& layout, const Unit& unit);
llvm::FunctionType* unit_type(Emit& e, const plan::Step& step);

/// Calls fn(call, i, frame) for i in 0..n on the workers; the frame holds these values (pointers and i64). `body`
/// writes fn's code, given the chunk's number and the values as read back.
void emit_parallel(Emit& e, const std::string& name, Value* call, Value* n, llvm::ArrayRef<Value*> values,
                   const std::function<void(Value* call, Value* chunk, llvm::ArrayRef<Value*> values)>& body);

} // namespace pm::codegen
