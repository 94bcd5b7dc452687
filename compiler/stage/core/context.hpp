#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/build.hpp"
#include "compiler/stage/core/value.hpp"

#include <map>
#include <set>
#include <unordered_map>

namespace pm::stage {

/// The same node of the same block, or the same memory seen the same way.
bool same_source(const Value& a, const Value& b);
/// The same number for values that are the same_source.
std::size_t source_hash(const Value& v);

/// Whether a function works on data of 64 bits. Weak numbers go in among it with 64 bits too, and so keep what is
/// written until they meet it: beside f64, `2 / n` of a whole number n has all its digits.
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
};

/// Raises Diag::complex_to_real when a complex value would become a real one.
void require_complex(DType from, DType to, Span span);
/// Raises when a whole number that is written does not fit into an integer dtype.
void require_fits(const Number& n, DType dtype, Span span);

/// A block under construction. Values of enclosing contexts and known arrays that are used in it become parameters, so
/// that the block captures nothing; `captures` says what they stand for.
class Context : public std::enable_shared_from_this<Context> {
  public:
    enum class Kind : std::uint8_t {
        function, ///< a function's body: parameters are its leaves
        eager,    ///< one operation at top level: numbers become parameters too, so that other numbers are the same
                  ///< program
        region,   ///< a branch or a loop's body
        types,    ///< what is staged for the types of what it gives, and never run (types_only.hpp)
    };
    Context(Kind kind, std::shared_ptr<Context> parent, std::string name)
        : kind_(kind), parent_(std::move(parent)), build_(std::move(name)) {
        if (kind == Kind::region && parent_) widths_ = parent_->widths_;
    }

    Kind kind() const { return kind_; }
    const std::shared_ptr<Context>& parent() const { return parent_; }
    ops::Build& build() { return build_; }

    /// A parameter of this block, made by its owner (a leaf, a loop's index, a carried value).
    Value parameter(Type type, bool weak, std::int64_t leaf = -1);
    /// What the leaves of a function's body stand for where it is called.
    void give(std::vector<Value> leaves) { given_ = std::move(leaves); }
    const Value& given(std::size_t leaf) const { return given_.at(leaf); }
    /// Marks a parameter as the index of a loop that can be unrolled.
    void mark_loop_index(ir::Value v, int loop) { loop_index_ = v, loop_ = loop; }

    /// The value in this block, of this dtype (or of its own). Numbers become constants.
    ir::Value use(const Value& v, std::optional<DType> as = {});
    /// A value of this block.
    Value wrap(ir::Value v, bool weak = false) { return Value::staged(shared_from_this(), v, build_.type(v), weak); }

    /// A number of a global that may change: a leaf of the global's value, counted as append_key does.
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
    /// What stands for a value of an enclosing context or a known array; null where the block does not use it.
    const Capture* captured(const Value& v) const;
    /// The capture that a parameter of this block stands for; null for others.
    const Capture* capture(ir::Value param) const;
    /// For the numbers of globals that come in: as for those among the arguments.
    void widen(Widths widths) { widths_ = widths; }
    Widths widths() const { return widths_; }
    /// The type a value has where a branch or a loop gives it on: known numbers are as wide as the function's data.
    NumericType type_of(const Value& v) const { return v.number() ? widths_.of(numeric_type(v)) : numeric_type(v); }
    /// The parameter that stands for a global number.
    Value global(const Global& which, const Value& now);

    /// A call on the way to a scalar, and which parameters of the called block the scalar depends on.
    struct Callee {
        const ir::Block* block;
        std::set<std::size_t> params;
    };
    /// Which parameters a scalar was computed from. `from_array`: from the elements of an array, so it cannot become
    /// known.
    struct Origin {
        std::set<std::int64_t> leaves; ///< leaves of the function `owner`; capture c, a global number, is -1 - c
        Context* owner = nullptr;
        std::set<int> loops; ///< loops whose index takes part
        std::vector<Callee> calls;
        bool from_array = false;
        bool from_carried = false;

        /// Leaves of one function at a time; those of another are found when it is staged again.
        void add(Context* of, std::int64_t leaf) {
            if (owner && owner != of) return;
            owner = of;
            leaves.insert(leaf);
        }
    };
    Origin origin(ir::Value v);
    /// What a value that is computed from constants alone has been found to be.
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
    // Of the first `indexed_` captures, where there are many.
    mutable std::unordered_map<std::uint32_t, std::size_t> capture_of_;  ///< by parameter
    mutable std::unordered_multimap<std::size_t, std::size_t> captured_; ///< by source_hash of what is captured
    mutable std::size_t indexed_ = 0;
    std::map<std::pair<const ModuleScope*, std::string>, std::unordered_map<std::size_t, ir::Value>>
        globals_;                                             ///< parameters for numbers of globals, by leaf
    std::unordered_map<std::uint32_t, std::int64_t> leaf_of_; ///< parameters that are leaves
    std::vector<Value> given_;
    std::map<std::uint32_t, std::optional<runtime::Array>> constants_;
    ir::Value loop_index_;
    int loop_ = -1;
    Widths widths_;
};

/// Thrown to stage a function again with these leaves (as in Context::Origin) known; with none when what it calls has
/// learned which of its arguments must be known.
struct NeedKnown {
    const Context* owner;
    std::set<std::int64_t> leaves;
    /// What is wrong where they cannot be known, when that says more.
    std::shared_ptr<const Diagnostic> otherwise = nullptr;
};
/// Thrown to stage a loop again, unrolled.
struct NeedUnroll {
    int loop;
    Span why;
    std::string reason = "the loop's variable must be known here";
};
/// Thrown when a function that is being staged meets host work: it is interpreted instead.
struct HostWork {
    std::string what;
    Span span;
    bool in_place = false;                            ///< no host work: the call only cannot have a block of its own
    std::shared_ptr<const Diagnostic> otherwise = {}; ///< said where the function cannot be interpreted; null: that
};

} // namespace pm::stage
