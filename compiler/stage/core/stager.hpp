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

namespace pm::stage::texts {
class RecentPatterns;
}

namespace pm::stage {

/// Runs programs: evaluates statements one by one, and stages functions into blocks. The members hold the state. The
/// rules of the language are functions outside of this class (language.hpp).
class Stager {
  public:
    Stager(SourceMap& sources, Host host);
    ~Stager();

    // -- running programs (interpret/statements.cpp, call/dropped.cpp)
    /// Runs the statements of a module. Returns the value of the last statement if that statement is an expression.
    Value run(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope);
    /// Runs one `test` block of a module. The statements of the module must have run before. Assignments of the block
    /// to names of the module are undone at the end.
    void run_test(const std::shared_ptr<const syntax::Module>& tree, const std::shared_ptr<ModuleScope>& scope,
                  const syntax::Test& test);
    /// Releases the modules in `dropped`, which the embedding program no longer uses, and the code that was compiled
    /// for these modules. If another value refers to a module, directly or through a function, the module stays in
    /// `dropped`. Returns the number of visited values. Host::cancel can stop this work; `dropped` is then unchanged.
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
    /// The regular expressions that were compiled last. Null before the first one.
    std::shared_ptr<texts::RecentPatterns>& recent_patterns() { return recent_patterns_; }

    // -- the current context (call/staging.cpp; at_once: known/computed.cpp)
    /// The innermost open context. Null at top level.
    const std::shared_ptr<Context>& context() const { return context_; }
    bool interpreting() const { return !context_; }
    /// Whether the code is staged to be compiled and run. In such code, the mark Number::computed means that the number
    /// must be known.
    bool compiling() const { return context_ && context_->kind() != Context::Kind::eager && !types_only(); }
    /// Whether the code is staged only to find its types (types_only.hpp).
    bool types_only() const { return context_ && context_->function()->kind() == Context::Kind::types; }
    Interpreted& interpreted() { return interpreted_; }
    const Interpreted& interpreted() const { return interpreted_; }
    /// Whether arithmetic on numbers follows the rules of compiled code. True everywhere except in the statements of a
    /// module.
    bool as_compiled() const { return context_ || interpreted_.as_compiled(); }
    /// The current context, which must exist. Called only within array_work.
    Context& here();
    ops::Build& build() { return here().build(); }
    /// Runs `work`, which appends array operations to the current context. At top level, opens a context for `work` and
    /// then runs the block of this context.
    Value array_work(Span span, const std::function<Value()>& work);
    /// Runs the array operations of `work` during staging. The operands are numbers that compiled code knows. Returns
    /// the result as a known number.
    Value at_once(const std::function<Value()>& work);
    /// Runs a block with the executor. `donated` marks the arguments that the block may overwrite. After the call it
    /// marks the arguments that the block has overwritten. If `donated` is null, no argument may be overwritten.
    std::vector<Array> execute(const ir::BlockPtr& block, std::vector<Array> arguments, Span span,
                               std::vector<ir::Donated>* donated = nullptr);
    /// The value `v` in the current block, converted to `as` if `as` is given.
    ir::Value use(const Value& v, std::optional<DType> as = {}) { return here().use(v, as); }
    Value wrap(ir::Value v, bool weak = false) { return here().wrap(v, weak); }

    // -- work (core/stager.cpp; host_work: call/calls.cpp)
    /// Whether the program is checked and not run.
    bool checking() const { return static_cast<bool>(host_.problem); }
    /// Raises if the embedding program has cancelled the program, or if Host::deadline has passed. The error has the
    /// position of the current work. If this position is not known, the error has the position `span`.
    void poll(Span span = {});
    /// A function that calls `poll`. This function is passed to functions of the runtime that may take long. It must
    /// not outlive the stager.
    std::function<void()> polling() {
        return [this] { poll(); };
    }
    /// Runs `work` on a large stack. Staging and interpreting need a large stack, because they recurse as deeply as the
    /// program does. Running cached code does not need a large stack.
    void on_deep_stack(const std::function<void()>& work);
    /// Called before host work. In compiled code, where host work is not possible, throws HostWork, so that the
    /// function is interpreted. `otherwise` is the message if the function cannot be interpreted. If `otherwise` is
    /// null, the message is about `what`.
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
    std::uint64_t steps_ = 0; ///< the number of calls of `poll`, which is called for each statement, iteration and call
    Span work_span_;
    std::unique_ptr<Specialiser> specialiser_;
    std::shared_ptr<texts::RecentPatterns> recent_patterns_;
};

} // namespace pm::stage
