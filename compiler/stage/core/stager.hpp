#pragma once
#include "compiler/stage/core/around.hpp"
#include "compiler/stage/core/calls.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/host.hpp"
#include "compiler/stage/core/interpreted.hpp"
#include "compiler/stage/core/language.hpp"
#include "compiler/stage/core/modules.hpp"
#include "compiler/stage/core/scopes.hpp"
#include "compiler/stage/core/source_places.hpp"
#include "compiler/stage/core/specialiser.hpp"
#include "compiler/stage/values/native.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

/// Runs programs: evaluates statements one by one, and stages functions into blocks. The members are the parts of the
/// state. The rules of the language are functions (language.hpp).
class Stager {
  public:
    Stager(SourceMap& sources, Host host);
    ~Stager();

    // -- running programs (interpret/statements.cpp, call/dropped.cpp)
    /// Runs the statements of a module. Returns the value of the last statement if that statement is an expression.
    Value run(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope);
    /// Runs one `test` block of a module that has run. Assignments of the block to names of the module are undone.
    void run_test(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope,
                  const syntax::Test& test);
    /// Releases modules that the host has dropped, and the code that was compiled for them. A module that another value
    /// refers to, directly or through a function, stays in the list. Returns the number of visited values. The host can
    /// cancel this work as it cancels a program; the list is then unchanged.
    std::size_t release_modules(std::vector<std::weak_ptr<ModuleScope>>& dropped);

    // -- the parts of its state
    Host& host() { return host_; }
    const Host& host() const { return host_; }
    SourceMap& sources() { return sources_; }
    const SourceMap& sources() const { return sources_; }
    Modules& modules() { return modules_; }
    const Modules& modules() const { return modules_; }
    Places& places() { return places_; }
    const Places& places() const { return places_; }
    Scopes& scopes() { return scopes_; }
    const Scopes& scopes() const { return scopes_; }
    Frame& frame() { return *scopes_.frame; }
    const syntax::Module& tree() const { return *scopes_.frame->module; }
    Calls& calls() { return calls_; }
    Specialiser& specialiser() { return *specialiser_; }
    /// The transformations that contain the code being staged.
    Around& around() { return around_; }
    int new_loop_id() { return next_loop_++; }

    // -- the current context (call/staging.cpp; at_once: known/computed.cpp)
    /// The innermost open context. Null at top level.
    const std::shared_ptr<Context>& context() const { return context_; }
    bool interpreting() const { return !context_; }
    /// Whether the code is being compiled and will run. In such code, a number that must be known is marked as a
    /// computed number.
    bool compiling() const { return context_ && context_->kind() != Context::Kind::eager && !types_only(); }
    /// Whether the code is staged only to find its types (types_only.hpp).
    bool types_only() const { return context_ && context_->function()->kind() == Context::Kind::types; }
    Interpreted& interpreted() { return interpreted_; }
    const Interpreted& interpreted() const { return interpreted_; }
    /// Whether arithmetic on numbers is that of compiled code. True everywhere except in the statements of a module.
    bool as_compiled() const { return context_ || interpreted_.as_compiled(); }
    /// The current context, which must exist. Called only within array_work.
    Context& here();
    ops::Build& build() { return here().build(); }
    /// Runs `work`, which appends array operations to the current context. At top level, opens a context for the work
    /// and runs the resulting block.
    Value array_work(Span span, const std::function<Value()>& work);
    /// Immediately runs `work`, which consists of array operations on numbers that compiled code knows. Returns the
    /// result as a known number.
    Value at_once(const std::function<Value()>& work);
    /// Runs a block with the executor. On input, `donated` has the arguments that the block may overwrite; on output,
    /// those that it has overwritten. Null: no argument may be overwritten.
    std::vector<Array> execute(const ir::BlockPtr& block, std::vector<Array> arguments, Span span,
                               std::vector<ir::Donated>* donated = nullptr);
    /// The value in the current block, converted to `as` if given.
    ir::Value use(const Value& v, std::optional<DType> as = {}) { return here().use(v, as); }
    Value wrap(ir::Value v, bool weak = false) { return here().wrap(v, weak); }

    // -- work (core/stager.cpp; host_work: call/calls.cpp)
    /// Whether the program is checked and not run.
    bool checking() const { return static_cast<bool>(host_.problem); }
    /// Raises if the host has cancelled the program or its deadline has passed. The error is at `span`, or at the
    /// current work.
    void poll(Span span = {});
    /// A function that calls `poll`, for work of the runtime. The function must not outlive the stager.
    std::function<void()> polling() {
        return [this] { poll(); };
    }
    /// Runs `work` on a deep stack. Needed for staging and interpreting, which recurse as the program does; not for
    /// running cached code.
    void on_deep_stack(const std::function<void()>& work);
    /// Raises in compiled code, where host work is not possible. `otherwise`: the message if the function cannot be
    /// interpreted. Null: the message is about `what`.
    void host_work(std::string_view what, Span span, const std::shared_ptr<const Diagnostic>& otherwise = {});

  private:
    friend class Calls;
    friend class Control;
    friend class Specialiser;
    friend class Staging;
    friend class TypesOnly;

    SourceMap& sources_;
    Places places_{sources_};
    Host host_;
    Modules modules_{*this};

    Scopes scopes_{*this};
    Calls calls_{*this};
    std::shared_ptr<Context> context_;
    Around around_;
    Interpreted interpreted_;
    Context::Kind kind_of_function_ = Context::Kind::function; ///< kind of the next context for a function
    int next_loop_ = 0;
    std::uint64_t steps_ = 0; ///< the number of calls of `poll`: statements, iterations and calls
    Span work_span_;
    std::unique_ptr<Specialiser> specialiser_;
};

} // namespace pm::stage
