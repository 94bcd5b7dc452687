#pragma once
#include "compiler/stage/core/call.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/host.hpp"
#include "compiler/stage/core/interpreted.hpp"
#include "compiler/stage/core/modules.hpp"
#include "compiler/stage/core/places.hpp"
#include "compiler/stage/core/specialiser.hpp"
#include "compiler/stage/core/value.hpp"

#include <bitset>
#include <set>
#include <string_view>

namespace pm::stage {

/// A name of one function activation. Inner names come later in Frame::locals and hide outer ones.
struct Local {
    std::string name;
    Cell cell;
    int depth;         ///< of the context that made it: assigned from a deeper region, it is carried
    bool size = false; ///< a size bound by an annotation
};
struct Frame {
    std::shared_ptr<const syntax::Module> module;
    std::shared_ptr<ModuleScope> globals;
    std::vector<Local> locals;
    bool top = false; ///< it runs statements of the module itself: names are the module's
    const syntax::Function* function = nullptr;
    const Frame* caller = nullptr; ///< the activation that called this one
    Span call;                     ///< the position of the call
    std::size_t conditions = 0;    ///< number of conditions around that call
    bool returns_computed = false; ///< a `return` was under a computed condition that compiled code knows
    const Value* result = nullptr; ///< the types of its result; null until they are known
    /// Leaves of values that were returned or end the body, with the dtype in which two of them were joined.
    std::set<std::pair<std::size_t, DType>> joined_returns = {};
};

/// The locals of a frame, among the first `count`, that were assigned in a region.
struct Dirty {
    const Frame* frame;
    std::size_t count;
    std::set<std::size_t> indices;
};

/// How a block ended. A staged early exit is a code that is compared at run time.
struct Flow {
    enum Code : std::int64_t { normal = 0, broke = 1, continued = 2, returned = 3 };
    Value code = Value::integer(normal); ///< a known number, or a staged i32
    Value value;                         ///< of the block, or the returned one
    // With a staged code: some exit returns `none`, for which `value` holds zeros.
    bool none_at_end = false;
    bool none_returned = false;

    bool ends_in_none() const { return known() ? is(normal) && value.is_none() : none_at_end; }
    bool returns_none() const { return known() ? is(returned) && value.is_none() : none_returned; }
    bool known() const { return code.number() != nullptr; }
    bool is(Code c) const { return known() && code.number()->i == c; }
};

/// The arguments of a native function, bound to its parameters.
struct Arguments {
    static constexpr std::size_t most = 32;
    std::vector<Value> values; ///< one per parameter; a rest parameter is a tuple
    std::bitset<most> given;
    Span span;               ///< of the whole call
    std::vector<Span> spans; ///< per parameter; the span of the call for one that was not given

    const Value& operator[](std::size_t i) const { return values[i]; }
};

/// The derivatives around the code being staged.
struct Derivatives {
    int around = 0;           ///< their number: custom rules are nested to this depth
    bool of_tangents = false; ///< a custom rule is being staged: its arguments may be tangents
};

/// Functions with custom rules.
struct CustomRules {
    bool any = false;          ///< the program has one: Derivatives are in keys
    bool linear_calls = false; ///< the program has a linear function with a custom transpose
    bool in_transpose = false; ///< the transpose of a linear function is being staged. Such a function is not
                               ///< transposed again before it is differentiated.
};

class Stager;
struct Sequence;
/// A function written in C++.
struct Native {
    std::string_view name;
    std::string_view signature; ///< "x, axis=none, *rest": defaults are literals
    enum class Kind : std::uint8_t {
        array, ///< appends to a block; at top level it runs as a program of one operation
        known, ///< computes while staging
        host,  ///< files, time, terminal: a function that calls it is interpreted
    } kind;
    Value (*body)(Stager&, Arguments&);
    std::string_view doc;
    enum Trait : unsigned {
        reads_literals = 1,     ///< array literals arrive as tuples of written numbers
        takes_text = 2,         ///< text may hold values that are computed at run time
        looks_at_condition = 4, ///< its first argument is examined unevaluated, to show what it compares
        acts = 8,               ///< called for its effect: its value may be unused
        chooses = 16,           ///< returns one of its arguments, perhaps per element: the others stop no program
        gives_nothing = 32,     ///< host work that returns `none`
        only_looks = 64,        ///< host work that takes no time and changes nothing outside
    };
    unsigned traits = 0;

