#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

struct Elements;
struct Sequence;

/// Warns about a loop `for x in r` over a record whose fields are all arrays of the same length. The loop's variable is
/// a pair of a field's name and the field's array, but the author of the program may expect a row of the arrays.
void warn_of_fields(Stager& s, const Value& source, syntax::PatternId pattern, Span span);

/// Runs `for` and `while` loops. The iterations are run one by one, or the loop is staged as one instruction
/// (control.hpp).
class Loops {
  public:
    explicit Loops(Stager& stager) : s_(stager) {}

    Flow run(const syntax::For& loop);
    Flow run(const syntax::While& loop);
    /// Runs a comprehension over the elements of `source`. The elements of an array are its slices along axis 0.
    /// Returns the stacked results.
    Value map_over(const Value& source, const Elements& elements, Span span);
    /// The value of a loop that stacks the results of its body and has no iterations. The value has arrays without
    /// elements, with the dtypes of the body's results. Nothing is executed. Returns an empty result if these dtypes
    /// cannot be determined.
    std::optional<Value> without_iterations(const std::function<Value()>& loop, int id);

  private:
    Flow run_iterations(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_items(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_unrolled(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_iteration(const syntax::For& loop, const Value& item, Span span);
    Flow run_while(const syntax::While& loop, Span span);
    void warn_of_dtype(const NeedUnroll& need, std::int64_t iterations, Span span) const;
    void note_returns(syntax::BlockId body);
    Flow staged_for(const syntax::For& loop, const Sequence& sequence, bool early, int id, Span span);
    bool guarded_iteration(const std::function<Flow()>& iteration, Span span);
    Flow after_guarded(bool returns, bool none_returned, Span span);

    Stager& s_;
};

} // namespace pm::stage
