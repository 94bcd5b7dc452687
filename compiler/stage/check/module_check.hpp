#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// A program is checked by running it on abstract arrays, which have a type and no elements (Host::problem is set). A
// statement that needs elements or host work is skipped. Statements that use a name which a skipped statement would
// have set are also skipped. Then the functions whose annotations specify all types are staged for sample sizes, which
// represent arbitrary sizes.

/// An executor that does not run a block, but returns abstract arrays of the block's result types.
class AbstractExecutor : public ir::Executor {
  public:
    std::vector<runtime::Array> run(const ir::BlockPtr& block, std::vector<runtime::Array> arguments) override;
};

/// Whether the error was raised by an `assert` or `fail` of the program itself, not of the library. Such an error may
/// occur in one run only.
bool own_words(Stager& stager, const Diagnostic& d);

/// The errors for undefined names in the module's text, also in functions that are never called. `visible`: the names
/// that are defined outside of the module.
std::vector<Diagnostic> unresolved_names(const syntax::Module& tree, const std::vector<std::string>& visible,
                                         const SourceMap& sources);
/// A warning for each second draw from the same key, because it returns the same numbers again.
std::vector<Diagnostic> keys_used_twice(const syntax::Module& tree);
/// The errors for calls with a wrong number or wrong names of arguments, and for unknown members of modules, also in
/// functions that are never called. `scope`: the names of the module after it has run.
std::vector<Diagnostic> wrong_calls(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                                    const ModuleScope& scope);
Diagnostic missing_member(const ModuleScope& module, const ModuleScope& prelude, const syntax::Name& name);
/// Whether `=` follows the name at `span`. If so, the assignment does not depend on the old value.
bool gets_whole_value(const SourceMap& sources, Span span);
/// The candidates for a misspelled name.
struct KnownNames {
    std::vector<const NearNames*> own;     ///< names of the program, innermost scope first
    std::vector<const NearNames*> library; ///< visible names of the library
    /// Whether the program has a value with the name of this library module.
    std::function<bool(std::string_view module)> is_value;
};
/// The names of the library that are visible to every program: the names in `global`, the modules, and words like
/// `grad`. A name that begins with `_` is suggested only if the unknown name also begins with `_`.
class LibraryNames {
  public:
    explicit LibraryNames(std::vector<std::string> global);
    std::vector<const NearNames*> seen_by(const std::string& name) const;

  private:
    NearNames plain_, underlined_;
};
/// The error for an assignment to an undeclared name. `own`: the names of the program, without names of the library.
Diagnostic unknown_assigned(const std::string& name, Span span, const std::vector<const NearNames*>& own,
                            const SourceMap& sources);
/// The error for an unknown name. `path`: the name with the fields that follow it in the text, as in `jnp.linalg.inv`.
Diagnostic unknown_name(const std::string& name, Span span, const KnownNames& known, std::string_view path);
/// The path that begins in the text at `span`.
std::string_view path_at(const SourceMap& sources, Span span);

/// Ends a loop in a program that is being checked. The loop ends when an iteration does not change the types of the
/// assigned names. Further iterations could only change numbers, so names whose values contain numbers become unknown.
/// After 20 iterations all assigned names become unknown.
class CheckedLoop {
  public:
    CheckedLoop(Stager& stager, syntax::BlockId body);
    /// Called after each iteration except the last. Returns true if the loop may end.
    bool enough();

  private:
    Stager& s_;
    std::set<std::string> names_; ///< the names that the body assigns
    Digest before_{};
    int iterations_ = 0;
};

/// Runs a `test` block. An error in it is a problem of the program.
void check_test(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                const std::shared_ptr<ModuleScope>& scope, const syntax::Test& test);

/// The errors in the functions of a module that are fully annotated, and in names of the module whose value is grad,
/// vmap, pmap ... of such a function. An error that depends on the sizes is not returned: the named sizes are replaced
/// by different numbers in three ways, and an error is returned only if all three choices of numbers cause it. In the
/// first choice the numbers are primes. In the second each number divides the next, and in the third each number is a
/// multiple of the next. So an error that depends on whether one size divides another is not returned.
std::vector<Diagnostic> check_functions(Stager& stager, const ModuleScope& scope);

} // namespace pm::stage
