#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/executor.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/interpreted.hpp"
#include "compiler/stage/core/value.hpp"
#include "compiler/syntax/left_chain.hpp"
#include "compiler/transform/analysis/nan_checks.hpp"

#include <atomic>
#include <bitset>
#include <chrono>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace pm::stage {

/// What the outside gives: where text goes, what a program may touch, how it is run.
struct Host {
    ir::Executor* executor = nullptr;
    std::shared_ptr<runtime::Allocator> allocator;
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> message; ///< warnings, --explain; one rendered text each
    const std::atomic<bool>* cancel = nullptr;
    /// Told the place of what begins to run, in its source, and `nullptr` when it has ended (UnderWay); none: nobody
    /// asks.
    std::function<void(const Source* source, Span place)> under_way;
    std::vector<std::string> arguments; ///< `args` of the language
    bool files = true;                  ///< may read and write files
    bool terminal = false;              ///< progress bars are drawn
    std::string platform = "cpu";       ///< what devices are called: cpu:0, gpu:0
    int devices = 1;
    std::function<bool()> device_matrices; ///< whether the devices themselves factorize matrices; none: they do not
    /// Whether they have a library for convolutions of a dtype and a precision (empty: none is said); none: they have
    /// not.
    std::function<bool(runtime::DType dtype, std::string_view precision)> device_convolutions;
    bool brings_arrays = false; ///< to memory of a device's own, to run programs with them
    bool explain = false;
    bool explain_grad = false; ///< a message for each derivative that is cut in two: what it keeps
    bool verify = false;       ///< blocks are verified as they are staged and after each transformation
    bool check_nans = false;   ///< the first operation that makes a NaN of what holds none stops the program
    std::optional<std::chrono::steady_clock::time_point> deadline; ///< staging ends with Diag::deadline_passed after it
    /// Runs work that may recurse deeply; none: the stack is deep enough already.
    std::function<void(const std::function<void()>&)> deep;
    /// The program is checked and not run (check.cpp): arrays are abstract, nothing outside is touched, and each error
    /// of a statement of the module goes here.
    std::function<void(const Diagnostic&)> problem;
    /// Whether a problem has gone there: its repairs are not looked for again.
    std::function<bool(Diag id, Span place)> told;
};

struct Cell {
    Value value;
    bool mut = false;
    Span span;
    bool unknown = false; ///< its statement needed what only a run gives; Host::problem only
    Span donated = {};    ///< the call that has used the value up
};

/// A module: its tree and its names.
struct ModuleScope {
    std::uint64_t id = 0; ///< no two of one stager have the same, not even one after the other
    std::string name;
    std::string folder; ///< what file imports are relative to
    std::unordered_map<std::string, Cell> names;
    bool prelude = false;
};

/// The names of one function activation; inner ones stand behind and hide outer ones.
struct Local {
    std::string name;
    Cell cell;
    int depth;         ///< of the context it was made in: assigned from a deeper region it is carried
    bool size = false; ///< a size that an annotation has bound
};
struct Frame {
    std::shared_ptr<const syntax::Module> module;
    std::shared_ptr<ModuleScope> globals;
    std::vector<Local> locals;
    bool top = false; ///< statements of the module itself: names are the module's
    const syntax::Function* function = nullptr;
    const Frame* caller = nullptr; ///< of the activation that called this one
    Span call;                     ///< what called it
    std::size_t conditions = 0;    ///< how many stood around that call
    bool returns_computed = false; ///< a `return` was under a computed condition that compiled code knows
};

/// Locals of a frame, of the first `count`, that have been assigned in a region.
struct Dirty {
    const Frame* frame;
    std::size_t count;
    std::set<std::size_t> indices;
};

/// How a block ended. Staged early exits are a code that is compared at run time.
struct Flow {
    enum Code : std::int64_t { normal = 0, broke = 1, continued = 2, returned = 3 };
    Value code = Value::integer(normal); ///< a known number, or a staged i32
    Value value;                         ///< of the block, or what is returned
    // Of a staged code: some way of ending gives `none`, for which `value` holds zeros.
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
    std::vector<Span> spans; ///< per parameter; the call's where it was not given

    const Value& operator[](std::size_t i) const { return values[i]; }
};

/// Cancelled, or out of time: nothing goes on after it.
inline bool ends_run(const Diagnostic& d) { return d.id == Diag::interrupted || d.id == Diag::deadline_passed; }

/// The derivatives around what is being staged.
struct Derivatives {
    int around = 0;           ///< their number: so often a function's own rules are called in each other
    bool of_tangents = false; ///< it is a rule, and so may get tangents where a function gets primals
};