    bool has(Trait trait) const { return (traits & trait) != 0; }
};

class Stager {
  public:
    Stager(SourceMap& sources, Host host);
    ~Stager();

    // -- running programs (statements.cpp, modules.cpp)
    /// Runs the statements of a module. Returns the value of the last one if it is an expression.
    Value run(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope);
    /// Runs one `test` block of a module that has run. Its assignments to the module's names are undone.
    void run_test(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope,
                  const syntax::Test& test);
    /// Releases modules that the host has dropped, with the code compiled for them. Modules that another value refers
    /// to, directly or through a function, stay in the list. Returns the number of visited values. It can be cancelled
    /// like a program; the list is then unchanged.
    std::size_t release_modules(std::vector<std::weak_ptr<ModuleScope>>& dropped);
    Host& host() { return host_; }
    const Host& host() const { return host_; }
    SourceMap& sources() { return sources_; }
    const SourceMap& sources() const { return sources_; }
    /// The names of the module whose text is being run.
    const ModuleScope& globals() const { return *frame_->globals; }

    Modules& modules() { return modules_; }
    const Modules& modules() const { return modules_; }
    Places& places() { return places_; }
    const Places& places() const { return places_; }

    /// Calls a function from outside: at top level, compiled if possible.
    Value call_function(Call call);

    // -- expressions (expressions.cpp, operators.cpp)
    Value evaluate(syntax::ExprId id);
    Value binary(syntax::BinaryOp op, const Value& a, const Value& b, Span span);
    Value unary(syntax::UnaryOp op, const Value& a, Span span);
    /// A side of a `where` is being staged. Its elements that are not chosen must not stop the program, so known errors
    /// are staged as checks.
    bool on_side() const { return on_side_; }
    bool is_true(const Value& v, Span span); ///< a bool scalar; raises or stages again if it is not known
    std::optional<bool> known_condition(const Value& v, Span span);
    /// The condition, or the index of a `switch`. In code that is staged for its types a computed one is data: all
    /// sides are staged, as in compiled code.
    Value undecided(const Value& condition);

    // -- calls (calls.cpp, specialise.cpp)
    struct CallArguments {
        std::vector<Value> positional;
        std::vector<Span> positional_spans;
        std::vector<std::pair<std::string, Value>> named;
        std::vector<Span> named_spans; ///< of the values
        std::vector<Span> name_spans;  ///< of the names
        Span span;
        const std::vector<syntax::Argument>* written = nullptr; ///< the arguments in the syntax tree of the call
        syntax::ExprId object = {}; ///< the object before the `.`; it is then the first positional argument

        Span name_place(std::size_t i) const { return i < name_spans.size() ? name_spans[i] : span; }
    };
    Value call(const Value& function, CallArguments given);
    /// The same for a function with donated arguments: names that are passed whole lose their values.
    Value call_donating(const Value& function, CallArguments given);
    /// The arguments of the call at `span`, each with its position if known.
    CallArguments given_at(Call call) const;
    /// The arguments by position: defaults included, those of a rest parameter one by one.
    std::vector<Value> by_position(const Call& call);
    /// Runs the body of a function of the program in the current context.
    Value call_body(const Function& f, CallArguments given);

    /// With Host::check_nans: raises if `made`, a number computed at once, is a NaN and all of `numbers` are none.
    void check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const;
    /// How to stage loops whose trip count is computed from numbers that could be known, under a derivative.
    enum class Bounds : char {
        computed = 'c', ///< staged; a derivative that would do better with known trip counts stages its function again
        known = 'k',    ///< with known trip counts
        recorded = 'r', ///< staged, and derivatives record the iterations; demands to be known are refused
    };
    Bounds& bounds() { return bounds_; }
    std::int64_t new_axis_id() { return next_axis_++; }
    int new_loop_id() { return next_loop_++; }
    Specialiser& specialiser() { return *specialiser_; }

    /// The derivatives around the code being staged.
    Derivatives& derivatives() { return derivatives_; }
    CustomRules& custom_rules() { return custom_rules_; }

