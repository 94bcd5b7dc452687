#pragma once
#include "compiler/stage/core/stager.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// An interpreted function executes one branch of a condition, and the iterations of a loop one by one. Compiled code
/// has one type for both branches and for all iterations. To give numbers in interpreted code the same types, code that
/// does not run is staged only to find its result types.
namespace pm::stage {

/// Stages work only to find its result types. Nothing is executed, and assignments are undone. Host work that returns
/// `none` is left out.
class TypesOnly {
  public:
    /// `names` are the locals that the work assigns, `appended` the subset that it only appends to.
    TypesOnly(Stager& s, const std::set<std::string>& names, const std::set<std::string>& appended)
        : s_(s), names_(names), appended_(appended) {}

    struct Types {
        Value value; ///< the result of the work; its leaves are arrays without elements, and literals
        /// The values of the assigned locals. For a tuple that is only appended to: its new items.
        std::map<std::string, Value> locals;

        Value of(const std::string& local) const {
            const auto at = locals.find(local);
            return at == locals.end() ? Value() : at->second;
        }
    };
    /// The types of the work. Empty if they cannot be determined: the work does host work that returns a value, reads
    /// elements, or raises an error.
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

/// Converts `given`, the value of one branch, to its type in compiled code. `other` is the value of the other branch.
/// The result is a computed number of the promoted dtype. If both values are the same known number, `given` does not
/// change. If their types do not fit, compiled code would have to know the condition; `given` then becomes a computed
/// number of its own dtype. The fields of a record get the order that they have in `first`, which is `given` or
/// `other`.
Value joined(Stager& s, const Value& given, const Value& other, const Value& first);

/// Whether compiled code would compute this condition at run time, and so stage both branches. The condition is known
/// here.
bool stages_both_branches(const Stager& s, const Value& condition);
/// Returns the condition, or the index of a `switch`. In code that is staged only for its types, a computed number is
/// converted to data, so that all branches are staged, as in compiled code.
Value as_data_if_computed(Stager& s, const Value& condition);

/// The branches of a computed condition, of which an interpreted function executes only one. The object must be
/// constructed before this branch runs.
class BranchTypes {
  public:
    /// `assigned`: the names that all branches of the condition assign.
    BranchTypes(Stager& s, const Assigned& assigned);
    /// Must be called after the branch has run. Converts the value of the branch, and the locals that the branch
    /// assigned, to their types in compiled code. `first`: the first branch has run. `other` stages the other branch;
    /// null if there is none.
    void join(Value& value, bool first, const std::function<Value()>& other);

  private:
    struct Local {
        std::size_t at;
        const std::string* name;
        Value before;         ///< the value of the local before the branch; arrays with axes have no elements in it
        std::size_t size = 0; ///< for a tuple that is only appended to: the number of items before the branch
        bool appended = false;
        Value after = {};
        std::vector<Value> more = {}; ///< for a tuple that is only appended to: the items that the branch appended
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
    /// Must be called before the first iteration. Converts the values to the types that they have in all iterations.
    /// `loop` stages the loop.
    void settle(const std::function<void()>& loop);
    /// Must be called before and after each iteration. Converts the values again.
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