class Stager;
struct Sequence;
struct Specialisation;
struct Dependency;
/// A function written in C++.
struct Native {
    std::string_view name;
    std::string_view signature; ///< "x, axis=none, *rest": defaults are literals
    enum class Kind : std::uint8_t {
        array, ///< appends to a block; at top level a program of one operation is run
        known, ///< computes while staging
        host,  ///< files, time, terminal: a function that uses it is interpreted
    } kind;
    Value (*body)(Stager&, Arguments&);
    std::string_view doc;
    enum Trait : unsigned {
        reads_literals = 1,     ///< array literals arrive as tuples, their numbers as they are written
        takes_text = 2,         ///< text may hold values that are computed when the program runs
        looks_at_condition = 4, ///< its first argument is looked at before it is evaluated, to show what it compares
        acts = 8,               ///< called for what it does: its value may be dropped
        chooses = 16,           ///< gives one of its arguments, perhaps per element: the others stop no program
        gives_nothing = 32,     ///< host work that gives `none`
        only_looks = 64,        ///< host work that changes nothing outside, and takes no time
    };
    unsigned traits = 0;

    bool has(Trait trait) const { return (traits & trait) != 0; }
};

class Stager {
  public:
    Stager(SourceMap& sources, Host host);
    ~Stager();

    // -- running programs (statements.cpp, modules.cpp)
    /// Runs the statements of a module; the value of the last when it is an expression.
    Value run(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope);
    /// Runs one `test` block of a module that has run. What it assigns to the module's names is undone.
    void run_test(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope,
                  const syntax::Test& test);
    std::shared_ptr<ModuleScope> new_module(std::string name, std::string folder);
    Value import(const std::string& path, bool file, Span span);
    /// Modules that the host has dropped go where nothing else holds one of their functions, with the code compiled for
    /// them; the others are left in the list. Gives how many values were looked at. It can be stopped as a program can:
    /// the list is then what it was.
    std::size_t release_modules(std::vector<std::weak_ptr<ModuleScope>>& dropped);
    /// Files are read again when they are next imported; values keep what they had.
    void forget_file_modules();
    Host& host() { return host_; }
    SourceMap& sources() { return sources_; }
    const SourceMap& sources() const { return sources_; }
    const std::shared_ptr<ModuleScope>& prelude() const { return prelude_; }
    /// The names of the module whose text is being run.
    const ModuleScope& globals() const { return *frame_->globals; }
    /// Whether `assert` or `fail` was called at this place of the program, by whatever name.
    bool says_itself(Span span) const { return own_checks_.count({span.source, span.begin}) != 0; }

    // -- places (places.cpp)
    /// Where instructions that are made at `span` have their place: code of the standard library has none of its own,
    /// it is the place of the user's call.
    Span place(Span span) const { return in_library(span) ? user_place_ : span; }
    /// The function's own values that are arrays, by name: what a message can offer.
    std::vector<std::pair<std::string, Type>> visible_arrays() const;
    bool in_library(Span span) const { return span.source < library_.size() && library_[span.source]; }
    /// Natives, and functions whose text stands in the library; not what transformations make of them.
    bool of_library(const Function& f) const {
        return f.native || (!f.transformed && in_library((*f.module)[f.id].signature));
    }
    /// Where the arguments of the call at `span` stand; the whole call where that is not known.
    Span argument_place(Span span, std::size_t i) const;
    Span argument_place(Span span, const std::string& name) const;

    /// Calls a function from outside: at top level, compiled where it can be.
    Value call_function(const Value& function, std::vector<Value> arguments,
                        std::vector<std::pair<std::string, Value>> named, Span span);

    // -- expressions (expressions.cpp, operators.cpp)
    Value evaluate(syntax::ExprId id);
    Value binary(syntax::BinaryOp op, const Value& a, const Value& b, Span span);
    Value unary(syntax::UnaryOp op, const Value& a, Span span);
    /// A side of a `where` is being staged. What of it is not taken stops no program, so what is known to be wrong
    /// there is staged, with a check.
    bool on_side() const { return on_side_; }
    bool is_true(const Value& v, Span span); ///< a known bool scalar; raises otherwise
    std::optional<bool> known_condition(const Value& v, Span span);