    // -- the current context
    /// Null at top level.
    const std::shared_ptr<Context>& context() const { return context_; }
    bool interpreting() const { return !context_; }
    /// In compiled code that will run: here, numbers that must be known are computed ones.
    bool compiling() const { return context_ && context_->kind() != Context::Kind::eager && !types_only(); }
    /// The current text is the library's. There, numbers that must be known compute like written ones.
    bool in_library_text() const { return places_.in_library({frame_->module->source()}); }
    /// The code is staged for its types alone (types_only.hpp).
    bool types_only() const { return context_ && context_->function()->kind() == Context::Kind::types; }
    /// Whether compiled code knows this computed number or condition. False for a written number.
    bool known_in_code(const Number& n) const {
        return n.computed && (compiling() || (n.specialised && !interpreted_.at_once));
    }
    bool known_in_code(const Value& condition) const {
        return condition.number() ? known_in_code(*condition.number()) : compiling() && condition.array();
    }
    /// Whether all values are numbers, and the result of an operation on them is a computed number that compiled code
    /// knows.
    bool known_in_code(const std::vector<Value>& values) const;
    Interpreted& interpreted() { return interpreted_; }
    const Interpreted& interpreted() const { return interpreted_; }
    /// Whether numbers compute as in compiled code: everywhere but in the statements of a module.
    bool as_compiled() const { return context_ || interpreted_.as_compiled(); }
    /// The value that a known condition has chosen. If the condition is computed, so are its numbers.
    Value chosen(const Value& condition, const Value& value) const {
        if (known_in_code(condition)) return known_computed(value);
        return is_computed(condition) ? as_computed(value) : value;
    }
    /// The same tree with computed numbers that compiled code knows.
    Value known_computed(const Value& v) const;
    /// The same tree with computed numbers.
    Value as_computed(const Value& v) const { return compiling() ? as_argument(v) : interpreted_.computed(v); }
    /// The current context, which must exist. Only within array work.
    Context& here();
    ops::Build& build() { return here().build(); }
    /// Does array work in the current context. At top level it opens a context and runs it at once.
    Value array_work(Span span, const std::function<Value()>& work);
    /// Does array work on numbers that compiled code knows at once. Returns the resulting number.
    Value at_once(const std::function<Value()>& work);
    /// A number that a loop or a call passes to code of the program.
    Value as_argument(const Value& v) const;
    /// The value in the current block, converted to `as` if given.
    ir::Value use(const Value& v, std::optional<DType> as = {}) { return here().use(v, as); }
    Value wrap(ir::Value v, bool weak = false) { return here().wrap(v, weak); }

    // -- known values (known.cpp): raise a diagnostic, or stage again with the parameters of their origin known
    Number need_number(const Value& v, Span span, std::string_view what);
    /// The number of a staged constant; any other value unchanged.
    Value resolved(const Value& v);
    /// The elements of an array, or of a value that is computed from constants and existing arrays alone. Such a value
    /// is computed now. Empty for others.
    std::optional<Array> constant_array(const Value& v, Span span);
    /// True if need_number would return the number, perhaps by staging again.
    bool can_become_known(const Value& v);
    /// The same, and the enclosing functions can know it too. They cannot know slices of vmap and pmap.
    bool known_to_callers(const Value& v);
    /// Makes known the conditions between here and the program's call into the library. Both sides of an unknown
    /// condition are staged.
    void know_conditions_of_library(Span span);

    // -- indexing and updates (indexing.cpp, update.cpp)
    Value index(const Value& object, const std::vector<syntax::IndexItem>& items, Span span);
    Value field(const Value& object, const syntax::Name& name, Span span);
    /// The changed copy. Parts of `base` may be changed in place if `base` is their only owner.
    Value update(Value& base, const std::vector<syntax::Selector>& path, std::size_t at, syntax::UpdateOp op,
                 const Value& value, Span span);

    // -- array arithmetic for natives (arith.cpp); in the current context

    // -- named axes
    struct Axis {
        std::int64_t id;
        std::string name; ///< empty: unnamed
        std::int64_t size;
        Span span;
        std::string kind; ///< "pmap" or "vmap"
    };
    std::vector<Axis>& axes() { return axes_; }

