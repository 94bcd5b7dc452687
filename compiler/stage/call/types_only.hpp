#pragma once
#include "compiler/stage/core/stager.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// An interpreted function takes one side of a condition, and does one iteration of a loop after the other, where
/// compiled code has one type for both sides and for all iterations. So that its numbers are of these types too, what
/// does not run is staged for the types of what it gives.
namespace pm::stage {

/// Stages work for the types of what it gives: nothing of it runs, and what it assigns is undone. Host work that gives
/// nothing is left out.
class TypesOnly {
  public:
    /// `names` are the locals that the work assigns, `appended` those of them that it only appends to.
    TypesOnly(Stager& s, const std::set<std::string>& names, const std::set<std::string>& appended)
        : s_(s), names_(names), appended_(appended) {}

    struct Types {
        Value value;                         ///< arrays without elements, and numbers as they are written
        std::map<std::string, Value> locals; ///< of those that it assigns; of a tuple that grows, the new items

        Value of(const std::string& local) const {
            const auto at = locals.find(local);
            return at == locals.end() ? Value() : at->second;
        }
    };
    /// Nothing where the types cannot be told: it reads files, calls itself, or is an error.
    std::optional<Types> of(const std::function<Value()>& work);

  private:
    /// The locals that the work assigns have their values back after it.
    Types staged(const std::function<Value()>& work);
    Types types_after(const std::function<Value()>& work);

    Stager& s_;
    const std::set<std::string>& names_;
    const std::set<std::string>& appended_;
};

/// What the blocks, in the frame that is being run, assign.
const Assigned& assigned_in(Stager& s, const std::vector<syntax::BlockId>& blocks);

/// `given` as compiled code gives it on where `other` may come in its place: a computed number of the dtype in which
/// both meet, but a number that is written alike in both. Where they do not fit, compiled code would know the
/// condition, and `given` is a computed number of its own dtype. Fields stand in the order of `first`, one of the two.
Value joined(Stager& s, const Value& given, const Value& other, const Value& first);

/// Whether this condition, which is known here, is one of which compiled code would have both sides.
bool has_both_sides(const Stager& s, const Value& condition);

/// The sides of a computed condition, of which an interpreted function takes one. Made before that runs.
class Sides {
  public:
    /// `assigned`: by all that the condition chooses from.
    Sides(Stager& s, const Assigned& assigned);
    /// After one side, `first` or second, has run: gives its value, and the locals that it has assigned, the types that
    /// they have in compiled code. `other` is the side that was not taken; null where there is none.
    void join(Value& value, bool first, const std::function<Value()>& other);

  private:
    struct Local {
        std::size_t at;
        const std::string* name;
        Value before;         ///< arrays with axes without their elements
        std::size_t size = 0; ///< of a tuple that is only appended to
        bool appended = false;
        Value after = {};
        std::vector<Value> more = {}; ///< of such a tuple: what has been appended
    };
    void back();
    void forth();

    Stager& s_;
    const Assigned& assigned_;
    std::vector<Local> locals_;
};

/// What a loop of an interpreted function carries from one iteration to the next.
class CarriedTypes {
  public:
    CarriedTypes(Stager& s, syntax::BlockId body);
    ~CarriedTypes();
    CarriedTypes(const CarriedTypes&) = delete;
    CarriedTypes& operator=(const CarriedTypes&) = delete;
    /// Before the first iteration: gives the names the types that all iterations have. `loop` stages it.
    void settle(const std::function<void()>& loop);
    /// Before and after an iteration.
    void carry();

  private:
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