    // -- calls (calls.cpp, specialise.cpp)
    struct CallArguments {
        std::vector<Value> positional;
        std::vector<Span> positional_spans;
        std::vector<std::pair<std::string, Value>> named;
        std::vector<Span> named_spans; ///< of the values
        std::vector<Span> name_spans;  ///< of the names
        Span span;
        const std::vector<syntax::Argument>* written = nullptr; ///< as the call has them, which the statements hold
        syntax::ExprId object = {};                             ///< before the `.`, the first positional argument then

        Span name_place(std::size_t i) const { return i < name_spans.size() ? name_spans[i] : span; }
    };
    CallArguments evaluate_arguments(const std::vector<syntax::Argument>& arguments, Span span, bool literals = false);
    Value call(const Value& function, CallArguments given);
    /// The same for a function that arguments are donated to: names that are given whole have no value any more.
    Value call_donating(const Value& function, CallArguments given);
    /// The arguments of the call at `span`, each at its place where that is known.
    CallArguments given_at(Span span, std::vector<Value> arguments,
                           std::vector<std::pair<std::string, Value>> named) const;
    /// The body of a function of the program, in the current context.
    Value call_body(const Function& f, CallArguments given);

    /// A function staged for arguments of these types.
    struct StagedFunction {
        ir::BlockPtr block;          ///< takes the leaves, then the captures
        std::vector<Value> captures; ///< values of enclosing contexts, arrays, or numbers of `mut` globals
        std::vector<std::optional<Context::Global>> globals; ///< per capture: the global whose number it is
        Value result;                                        ///< the structure; known numbers in it stay
        std::vector<std::int64_t> places; ///< per leaf of `result`: the block's result, or -1 for a known number
        std::vector<NumericType> results; ///< of the block's results
        std::vector<bool> known_leaves;   ///< leaves that are not parameters because their value is in the block
    };
    /// Leaves that must be known, and what is wrong where one cannot be; null when no more is to be said than that.
    using Reason = std::shared_ptr<const Diagnostic>;
    using Reasons = std::map<std::int64_t, Reason>;
    /// Called before a leaf becomes known, with those that are and why this one has to be; raises where it may not.
    using LeafCheck = std::function<void(std::size_t leaf, const std::vector<bool>& known, const Reason& why)>;
    /// Stages `body` (given the leaves in the new context), a call of `function`, into a block of its own. `leaves`
    /// that must be known stay as they are; `learned` gets those that turn out to, at once.
    StagedFunction stage_function(const Value& function, const std::vector<Value>& leaves,
                                  const std::set<std::size_t>& known,
                                  const std::function<Value(const std::vector<Value>&)>& body, Span span,
                                  Reasons* learned = nullptr, const LeafCheck& before_known = {});
    /// Puts arrays or staged values in the place of a staged function's results.
    Value rebuild(const StagedFunction& f, const std::vector<Value>& results) const;
    /// The structure of a staged function's result, with the known numbers as they count here.
    Value result_of(const StagedFunction& f) const;
    /// The block itself; Host::verify has it verified first, and an internal error names the step that made it.
    const ir::BlockPtr& verified(const ir::BlockPtr& block, std::string_view after) const;
    /// A block that has just been made, for whatever transforms or runs it.
    ir::BlockPtr staged(const ir::BlockPtr& block) const;
    /// The block itself, or with Host::check_nans what checks its operations for NaNs.
    ir::BlockPtr nan_checked(const ir::BlockPtr& block, const transform::NanChecks& what = {}) const;
    /// With Host::check_nans: stops where `made`, a number computed at once, is a NaN of `numbers` that are none.
    void check_nan(const Value& made, std::string_view name, const std::vector<Value>& numbers, Span span) const;
    /// Appends a call of `block` to the current context (or runs it at top level) on these operands; `policy`: what a
    /// derivative keeps of it, as in transform/partial_eval/checkpoint.hpp, empty: all.
    std::vector<Value> apply_block(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                   const std::vector<NumericType>& results, Span span, const std::string& policy = {});
    /// Stages a call of any function value into a block: the start of every transformation.
    StagedFunction stage_call(const Value& function, const std::vector<Value>& arguments,
                              const std::vector<std::pair<std::string, Value>>& named, Span span);
    /// The same for leaves of other types than the arguments have (slices of them); `known` ones are numbers that stay
    /// known.
    StagedFunction stage_leaves(const Value& function, const std::vector<Value>& arguments,
                                const std::vector<std::pair<std::string, Value>>& named,
                                const std::vector<Value>& leaves, const std::set<std::size_t>& known, Span span,
                                const LeafCheck& before_known = {});
    /// How loops are staged whose iterations are computed from numbers that could be known, and which derivatives look
    /// into.
    enum class Bounds : char {
        computed = 'c', ///< as they are; a derivative that would do better with known ones stages its function again
        known = 'k',    ///< with their iterations known
        recorded = 'r', ///< as they are, and derivatives record them: to be known is refused
    };
    Bounds& bounds() { return bounds_; }
    std::int64_t new_axis_id() { return next_axis_++; }
    int new_loop_id() { return next_loop_++; }
    /// Calls `f` on arguments through the specialisation cache.
    Value specialised_call(const Value& function, const std::vector<Value>& arguments,
                           const std::vector<std::pair<std::string, Value>>& named, Span span);

