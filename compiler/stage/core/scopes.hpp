#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/values/module_scope.hpp"
#include "compiler/stage/values/value.hpp"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

class Stager;

/// A name of one function activation. Inner names come later in Frame::locals and hide outer ones.
struct Local {
    std::string name;
    Cell cell;
    int depth;         ///< of the context that defined it; an assignment in a deeper region makes it a carried value
    bool size = false; ///< a size bound by an annotation
};

/// One activation of a function, or of the statements of a module.
struct Frame {
    std::shared_ptr<const syntax::Module> module;
    std::shared_ptr<ModuleScope> globals;
    std::vector<Local> locals;
    bool top = false; ///< it runs statements of the module itself: the names that it defines are the module's
    const syntax::Function* function = nullptr;
    const Frame* caller = nullptr; ///< the activation that called this one
    Span call;                     ///< the position of the call
    std::size_t conditions = 0;    ///< number of conditions around that call
    bool returns_computed = false; ///< a `return` was under a computed condition that compiled code knows
    const Value* result = nullptr; ///< the types of its result; null until they are known
    /// Leaves of values that were returned or end the body: each leaf that was joined, with the dtype of the join.
    std::set<std::pair<std::size_t, DType>> joined_returns = {};
};

/// The locals of a frame, among the first `count`, that were assigned in a region.
struct Dirty {
    const Frame* frame;
    std::size_t count;
    std::set<std::size_t> indices;
};

/// A condition of a branch or a loop.
struct Condition {
    Value value;
    Span span;
};

/// The scopes around the code being staged: the activation of its function, with its names, the open regions and the
/// conditions.
class Scopes {
  public:
    explicit Scopes(Stager& stager) : s_(stager) {}

    // -- names of the frame, its module and the library (interpret/lookup.cpp)
    /// Null if there is no such name.
    Cell* find(const std::string& name);
    const Value& lookup(const std::string& name, Span span);
    /// The message for an assignment to an undeclared name.
    Diagnostic unknown_target(const std::string& name, Span span) const;

    // -- names of the frame and its module (core/scopes.cpp)
    /// The local or the module's name that an assignment would change. Null if there is none.
    Cell* cell_of(const std::string& name);
    void define(const std::string& name, const Value& value, bool mut, Span span);
    /// Adds a local of this depth to the frame.
    void add_local(std::string name, Cell cell, bool size = false);
    /// An activation of the function, called from the current frame: its locals are the captured names.
    Frame activation(const Function& f) const;
    /// Notes in the open regions of this frame that a local was assigned.
    void mark_dirty(std::size_t local);

    Frame* frame = nullptr; ///< null if no program runs
    int open_regions = 0;
    std::vector<Dirty*> dirty;         ///< one per open region
    std::vector<Condition> conditions; ///< outermost first
    /// Code is being staged whose results may not be needed: an operand of a `where`, or a branch that is staged for
    /// its types. Known errors in it must not stop the program, so they are staged as checks.
    bool errors_as_checks = false;

  private:
    Stager& s_;
};

} // namespace pm::stage
