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

/// A local name of one function activation. Names of an inner scope come after names of outer scopes in Frame::locals.
/// A name of an inner scope hides the same name in an outer scope.
struct Local {
    std::string name;
    Cell cell;
    int depth; ///< number of open regions at the definition of the local; an assignment in a region opened later makes
               ///< the local a carried value
    bool size = false; ///< true if an annotation defines the name as a size
};

/// One activation of a function, or of the statements of a module.
struct Frame {
    std::shared_ptr<const syntax::Module> module;
    std::shared_ptr<ModuleScope> globals;
    std::vector<Local> locals;
    bool top = false; ///< true if the activation runs statements of the module itself; names that these statements
                      ///< define are names of the module
    const syntax::Function* function = nullptr;
    const Frame* caller = nullptr; ///< the activation that called this activation
    Span call;                     ///< the position of the call
    std::size_t conditions = 0;    ///< number of conditions around the call at `call`
    /// True after a conditional that has a `return` in a branch, and whose condition is a computed number that compiled
    /// code knows.
    bool returns_computed = false;
    const Value* result = nullptr; ///< the types of the function's result; null until these types are known
    /// The conversions in joins of two returns. Each conversion has the index of the converted leaf and the dtype of
    /// the joined leaf.
    std::set<std::pair<std::size_t, DType>> joined_returns = {};
};

/// The indices of the locals that were assigned in a region. Only the first `count` locals of `frame` are recorded.
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
/// conditions of the branches and loops around the code.
class Scopes {
  public:
    explicit Scopes(Stager& stager) : s_(stager) {}

    // -- names of the frame, its module and the library (interpret/lookup.cpp)
    /// Finds a name of the frame, its module or the library. Null if the name is not defined.
    Cell* find(const std::string& name);
    const Value& lookup(const std::string& name, Span span);
    /// The error message for an assignment to an undeclared name.
    Diagnostic unknown_target(const std::string& name, Span span) const;

    // -- names of the frame and its module (core/scopes.cpp)
    /// The cell that an assignment to `name` would change. It is the cell of the local. If no such local exists, it is
    /// the cell of the module's name. Null if neither exists.
    Cell* cell_of(const std::string& name);
    void define(const std::string& name, const Value& value, bool mut, Span span);
    /// Adds a local to the frame. The `depth` of the local is the current number of open regions.
    void add_local(std::string name, Cell cell, bool size = false);
    /// A new activation of the function, with the current frame as its caller. The locals of the activation are the
    /// captured names of the function, and the function's own name if the function is local.
    Frame activation(const Function& f) const;
    /// Records in all open regions of the frame that local number `local` was assigned.
    void mark_dirty(std::size_t local);

    Frame* frame = nullptr; ///< null while no program runs
    int open_regions = 0;
    std::vector<Dirty*> dirty;         ///< one per open region
    std::vector<Condition> conditions; ///< outermost first
    /// True while code is staged whose results may not be needed, such as an operand of a `where`, or a branch that is
    /// staged for its types. An error in this code that is found during staging must not stop the program. So the error
    /// is staged as a check.
    bool errors_as_checks = false;

  private:
    Stager& s_;
};

} // namespace pm::stage