    // -- derivatives that give a result at once (derivatives.cpp), and transformed functions (transforms.cpp)
    Value split_derivative(const Value& function, const std::vector<Value>& primals, bool reverse, bool has_aux,
                           Span span);
    Value forward_derivative(const Value& function, const std::vector<Value>& primals,
                             const std::vector<Value>& tangents, bool has_aux, Span span);
    /// grad(f, ...) as a value; `names` are the native's parameters.
    Value transform_value(const std::string& kind, Arguments& a, const std::vector<std::string>& names);
    /// What is being staged is the transpose of a linear function, which is not transposed again before it is
    /// differentiated.
    bool& in_transpose() { return in_transpose_; }
    /// checkpoint(f, policy, loops) as a value; refuses policies that there are not.
    Value checkpoint_value(Arguments& a);
    /// custom_jvp(f, rule), custom_vjp(f, fwd, bwd), _linear_call(f, transpose) as values.
    Value custom_value(const std::string& kind, const Arguments& a);
    /// The derivatives that are taken of what is being staged.
    Derivatives& derivatives() { return derivatives_; }

    // -- the current context
    /// Null at top level.
    const std::shared_ptr<Context>& context() const { return context_; }
    bool interpreting() const { return !context_; }
    /// In code that will run: numbers that are computed must be known in it.
    bool compiling() const { return context_ && context_->kind() != Context::Kind::eager && !types_only(); }
    /// The text being run is the library's, which computes with numbers that must be known as with written ones.
    bool in_library_text() const;
    /// What is being staged is wanted for its types alone (types_only.hpp).
    bool types_only() const {
        const Context* c = context_.get();
        while (c && c->kind() == Context::Kind::region) c = c->parent().get();
        return c && c->kind() == Context::Kind::types;
    }
    Interpreted& interpreted() { return interpreted_; }
    const Interpreted& interpreted() const { return interpreted_; }
    /// Whether numbers are those of compiled code: everywhere but in the statements of a module.
    bool as_compiled() const { return context_ || interpreted_.as_compiled(); }
    /// What a known condition has chosen: where it is computed, its numbers are.
    Value chosen(const Value& condition, const Value& value) const {
        return is_computed(condition) ? as_computed(value) : value;
    }
    /// The same tree with its numbers computed.
    Value as_computed(const Value& v) const { return compiling() ? as_argument(v) : interpreted_.computed(v); }
    /// The current context; opens none. Only within array work.
    Context& here();
    ops::Build& build() { return here().build(); }
    /// Does array work: in the current context, or at top level in one of its own which is run at once.
    Value array_work(Span span, const std::function<Value()>& work);
    /// Array work on numbers that are computed, which compiled code knows: done at once, for the number that it gives.
    Value at_once(const std::function<Value()>& work);
    /// A number that a loop or a call gives a function of the program.
    Value as_argument(const Value& v) const;
    /// In the current block, with this dtype or its own.
    ir::Value use(const Value& v, std::optional<DType> as = {}) { return here().use(v, as); }
    Value wrap(ir::Value v, bool weak = false) { return here().wrap(v, weak); }

    // -- known values (known.cpp): raise a diagnostic, or stage again with the parameters it came from known
    std::int64_t need_integer(const Value& v, Span span, std::string_view what);
    bool need_bool(const Value& v, Span span, std::string_view what);
    double need_float(const Value& v, Span span, std::string_view what);
    const std::string& need_text(const Value& v, Span span, std::string_view what);
    Number need_number(const Value& v, Span span, std::string_view what);
    Shape need_shape(const Value& v, Span span);                     ///< an int or a tuple of ints
    std::vector<int> need_axes(const Value& v, int rank, Span span); ///< none: all; an int or a tuple; sorted, checked
    int need_axis(const Value& v, int rank, Span span);
    /// The number that a staged constant is; any other value as it is.
    Value resolved(const Value& v);
    /// What an array is, or what is computed from constants and arrays at hand alone, computed now.
    std::optional<Array> constant_array(const Value& v, Span span);
    /// True when need_number would give the number, perhaps by staging again.
    bool can_become_known(const Value& v);
    /// The same, and the functions around can know it too: what vmap and pmap slice they cannot.
    bool known_to_callers(const Value& v);
    /// Makes the conditions known under which the library, since the program called it, has come here: both sides of
    /// one that is not are staged.
    void know_conditions_of_library(Span span);

