#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Runs statements in the current frame: blocks, patterns and assignments.
class Statements {
  public:
    explicit Statements(Stager& stager) : s_(stager) {}

    /// Runs the statements of a block. `wanted`: true if the value of the block is used. If `wanted` is false, the
    /// value is `none`.
    Flow block(syntax::BlockId id, bool wanted);
    Flow run(syntax::StmtId id, bool wanted);
    /// Marks as unknown the names that a skipped statement would have defined or assigned.
    void leave_unknown(syntax::StmtId id);
    void bind_pattern(syntax::PatternId pattern, const Value& value, bool mut, Span span);

  private:
    Flow run_all(const std::vector<syntax::StmtId>& statements, std::size_t from, bool wanted);
    Flow run_checked(syntax::StmtId id, bool wanted);
    Flow run_any(syntax::StmtId id, bool wanted);
    void take_apart(const syntax::TuplePattern& p, Span at, const Value& value, Span span,
                    const std::function<void(syntax::PatternId, const Value&)>& part);
    Cell& assignable(const std::string& name, Span span);
    void assign(const syntax::Assign& a, Span span);
    bool assign_appended(const syntax::Assign& a);
    void assign_place(const syntax::PlacePattern& place, syntax::UpdateOp op, const Value& value, Span span);
    void assign_pattern(syntax::PatternId pattern, const Value& value, Span span);

    Stager& s_;
};

} // namespace pm::stage
