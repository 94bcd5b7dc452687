#pragma once
#include "compiler/stage/core/stager.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// An interpreted function executes one branch of a condition, and the iterations of a loop one by one. Compiled code
/// has one type for both branches and for all iterations. To give interpreted numbers the same types, code that does
/// not run is staged for its result types.
namespace pm::stage {

/// Stages work for its result types. Nothing is executed, and assignments are undone. Host work that returns nothing is
/// left out.
class TypesOnly {
  public:
    /// `names` are the locals that the work assigns, `appended` the subset that it only appends to.
    TypesOnly(Stager& s, const std::set<std::string>& names, const std::set<std::string>& appended)
        : s_(s), names_(names), appended_(appended) {}

    struct Types {
        Value value;                         ///< arrays without elements, and written numbers
        std::map<std::string, Value> locals; ///< of the assigned locals; for a tuple that grows, the new items

        Value of(const std::string& local) const {
            const auto at = locals.find(local);
            return at == locals.end() ? Value() : at->second;
        }
    };
    /// Empty if the types cannot be determined: the work reads files, calls itself, or is an error.
    std::optional<Types> of(const std::function<Value()>& work);

  private:
    /// Stages the work, then restores the locals that it assigns.
    Types staged(const std::function<Value()>& work);
    Types types_after(const std::function<Value()>& work);

    Stager& s_;
    const std::set<std::string>& names_;
    const std::set<std::string>& appended_;
};

/// The names that these blocks of the current frame assign.
const Assigned& assigned_in(Stager& s, const std::vector<syntax::BlockId>& blocks);

/// Converts `given` to the type that it has in compiled code if `other` may be chosen instead: a computed number of the
/// promoted dtype. A number that is known and equal in both does not change. If the two do not fit, compiled code would
/// have to know the condition, and `given` becomes a computed number of its own dtype. Fields are in the order of
/// `first`, which is `given` or `other`.
Value joined(Stager& s, const Value& given, const Value& other, const Value& first);

/// Whether compiled code would compute this condition at run time, and so stage both branches. The condition is known
/// here.
bool stages_both_branches(const Stager& s, const Value& condition);
/// Returns a condition, or the index of a `switch`. In code that is staged for its types, a computed one becomes data,
/// so that all branches are staged, as in compiled code.
Value as_data_if_computed(Stager& s, const Value& condition);

/// The branches of a computed condition, of which an interpreted function executes one. Construct it before that branch
/// runs.
class BranchTypes {
  public:
    /// `assigned`: the names that all branches of the condition assign.
    BranchTypes(Stager& s, const Assigned& assigned);
    /// Call after a branch has run; `first`: it was the first one. Converts its value, and the locals that it assigned,
    /// to their types in compiled code. `other` is the branch not taken; null if there is none.
    void join(Value& value, bool first, const std::function<Value()>& other);

  private:
    struct Local {
        std::size_t at;
        const std::string* name;
        Value before;         ///< the value of the local; arrays with axes have no elements here
        std::size_t size = 0; ///< for a tuple that is only appended to: the number of items before
        bool appended = false;
        Value after = {};
        std::vector<Value> more = {}; ///< for such a tuple: the appended items
    };
    void back();
    void forth();

    Stager& s_;
    const Assigned& assigned_;
    std::vector<Local> locals_;
};

/// The values that a loop of an interpreted function carries from one iteration to the next.
class CarriedTypes {
  public:
    CarriedTypes(Stager& s, syntax::BlockId body);
    ~CarriedTypes();
    CarriedTypes(const CarriedTypes&) = delete;
    CarriedTypes& operator=(const CarriedTypes&) = delete;
    /// Call before the first iteration: converts the values to the types of all iterations. `loop` stages the loop.
    void settle(const std::function<void()>& loop);
    /// Call before and after each iteration.
    void carry();

  private:
    void find_types(const std::function<void()>& loop);

    struct Local {
        std::size_t at;
        const std::string* name;
        std::optional<Value> type = {};
        bool appended = false;
    };

    Stager& s_;
    const Assigned& assigned_;
    std::vector<Local> locals_;
    std::vector<std::pair<const Frame*, std::size_t>> registered_;
};

} // namespace pm::stage