    // -- indexing and updates (indexing.cpp, update.cpp)
    Value index(const Value& object, const std::vector<syntax::IndexItem>& items, Span span);
    Value field(const Value& object, const syntax::Name& name, Span span);
    /// The changed copy; `base` may be used up when it is the only owner of what changes.
    Value update(Value& base, const std::vector<syntax::Selector>& path, std::size_t at, syntax::UpdateOp op,
                 const Value& value, Span span);

    // -- array arithmetic for natives (arith.cpp); in the current context
    Value elementwise(ir::Op op, std::vector<Value> operands, Span span); ///< promotes, broadcasts
    Value elementwise_float(ir::Op op, const Value& x, Span span);        ///< integers become floats
    ir::Value as_float(const Value& x, bool* weak = nullptr);
    Value cast(const Value& v, DType dtype, Span span);
    /// Promoted dtype of several values.
    Promoted promoted(const std::vector<Value>& values, Span span);
    /// All in one dtype and shape; the operand that does not fit is named in the message.
    std::vector<ir::Value> aligned(const std::vector<Value>& values, Span span, Promoted* type = nullptr);

    // -- text (format.cpp)
    /// The text, or one with places for values that are staged.
    Value text_of(const Value& v, const std::string& spec, Span span);
    void print(const std::vector<Value>& values, const std::string& separator, const std::string& end, Span span);
    /// Stops the program unless every element of `condition` is true. `kind` names the diagnostic of the census.
    void check(const Value& condition, const Value& message, std::string_view kind, Span span);

    // -- named axes (axes.cpp)
    struct Axis {
        std::int64_t id;
        std::string name; ///< empty: none
        std::int64_t size;
        Span span;
        std::string kind; ///< "pmap" or "vmap"
    };
    std::vector<Axis>& axes() { return axes_; }
    Diagnostic unbound_axis(const std::string& name, Span span, std::string_view collective) const;
    std::vector<const Axis*> need_named_axes(const Value& names, Span span, std::string_view collective);

    /// Raises when the host has cancelled what runs or its deadline has passed; at `span`, or within what is at work.
    void poll(Span span = {});
    /// What does so, for work of the runtime's: it holds as long as the stager.
    std::function<void()> polling() {
        return [this] { poll(); };
    }
    /// The elements of a known array decide what is staged: the code holds for that array only.
    void note_value_read();
    /// Runs `work` where the stack is deep: staging and interpreting recurse with the program, running cached code does
    /// not.
    void on_deep_stack(const std::function<void()>& work);
    /// `otherwise`: what is said where the function cannot be interpreted, in the place of that.
    void host_work(std::string_view what, Span span, const std::shared_ptr<const Diagnostic>& otherwise = {});

    // -- statements and control flow (statements.cpp, control.cpp)
    /// What a branch or a loop goes by.
    struct Condition {
        Value value;
        Span span;
    };
    /// `wanted`: somebody uses the value; where nobody does it is none.
    Flow execute(syntax::BlockId id, bool wanted = true);
    /// The program is checked and not run.
    bool checking() const { return static_cast<bool>(host_.problem); }
    /// The local or the module's name that an assignment would change; null when there is none.
    Cell* cell_of(const std::string& name);
    Flow execute_statements(const std::vector<syntax::StmtId>& statements, std::size_t from, bool wanted);
    Flow execute_checked(syntax::StmtId id, bool wanted);
    Flow execute_statement(syntax::StmtId id, bool wanted = true);
    Value let_function(syntax::FunctionId id);
    void define(const std::string& name, const Value& value, bool mut, Span span);
    Cell& assignable(const std::string& name, Span span);
    void assign(const syntax::Assign& a, Span span);
    bool assign_appended(const syntax::Assign& a);
    /// old op value, as `op=` does.
    Value combine(syntax::UpdateOp op, const Value& old, const Value& value, Span span);
    /// `condition ? a : b` elementwise.
    Value choose(const Value& condition, const Value& a, const Value& b, Span span);
    Value stack_trees(const std::vector<Value>& rows, Span span);
    void bind_pattern(syntax::PatternId pattern, const Value& value, bool mut, Span span);
    void assign_place(const syntax::PlacePattern& place, syntax::UpdateOp op, const Value& value, Span span);
    void assign_pattern(syntax::PatternId pattern, const Value& value, Span span);
    /// Sizes that annotations have bound, and sizes written with names that had no value yet.
    struct Sizes {
        std::map<std::string, std::int64_t> bound;
        struct Open {
            syntax::TypeId type;
            syntax::ExprId size;
            std::int64_t is;
            Value value;
            Span span;
        };
        std::vector<Open> open;
    };
    void check_annotation(syntax::TypeId type, const Value& value, Span span, Sizes& sizes);
    /// Checks what was left open; a size whose names have no value by now is an error.
    void settle_sizes(Sizes& sizes);
    /// `let x: f32[n, m] = ...`: sizes of the function are checked, new ones are bound.
    void check_let(syntax::TypeId type, const Value& value, Span span);