    /// Raises if the host has cancelled the program or its deadline has passed. The error is at `span`, or at the
    /// current work.
    void poll(Span span = {});
    /// A function that polls, for work of the runtime. It is valid as long as the stager.
    std::function<void()> polling() {
        return [this] { poll(); };
    }
    /// Runs `work` on a deep stack. Staging and interpreting recurse with the program; running cached code does not.
    void on_deep_stack(const std::function<void()>& work);
    /// Refuses host work in compiled code. `otherwise`: the message if the function cannot be interpreted; null: one
    /// about `what`.
    void host_work(std::string_view what, Span span, const std::shared_ptr<const Diagnostic>& otherwise = {});

    // -- statements and control flow (statements.cpp, control.cpp)
    /// A condition of a branch or a loop.
    struct Condition {
        Value value;
        Span span;
    };
    Flow execute(syntax::BlockId id, bool wanted = true);
    void bind_pattern(syntax::PatternId pattern, const Value& value, bool mut, Span span);
    /// The program is checked and not run.
    bool checking() const { return static_cast<bool>(host_.problem); }
    /// The local or the module's name that an assignment would change. Null if there is none.
    Cell* cell_of(const std::string& name);
    void define(const std::string& name, const Value& value, bool mut, Span span);
    /// `old op value`, as in `op=`.
    Value combine(syntax::UpdateOp op, const Value& old, const Value& value, Span span);
    /// `condition ? a : b` elementwise.
    Value choose(const Value& condition, const Value& a, const Value& b, Span span);

    // -- lookups
    Cell* find(const std::string& name);
    const Value& lookup(const std::string& name, Span span);
    /// The message for an assignment to an undeclared name.
    Diagnostic unknown_target(const std::string& name, Span span) const;
    Frame& frame() { return *frame_; }
    /// The number of open regions.
    int region_depth() const { return region_depth_; }
    const syntax::Module& tree() const { return *frame_->module; }

  private:
    friend class Control;
    friend class Expressions;
    friend class Loops;
    friend class Specialiser;
    friend class Staging;
    friend class Statements;
    friend class TypesOnly;

    using AskedLeaves = std::set<std::pair<const Context*, std::int64_t>>;
    /// `asked` holds values whose answer is already settled.
    bool known_to_callers(const Value& v, AskedLeaves& asked);

    /// Calls a function that is not native. The positions of the arguments are available during the call.
    Value call_placed(const Value& function, CallArguments given);
    /// Calls within the context that has been opened for it: functions of the program are not specialised again.
    Value call_inside(Call call);
    /// Calls a function of the program without a block of its own.
    Value call_unstaged(Call call);
    /// Calls grad(f), vmap(f) ... (transforms.cpp).
    Value call_derived(const Value& function, CallArguments given);
    Value transform_now(Call call);
    Frame new_frame(const Function& f) const;
    /// Whether compiled code of the function that is being interpreted unrolls the loop.
    bool is_unrolled(Span loop) const { return interpreted_.unrolled.contains({loop.source, loop.begin}); }
    /// Runs a block by the executor. `donated`: which arguments it may overwrite, and after it did; null: none.
    std::vector<Array> execute(const ir::BlockPtr& block, std::vector<Array> arguments, Span span,
                               std::vector<ir::Donated>* donated = nullptr);
    Value call_native(const Native& n, CallArguments& given);
    Value number_binary(syntax::BinaryOp op, const Value& a, const Value& b, Span span);

    SourceMap& sources_;
    Places places_{sources_};
    Host host_;
    Modules modules_{*this};

    Frame* frame_ = nullptr;
    std::shared_ptr<Context> context_;
    Interpreted interpreted_;
    Context::Kind kind_of_function_ = Context::Kind::function; ///< of the next context that is opened for a function
    std::vector<Axis> axes_;
    std::int64_t next_axis_ = 0;
    int depth_ = 0;
    int region_depth_ = 0; ///< number of open regions
    int next_loop_ = 0;
    Bounds bounds_ = Bounds::computed;
    Derivatives derivatives_;
    CustomRules custom_rules_;
    bool on_side_ = false;
    std::vector<Condition> conditions_; ///< around the code being staged, outermost first
    std::vector<Dirty*> dirty_;         ///< one per region being staged
    void mark_dirty(const Frame& frame, std::size_t local);

    Span work_span_;
    Donation* donation_ = nullptr; ///< of the next call
    std::unique_ptr<Specialiser> specialiser_;
};

/// All natives, in the order of their files. Each file of library/ returns a span.
const std::vector<const Native*>& natives();
const Native* native_named(std::string_view name);

} // namespace pm::stage
