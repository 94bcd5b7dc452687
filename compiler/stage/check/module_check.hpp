#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// A program is checked by running it over abstract arrays, which have a type and no elements (Host::problem is set).
// Statements that need elements or host work are skipped, and so are statements that depend on names which skipped
// statements would have set. Functions whose annotations give all types are then staged for sample sizes, which stand
// for any sizes.

/// Replaces the execution of a block: returns abstract arrays of its result types.
class AbstractExecutor : public ir::Executor {
  public:
    std::vector<runtime::Array> run(const ir::BlockPtr& block, std::vector<runtime::Array> arguments) override;
};

/// Whether the error is an `assert` or `fail` of the program itself. Such an error concerns one run. Errors raised by
/// the library do not count.
bool own_words(Stager& stager, const Diagnostic& d);

/// Undefined names in the module's text, also in functions without a caller. `visible` are the names from outside the
/// module.
std::vector<Diagnostic> unresolved_names(const syntax::Module& tree, const std::vector<std::string>& visible,
                                         const SourceMap& sources);
/// Warnings for second draws from the same key, which yield the same numbers again.
std::vector<Diagnostic> keys_used_twice(const syntax::Module& tree);
/// Calls with a wrong number or wrong names of arguments, whatever their values, and unknown members of modules; also
/// in functions without a caller. `scope` has the names of the module, which has run.
std::vector<Diagnostic> wrong_calls(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                                    const ModuleScope& scope);
Diagnostic missing_member(const ModuleScope& module, const ModuleScope& prelude, const syntax::Name& name);
/// Whether `=` follows the name at `span`: the assignment does not depend on the old value.
bool gets_whole_value(const SourceMap& sources, Span span);
/// The candidates for a misspelled name.
struct KnownNames {
    std::vector<const NearNames*> own;     ///< names of the program, innermost scope first
    std::vector<const NearNames*> library; ///< visible names of the library
    /// Whether the program uses the name of a library module for a value of its own.
    std::function<bool(std::string_view module)> is_value;
};
/// Names of the library that are visible to every program: `global` names, its modules, and words like `grad`. Names
/// that begin with `_` are suggested only for names that also begin with `_`.
class LibraryNames {
  public:
    explicit LibraryNames(std::vector<std::string> global);
    std::vector<const NearNames*> seen_by(const std::string& name) const;

  private:
    NearNames plain_, underlined_;
};
/// The error for an assignment to an undeclared name. `own` are the names of the program, without those of the library.
Diagnostic unknown_assigned(const std::string& name, Span span, const std::vector<const NearNames*>& own,
                            const SourceMap& sources);
/// The error for an unknown name. `path` is the name with the fields after it, as in `jnp.linalg.inv`.
Diagnostic unknown_name(const std::string& name, Span span, const KnownNames& known, std::string_view path);
/// The path in the text at `span`.
std::string_view path_at(const SourceMap& sources, Span span);

/// The iterations of a loop over abstract arrays. The loop ends when the types of its assigned names no longer change.
/// Further iterations would change only numbers; the names of these become unknown. After 20 iterations all assigned
/// names become unknown.
class CheckedLoop {
  public:
    CheckedLoop(Stager& stager, syntax::BlockId body);
    /// Called after each iteration except the last. True if the loop may end.
    bool enough();

  private:
    Stager& s_;
    std::set<std::string> names_; ///< assigned in the body
    Digest before_{};
    int iterations_ = 0;
};

/// Runs a `test` block. An error in it is a problem of the program.
void check_test(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                const std::shared_ptr<ModuleScope>& scope, const syntax::Test& test);

/// Errors in the module's fully annotated functions, and in grad, vmap, pmap ... of them if the module names these. The
/// errors hold for all sizes that the annotations leave open. Each named size gets a different number, and an error
/// counts only if all three choices of numbers cause it. The choices are primes, numbers that each divide the next, and
/// numbers that each are a multiple of the next. So an error that depends on one size dividing another does not count.
std::vector<Diagnostic> check_functions(Stager& stager, const ModuleScope& scope);

} // namespace pm::stage
