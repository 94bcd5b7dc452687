#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/build.hpp"
#include "compiler/stage/values/value.hpp"

#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace pm::stage {

/// Whether a function works on data of 64 bits. In such a function, weak numbers are also computed with 64 bits. They
/// then keep their digits until an operation combines them with this data. For example, with f64 data and an integer n,
/// `2 / n` is not rounded to f32.
struct Widths {
    bool wide = false;

    NumericType of(NumericType number) const {
        if (!number.weak || !wide) return number;
        DType& dtype = number.type.dtype;
        if (dtype == DType::i32) dtype = DType::i64;
        if (dtype == DType::f32) dtype = DType::f64;
        if (dtype == DType::c64) dtype = DType::c128;
        return number;
    }
    /// The type of an argument. A number without a dtype has 64 bits if the function works on data of 64 bits.
    NumericType of_argument(NumericType given) const { return given.type.rank() == 0 ? of(std::move(given)) : given; }
};

/// Raises Diag::complex_to_real if a complex value would be converted to a real dtype.
void require_complex(DType from, DType to, Span span);
/// Raises if an integer does not fit into an integer dtype.
void require_fits(const Number& n, DType dtype, Span span);

/// A function, and a digest of the types and known numbers of the function's inputs.
using ResultKey = std::pair<const syntax::Function*, Digest>;
/// The types of the results of functions. Each type is a value without elements.
using Results = std::map<ResultKey, Value>;

/// A block under construction. Values of enclosing contexts and known arrays that the block uses become parameters of
/// the block. So the block itself captures nothing. `captures` has the outer value for each of these parameters.
class Context : public std::enable_shared_from_this<Context> {
  public:
    enum class Kind : std::uint8_t {
        function, ///< a function's body: the block's parameters are the leaves of the arguments
        eager,    ///< one operation at top level; numbers are parameters too, so one compiled block serves all numbers
        region,   ///< a branch or a loop's body
        types,    ///< staged only to find the types of its results, and never run (types_only.hpp)
    };
    Context(Kind kind, std::shared_ptr<Context> parent, std::string name)
        : kind_(kind), parent_(std::move(parent)), build_(std::move(name)) {
        if (kind == Kind::region && parent_) widths_ = parent_->widths_;
    }

    Kind kind() const { return kind_; }
    const std::shared_ptr<Context>& parent() const { return parent_; }
    ops::Build& build() { return build_; }

    /// Adds a parameter for an input of the block: a leaf of the arguments, a loop's index, or a carried value. `leaf`
    /// is the index of the leaf. It is -1 for other inputs.
    Value parameter(Type type, bool weak, std::int64_t leaf = -1);
    /// Sets the values that the caller passes for the leaves of the arguments.
    void give(std::vector<Value> leaves) { given_ = std::move(leaves); }
    const Value& given(std::size_t leaf) const { return given_.at(leaf); }
    /// Marks a parameter as the index of loop `loop`, which can be unrolled.
    void mark_loop_index(ir::Value v, int loop) { loop_index_ = v, loop_ = loop; }

    /// The value `v` in this block, converted to `as` if `as` is given. A number becomes a constant. In an eager
    /// context it becomes a parameter instead.
    ir::Value use(const Value& v, std::optional<DType> as = {});
    /// Wraps the IR value `v` of this block as a Value.
    Value wrap(ir::Value v, bool weak = false) { return Value::staged(shared_from_this(), v, build_.type(v), weak); }

    /// A number in the value of a `mut` global. `leaf` is the index of the number among the leaves of the value, in the
    /// order of append_key.
    struct Global {
        std::shared_ptr<ModuleScope> scope;
        std::string name;
        std::size_t leaf;
        bool operator==(const Global&) const = default;
    };
    struct Capture {
        Value outer;
        ir::Value param;
        std::optional<Global> global;
    };
    const std::vector<Capture>& captures() const { return captures_; }
    /// The capture for `v`, a value of an enclosing context or a known array. Null if the block does not use `v`.
    const Capture* captured(const Value& v) const;
    /// The capture for which the parameter `param` of the block was added. Null for other parameters.
    const Capture* capture(ir::Value param) const;
    /// Sets the widths for numbers of globals that become parameters. `widths` are the widths of the arguments.
    void widen(Widths widths) { widths_ = widths; }
    Widths widths() const { return widths_; }
    /// Records that a check in this context surely fails. Code that is staged later in this context never runs, so an
    /// error in it is not the error of the program.
    void fails(const Diagnostic& check) {
        if (!failure_) failure_ = std::make_shared<const Diagnostic>(check);
    }
    /// The error of the first check that surely fails. Null if there is none.
    const std::shared_ptr<const Diagnostic>& failure() const { return failure_; }

