#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Statements of the current frame: blocks, patterns and assignments.
class Statements {
  public:
    explicit Statements(Stager& stager) : s_(stager) {}

    /// `wanted`: the value is used; if not, it is none.
    Flow block(syntax::BlockId id, bool wanted);
    Flow run(syntax::StmtId id, bool wanted);
    /// Marks the names that a statement would have defined or assigned as unknown.
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
