#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

struct Elements;
struct Sequence;

/// Warns if a single name takes the fields of a record that are arrays of one length. It is then a pair, where a row of
/// the arrays may be expected.
void warn_of_fields(Stager& s, const Value& source, syntax::PatternId pattern, Span span);

/// Runs `for` and `while`. The iterations are run one by one, or staged as one loop (control.hpp).
class Loops {
  public:
    explicit Loops(Stager& stager) : s_(stager) {}

    Flow run(const syntax::For& loop);
    Flow run(const syntax::While& loop);
    /// Runs a comprehension over `source`, for an array along axis 0. Returns the stacked results.
    Value map_over(const Value& source, const Elements& elements, Span span);
    /// The value of a loop with zero iterations that stacks the results of its body: arrays without elements, with the
    /// types of the body's results. Nothing is executed. Empty if these types cannot be determined.
    std::optional<Value> without_iterations(const std::function<Value()>& loop, int id);

  private:
    Flow run_iterations(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_items(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_unrolled(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_iteration(const syntax::For& loop, const Value& item, Span span);
    Flow run_while(const syntax::While& loop, Span span);
    void note_returns(syntax::BlockId body);
    Flow staged_for(const syntax::For& loop, const Sequence& sequence, bool early, int id, Span span);
    bool guarded_iteration(const std::function<Flow()>& iteration, Span span);
    Flow after_guarded(bool returns, bool none_returned, Span span);

    Stager& s_;
};

} // namespace pm::stage