    // -- lookups
    Cell* find(const std::string& name);
    const Value& lookup(const std::string& name, Span span);
    /// A module of the standard library, loaded now if it has not been.
    const Value& library_module(const std::string& name, Span span = {});
    /// What the language itself means by this name, whatever the program calls by it.
    const Value& builtin(const std::string& name) const { return prelude_->names.at(name).value; }
    /// The message about an assignment to a name that nothing declares.
    Diagnostic unknown_target(const std::string& name, Span span) const;
    Frame& frame() { return *frame_; }
    const syntax::Module& tree() const { return *frame_->module; }

    /// The elements of a tuple, or of an array along axis 0.
    std::vector<Value> spread(const Value& v, Span span);
    /// Element i of axis 0; 0 <= i < its size.
    Value element(const Value& v, std::int64_t i, Span span);
    /// The same with an index that may be staged; it is checked.
    Value element_at(const Value& v, const Value& i, Span span);
    /// All elements of what a `for` can run over, when their number is known; with `each`, what it makes of them.
    std::vector<Value> known_elements(const Value& source, Span span,
                                      const std::function<Value(const Value&)>& each = {});
    /// An array of values of one shape along a new axis 0.
    /// In this dtype, or in the promoted one of them all.
    Value stack_values(const std::vector<Value>& items, Span span, std::optional<DType> as = {});
    /// The real or the imaginary part: `x.real`, `imag(x)`.
    Value complex_part(const Value& x, bool real, Span span);
    /// Appends a value to text under way; staged values start a piece of their own.
    void append_formatted(Template& pieces, std::string& text, const Value& v, const std::string& format, Span span);

    /// Calls one function per element: map over axis 0 of `source` (comprehensions).
    Value map_over(const Value& source, const std::function<Value(const Value&)>& body, Span span);
    std::optional<Value> without_iterations(const std::function<Value()>& loop, Span span);

  private:
    friend class Control;
    friend class Specialiser;
    friend class TypesOnly;

    Flow statement(syntax::StmtId id, bool wanted);
    /// The names that a statement would have given values have none that is known.
    void leave_unknown(syntax::StmtId id);

    using AskedLeaves = std::set<std::pair<const Context*, std::int64_t>>;
    /// What `asked` holds is known, or the answer is no already.
    bool known_to_callers(const Value& v, AskedLeaves& asked);