    /// Sets the types of functions' results that are already known (see NeedResult). Called only for the body of a
    /// staged function.
    void know_results(const Results* results) { results_ = results; }
    bool knows_results() const { return !results_->empty(); }
    /// The types of a function's result. Null if these types are not known.
    const Value* result(const ResultKey& key) const;
    /// If this context is a region, the context of the function that contains the region. Otherwise this context.
    const Context* function() const {
        const Context* context = this;
        while (context->kind_ == Kind::region) context = context->parent_.get();
        return context;
    }
    /// The context of the staged function that contains this block. Null if no staged function contains it.
    const Context* body() const;
    /// The type that a value has as the result of a branch or a loop. If the function works on data of 64 bits, a known
    /// number without a dtype has 64 bits.
    NumericType type_of(const Value& v) const { return v.number() ? widths_.of(numeric_type(v)) : numeric_type(v); }
    /// The parameter for the number `which` of a global. `now` is the current value of the number.
    Value global(const Global& which, const Value& now);

    /// The block of a call that returns a scalar, and the indices of the block's parameters that the scalar depends on.
    struct Callee {
        const ir::Block* block;
        std::set<std::size_t> params;
    };
    /// The parameters that a scalar was computed from. `from_array`: true if the scalar depends on elements of an
    /// array. Such a scalar cannot become known.
    struct Origin {
        /// Indices of leaves of the function `owner`. The value -1 - c stands for capture number c, which is a number
        /// of a global.
        std::set<std::int64_t> leaves;
        Context* owner = nullptr;
        std::set<int> loops; ///< ids of the loops whose index the scalar depends on
        std::vector<Callee> calls;
        bool from_array = false;
        bool from_carried = false;

        /// Adds a leaf of the function `of`. If `leaves` already has leaves of another function, does nothing: the leaf
        /// is found later, when the function `owner` is staged again.
        void add(Context* of, std::int64_t leaf) {
            if (owner && owner != of) return;
            owner = of;
            leaves.insert(leaf);
        }
    };
    Origin origin(ir::Value v);
    /// The cached array of the value `v`, which depends on constants alone. Empty until the array is computed.
    std::optional<runtime::Array>& constant(ir::Value v) { return constants_[v.id]; }

  private:
    using Seen = std::set<std::pair<const void*, std::uint32_t>>;
    void trace(ir::Value v, Origin& found, Seen& seen);
    ir::Value add_capture(Capture made);
    void index_captures() const;

    Kind kind_;
    std::shared_ptr<Context> parent_;
    ops::Build build_;
    std::vector<Capture> captures_;
    // Two maps that find one of the first `indexed_` captures. They are used only if the block has many captures.
    mutable std::unordered_map<std::uint32_t, std::size_t> capture_of_;  ///< by parameter
    mutable std::unordered_multimap<std::size_t, std::size_t> captured_; ///< by source_hash of the captured value
    mutable std::size_t indexed_ = 0;
    std::map<std::pair<const ModuleScope*, std::string>, std::unordered_map<std::size_t, ir::Value>>
        globals_;                                             ///< parameters for numbers of globals, by leaf
    std::unordered_map<std::uint32_t, std::int64_t> leaf_of_; ///< by parameter: index of the leaf
    std::vector<Value> given_;
    const Results* results_ = nullptr;
    std::shared_ptr<const Diagnostic> failure_;
    std::map<std::uint32_t, std::optional<runtime::Array>> constants_;
    ir::Value loop_index_;
    int loop_ = -1;
    Widths widths_;
};

/// Runs work(), which stages code in `context`. If an error is raised after a check that surely fails, raises the error
/// of the check, with the calls that led to both.
void raise_first(const Context& context, const std::function<void()>& work);

} // namespace pm::stage
