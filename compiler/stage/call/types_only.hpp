#pragma once
#include "compiler/stage/core/stager.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// An interpreted function executes one branch of a condition, and the iterations of a loop one by one. In compiled
/// code, a value has the same type in both branches and in all iterations. Numbers in interpreted code must have these
/// types too. So the code that is not executed is staged only to find the types of its results.
namespace pm::stage {

/// Stages some code, called the work, only to find the types of its results. Nothing is executed, and assignments are
/// undone. Host work that returns `none` is skipped.
class TypesOnly {
  public:
    /// `names` are the locals that the work assigns. `appended` is the subset of `names` that the work only appends to.
    TypesOnly(Stager& s, const std::set<std::string>& names, const std::set<std::string>& appended)
        : s_(s), names_(names), appended_(appended) {}

    struct Types {
        Value value; ///< the result of the work; its leaves are numbers, and arrays without elements
        /// The values of the assigned locals after the work. For a tuple that is only appended to, the new items.
        std::map<std::string, Value> locals;

        Value of(const std::string& local) const {
            const auto at = locals.find(local);
            return at == locals.end() ? Value() : at->second;
        }
    };
    /// The types of the results of `work`. Empty if these types cannot be determined, because `work` does host work
    /// that returns a value, reads elements, or raises an error.
    std::optional<Types> of(const std::function<Value()>& work);

  private:
    /// Stages `work`, and then restores the locals that `work` assigns.
    Types staged(const std::function<Value()>& work);
    Types types_after(const std::function<Value()>& work);

    Stager& s_;
    const std::set<std::string>& names_;
    const std::set<std::string>& appended_;
};

/// The names that the statements of `blocks` assign. `blocks` are blocks of the current frame's function.
const Assigned& assigned_in(Stager& s, const std::vector<syntax::BlockId>& blocks);

/// Converts `given`, the value of one branch, to the type that it has in compiled code. `other` is the value of the
/// other branch. Numbers in the result are computed numbers of the promoted dtype. If both values are the same known
/// number, the number does not change. If the types of the two values cannot be joined, compiled code would have to
/// know the condition. In this case the numbers of `given` become computed numbers of their own dtype. The fields of a
/// record in the result have the order that they have in `first`, which is `given` or `other`.
Value joined(Stager& s, const Value& given, const Value& other, const Value& first);

/// Whether compiled code would compute `condition` at run time, and so would stage both branches. In interpreted code,
/// the value of the condition is known.
bool stages_both_branches(const Stager& s, const Value& condition);
/// Returns `condition`, which is a condition or the index of a `switch`. In code that is staged only for its types, a
/// computed number is converted to a staged value. Then all branches are staged, as in compiled code.
Value as_data_if_computed(Stager& s, const Value& condition);

/// For a conditional with a computed condition, converts values to the types that they have in compiled code. An
/// interpreted function executes only one of the conditional's branches. The object must be constructed before this
/// branch is executed.
class BranchTypes {
  public:
    /// `assigned`: the names that the branches of the conditional assign.
    BranchTypes(Stager& s, const Assigned& assigned);
    /// Must be called after a branch has run. Converts the value of the branch, and the locals that the branch
    /// assigned, to their types in compiled code. `first`: true if the branch that has run is the first branch. `other`
    /// stages the other branch. It is null if the conditional has no other branch.
    void join(Value& value, bool first, const std::function<Value()>& other);

  private:
    struct Local {
        std::size_t at;
        const std::string* name;
        Value before;         ///< the value before the branch; arrays with axes in it are replaced by their types
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

/// For a loop of an interpreted function, converts the carried values to the types that they have in compiled code. The
/// loop carries these values from one iteration to the next.
class CarriedTypes {
  public:
    CarriedTypes(Stager& s, syntax::BlockId body);
    ~CarriedTypes();
    CarriedTypes(const CarriedTypes&) = delete;
    CarriedTypes& operator=(const CarriedTypes&) = delete;
    /// Must be called before the first iteration. Converts the carried values to the types that they have in all
    /// iterations. `loop` stages the loop.
    void settle(const std::function<void()>& loop);
    /// Must be called before and after each iteration. Converts the carried values again.
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