    struct Donation;
    struct CallKey;
    CallKey call_key(const Value& function, const std::vector<Value>& arguments,
                     const std::vector<std::pair<std::string, Value>>& named);
    struct Unpacked;
    const std::string* name_given(const CallArguments& given, Span at) const;
    Cell* donated_cell(const std::string& name);
    /// Calls a function that is not native; its arguments' places are known meanwhile.
    Value call_placed(const Value& function, CallArguments given);
    /// Gives an error inside of the standard library the place of the user's call at `span`.
    void blame(Diagnostic& d, Span span) const;
    /// Calls within the context that has been opened for it: user functions are not specialised again.
    Value call_inside(const Value& function, std::vector<Value> arguments,
                      std::vector<std::pair<std::string, Value>> named, Span span);
    /// Calls a user function without a block of its own.
    Value call_unstaged(const Value& function, const std::vector<Value>& arguments,
                        const std::vector<std::pair<std::string, Value>>& named, Span span);
    struct Recorded;
    Recorded stage_recorded(const Value& function, const std::vector<Value>& arguments,
                            const std::vector<std::pair<std::string, Value>>& named, const Digest& key,
                            const Digest& full, const std::vector<Value>& leaves, bool all_known, Span span);
    StagedFunction stage_specialisation(const Value& function, const std::vector<Value>& arguments,
                                        const std::vector<std::pair<std::string, Value>>& named, const Digest& key,
                                        const std::vector<Value>& leaves, bool all_known, Span span);
    Number needed_number(const Value& function, const Reason& otherwise, const Value& leaf, Widths widths, Span span);
    Number known_to(const Value& function, const Number& n, Widths widths) const;
    Number number_or(const Reason& otherwise, const Value& leaf, Span span);
    void end_recursion(const Value& ending, const std::function<Diagnostic()>& otherwise, Span span);
    void end_recursion_by(const std::vector<Value>& leaves, const std::function<Diagnostic()>& otherwise, Span span);
    bool end_failed_recursion(const Value& function, const Digest& key, const std::vector<Value>& leaves,
                              const Diagnostic& failure, Span span);
    Value recursive_call(const Value& function, const std::vector<Value>& arguments,
                         const std::vector<std::pair<std::string, Value>>& named, const std::vector<Value>& leaves,
                         std::size_t outside, Span span);
    /// Calls grad(f), vmap(f) ... (transforms.cpp).
    Value call_transformed(const Value& function, CallArguments given);
    Value transform_now(const Value& function, std::vector<Value> arguments,
                        std::vector<std::pair<std::string, Value>> named, Span span);
    Value call_linear(const Transformed& t, const std::vector<Value>& arguments, Span span);
    Value call_checkpoint(const Transformed& t, std::vector<Value> arguments,
                          std::vector<std::pair<std::string, Value>> named, Span span);
    Value call_custom(const Transformed& t, std::vector<Value> arguments,
                      std::vector<std::pair<std::string, Value>> named, Span span);
    /// The arguments by position, defaults among them, those of a rest parameter one by one.
    std::vector<Value> by_position(const Value& function, const std::vector<Value>& arguments,
                                   const std::vector<std::pair<std::string, Value>>& named, Span span);
    Frame new_frame(const Function& f) const;
    Value apply_specialisation(const Specialisation& s, const std::vector<Value>& leaves, Span span,
                               Donation* donation = nullptr);
    void record_dependency(const std::string& name);
    Cell* global_cell(const std::string& name, Cell& cell);
    Value global_number(const Context::Global& which, const Value& now);
    std::optional<Value> known_call(const Value& function, const std::vector<Value>& arguments,
                                    const std::vector<std::pair<std::string, Value>>& named, const Digest& key,
                                    const std::vector<Value>& leaves, Span span);
    void know_global(const Context::Global& which);
    bool learn(const std::vector<Context::Callee>& calls, bool keep);
    void record(Dependency dependency);
    void note_dependencies(const Specialisation& s);
    std::vector<Array> execute(const ir::BlockPtr& block, std::vector<Array> arguments, Span span,
                               std::vector<ir::Donated>* donated = nullptr);
    /// Runs a block at top level; `donation`, where it is one, with the leaf that each operand is, for the first ones.
    std::vector<Value> run_block(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                 const std::vector<NumericType>& results, Span span, Donation* donation = nullptr,
                                 const std::vector<std::size_t>& leaf_of = {});
    Value interpreted_call(const Value& function, const std::vector<Value>& arguments,
                           const std::vector<std::pair<std::string, Value>>& named, const CallKey& key, Span span);
    std::optional<Value> returned_types(const Value& function, const std::vector<Value>& arguments,
                                        const std::vector<std::pair<std::string, Value>>& named, const CallKey& key,
                                        Span span);
    Value finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span);
    void speak_of_arity_of(const Native& n, const CallArguments& given, Diagnostic& d) const;
    Value call_native(const Native& n, CallArguments& given);
    Value evaluate_string(const syntax::StringLiteral& s, Span span);
    Value decided(const Value& left, syntax::ExprId right, const std::function<Value()>& evaluated, Span span);
    Value evaluate_logical(const syntax::Binary& b, Span span);
    Value evaluate_chain(syntax::ExprId id);
    Value evaluate_choice(const std::function<Value()>& call, syntax::ExprId id);
    Value chain_step(const syntax::LeftChain::Step& step, const Value& left, const Value& right);
    Value comprehension(const syntax::Comprehension& c, Span span);
    Value evaluate_if(const syntax::If& node, std::size_t at, Span span, Flow* flow, bool wanted = true);
    Value taken_in_code(const syntax::If& node, std::size_t at, const Value& condition,
                        const std::function<Value()>& side, Flow* flow);
    Value taken_side(const syntax::If& node, std::size_t at, bool first, const std::function<Flow(bool first)>& side,
                     Flow* flow);
    Value record_literal(const syntax::Record& r);
    Value method_call(const syntax::MethodCall& m, Span span);
    /// The function that `x.f(a)` calls, and what it is given.
    std::pair<Value, CallArguments> method_callee(const syntax::MethodCall& m, Span span);
    /// Of a statement whose value nobody gets: one that does nothing but compute it is refused. A call of a function of
    /// the program, or of what `jit` makes of one, may stand alone.
    Value evaluate_dropped(syntax::ExprId id);
    /// `object`: the name whose method it is, or empty.
    Value call_dropped(const Value& callee, CallArguments given, Span span, const std::string& object);
    Value field_of_literal(const syntax::Field& f, Span span);
    Value tuple_index(const Value& object, std::uint64_t index, Span span);
    Value array_literal(const syntax::Array& a, Span span);
    std::optional<std::string> in_round_brackets(Span span, std::size_t items);
    /// `f64([0.1])`: the numbers are read in the dtype.
    Value typed_literal(const syntax::Array& a, DType dtype, Span span);
    /// `literals`: array literals arrive as tuples, their numbers as they are written.
    std::vector<Value> evaluate_items(const std::vector<syntax::Item>& written, bool literals = false);
    Value evaluate_call(const syntax::Call& n, syntax::ExprId id);
    /// `a in b`.
    Value membership(const Value& a, const Value& b, Span span);
    Value number_binary(syntax::BinaryOp op, const Value& a, const Value& b, Span span);
    Flow loop_for(const syntax::For& loop, Span span);
    Flow loop_while(const syntax::While& loop, Span span);
    Flow run_while(const syntax::While& loop, Span span);
    Flow run_iterations(const syntax::For& loop, const Sequence& sequence, Span span);
    Flow run_iteration(const syntax::For& loop, const Value& item, Span span);
    Flow staged_for(const syntax::For& loop, const Sequence& sequence, bool early, int id, Span span);
    bool guarded_iteration(const std::function<Flow()>& iteration, Span span);
    Flow after_guarded(bool returns, bool none_returned, Span span);
    Value wrap_number(std::int64_t n);
    void take_apart(const syntax::TuplePattern& p, Span at, const Value& value, Span span,
                    const std::function<void(syntax::PatternId, const Value&)>& part);

    SourceMap& sources_;
    Host host_;
    std::shared_ptr<ModuleScope> prelude_;
    std::map<std::string, std::shared_ptr<ModuleScope>> modules_;
    std::uint64_t next_scope_ = 1;
    std::vector<std::weak_ptr<ModuleScope>> scopes_; ///< all that were ever made
    std::vector<std::string> loading_;

    Frame* frame_ = nullptr;
    std::shared_ptr<Context> context_;
    Interpreted interpreted_;
    Context::Kind kind_of_function_ = Context::Kind::function; ///< of the context that is opened next for one
    std::vector<Axis> axes_;
    std::int64_t next_axis_ = 0;
    int depth_ = 0;
    int region_depth_ = 0; ///< how many regions are open
    int next_loop_ = 0;
    Bounds bounds_ = Bounds::computed;
    Derivatives derivatives_;
    bool on_side_ = false;
    bool custom_rules_ = false;         ///< the program has a function with rules: their number counts in keys
    std::vector<Condition> conditions_; ///< around what is being staged, outermost first
    std::vector<Dirty*> dirty_;         ///< one per region being staged
    void mark_dirty(const Frame& frame, std::size_t local);

    bool in_transpose_ = false;
    bool linear_calls_ = false; ///< the program has a linear function with a transpose of its own
    Span work_span_;
    void add_to_library(std::uint32_t source);
    std::vector<bool> library_;                                    ///< by source: it is of the standard library
    std::set<std::pair<std::uint32_t, std::uint32_t>> own_checks_; ///< where the program itself calls assert and fail
    Span user_place_;                                              ///< the user's call that led into the library
    /// The call under way and its arguments' places: what takes the call over asks for them by the call's span.
    struct CallSite {
        Span call;
        std::vector<Span> positional;
        std::vector<std::pair<std::string, Span>> named;
        std::vector<Span> names;
    };
    CallSite call_site_;
    Donation* donation_ = nullptr; ///< of the call that is about to run
    struct Cache;
    std::unique_ptr<Cache> cache_;
};

/// All natives, in the order of their files. Each file of library/ gives a span.
const std::vector<const Native*>& natives();
const Native* native_named(std::string_view name);

} // namespace pm::stage
