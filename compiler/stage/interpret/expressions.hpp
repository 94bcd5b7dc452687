#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/syntax/left_chain.hpp"

namespace pm::stage {

/// Evaluates expressions in the current frame.
class Expressions {
  public:
    explicit Expressions(Stager& stager) : s_(stager) {}

    Value evaluate(syntax::ExprId id);
    /// Evaluates an expression statement whose value is unused. Raises if the expression only computes its value and
    /// has no effect. A call of a function `f` of the program, or of `jit(f)`, is always allowed.
    Value dropped(syntax::ExprId id);
    /// Evaluates `node` from branch number `at` on. If `flow` is not null, the `if` is a statement, and `*flow` is set
    /// to the way in which the statement ended.
    Value conditional(const syntax::If& node, std::size_t at, Span span, Flow* flow, bool wanted = true);
    Value chain_step(const syntax::LeftChain::Step& step, const Value& left, const Value& right);
    /// The function that the node `id` defines, with the values of the names that the function captures.
    Value function(syntax::FunctionId id);
    /// `literals`: true if an argument that is an array literal is evaluated to a tuple of literals.
    CallArguments evaluate_arguments(const std::vector<syntax::Argument>& arguments, Span span, bool literals = false);

  private:
    // literals (literals.cpp)
    Value string(const syntax::StringLiteral& s);
    Value record_literal(const syntax::Record& r);
    Value array_literal(const syntax::Array& a, Span span);
    std::optional<std::string> in_round_brackets(Span span, std::size_t items);
    /// The value of a call such as `f64([0.1])`. The numbers of the literal are converted to the dtype without rounding
    /// to f32 first.
    Value typed_literal(const syntax::Array& a, DType dtype, Span span);
    std::vector<Value> values_of(const std::vector<syntax::Item>& written, bool literals = false);
    /// The parser reads `1.e5` as the field `e5` of the number 1. So the error suggests `1.0e5`.
    Value field_of_literal(const syntax::Field& f);

    // conditions (conditions.cpp)
    Value logical(const syntax::Binary& b, Span span);
    Value decided(const Value& left, syntax::ExprId right, const std::function<Value()>& evaluated, Span span);
    Value taken_in_code(const syntax::If& node, std::size_t at, const Value& condition,
                        const std::function<Value()>& side, Flow* flow);
    Value taken_branch(const syntax::If& node, std::size_t at, bool first, const std::function<Flow(bool first)>& side,
                       Flow* flow);

    // operators, parts and calls
    /// `depth`: the number of operators of the chain that contain the expression `id`.
    Value chain(syntax::ExprId id, int depth);
    Value comprehension(const syntax::Comprehension& c, Span span);
    bool keeps(const Value& value, syntax::ExprId condition);
    Value tuple_index(const Value& object, std::uint64_t index, Span span);
    Value call(const syntax::Call& n, syntax::ExprId id);
    Value choice(const std::function<Value()>& call, syntax::ExprId id);

    // methods and dropped values (methods.cpp)
    Value method_call(const syntax::MethodCall& m, Span span);
    /// The function that `x.f(a)` calls, and the arguments of the call.
    std::pair<Value, CallArguments> method_callee(const syntax::MethodCall& m, Span span);
    /// Runs a call whose value is unused. `object`: for a method call, the name of the object. Empty if the object is
    /// not a name, and for other calls.
    Value call_dropped(const Value& callee, CallArguments given, Span span, const std::string& object);

    Stager& s_;
};

} // namespace pm::stage
