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

/// A local name of one function activation. A name of an inner scope is later in Frame::locals, and hides an equal name
/// of an outer scope.
struct Local {
    std::string name;
    Cell cell;
    int depth; ///< depth of the context that defined the local; an assignment in a deeper region makes the local a
               ///< carried value
    bool size = false; ///< an annotation defines the name as a size
};

/// One activation of a function, or of the statements of a module.
struct Frame {
    std::shared_ptr<const syntax::Module> module;
    std::shared_ptr<ModuleScope> globals;
    std::vector<Local> locals;
    bool top = false; ///< the activation runs statements of the module itself, so the names that they define are names
                      ///< of the module
    const syntax::Function* function = nullptr;
    const Frame* caller = nullptr; ///< the activation that called this one
    Span call;                     ///< the position of the call
    std::size_t conditions = 0;    ///< number of conditions around the call at `call`
    /// A computed condition that compiled code knows, with a `return` in a branch, was executed.
    bool returns_computed = false;
    const Value* result = nullptr; ///< the types of the function's result; null until they are known
    /// The conversions of returned values: the index of each leaf that a join of two returns converted, with the dtype
    /// of the join.
    std::set<std::pair<std::size_t, DType>> joined_returns = {};
};

/// The locals that were assigned in a region, by index. Only the first `count` locals of `frame` are recorded.
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

/// The scopes around the code being staged: the function's activation with its names, the open regions, and the
/// conditions.
class Scopes {
  public:
    explicit Scopes(Stager& stager) : s_(stager) {}

    // -- names of the frame, its module and the library (interpret/lookup.cpp)
    /// Finds a name of the frame, its module or the library. Null if the name is not defined.
    Cell* find(const std::string& name);
    const Value& lookup(const std::string& name, Span span);
    /// The message for an assignment to an undeclared name.
    Diagnostic unknown_target(const std::string& name, Span span) const;

    // -- names of the frame and its module (core/scopes.cpp)
    /// The local, or else the name of the module, that an assignment to `name` would change. Null if neither exists.
    Cell* cell_of(const std::string& name);
    void define(const std::string& name, const Value& value, bool mut, Span span);
    /// Adds a local to the frame, with the depth of the current context.
    void add_local(std::string name, Cell cell, bool size = false);
    /// A new activation of the function, with the current frame as its caller. Its locals are the captured names of the
    /// function.
    Frame activation(const Function& f) const;
    /// Records in all open regions of this frame that a local was assigned.
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
