#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// A program is checked by running it on abstract arrays, which have a type and no elements (Host::problem is set). A
// statement that needs elements or host work is skipped. A statement that uses a name is also skipped if a skipped
// statement would have set this name. Then the functions whose annotations specify all types are staged for sample
// sizes, which stand for arbitrary sizes.

/// An executor that does not run a block, but returns abstract arrays of the block's result types.
class AbstractExecutor : public ir::Executor {
  public:
    std::vector<runtime::Array> run(const ir::BlockPtr& block, std::vector<runtime::Array> arguments) override;
};

/// Whether an `assert` or `fail` of the program itself, not of the library, raised the error. Such an error may depend
/// on the data of a run.
bool own_words(Stager& stager, const Diagnostic& d);

/// The errors for undefined names in the module's source text, including functions that are never called. `visible`:
/// the names that are defined outside of the module. `only_statements`: names in functions are left out, because a
/// function may never be called.
std::vector<Diagnostic> unresolved_names(const syntax::Module& tree, const std::vector<std::string>& visible,
                                         const SourceMap& sources, bool only_statements = false);
/// A warning for each second draw from the same random key. Such a draw returns the same numbers as the first draw.
std::vector<Diagnostic> keys_used_twice(const syntax::Module& tree);
/// Warnings for locals and parameters of named functions that are never read. Also warnings for functions that replace
/// another function of the same name. If a function is passed by name, its callers determine its parameters, so its
/// parameters are not reported.
std::vector<Diagnostic> unused_names(const syntax::Module& tree);
/// The errors for calls with a wrong number or wrong names of arguments, and for unknown members of modules. Functions
/// that are never called are included. `scope`: the names of the module after it has run.
std::vector<Diagnostic> wrong_calls(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                                    const ModuleScope& scope);
Diagnostic missing_member(const ModuleScope& module, const ModuleScope& prelude, const syntax::Name& name);
/// Whether `=` follows the name at `span`. Such an assignment does not depend on the old value of the name.
bool gets_whole_value(const SourceMap& sources, Span span);
/// The candidates for a misspelled name.
struct KnownNames {
    std::vector<const NearNames*> own;     ///< names of the program, innermost scope first
    std::vector<const NearNames*> library; ///< visible names of the library
    /// Whether the program defines a value with the name of the library module `module`.
    std::function<bool(std::string_view module)> is_value;
};
/// The names of the library that are visible to all programs: the names in `global`, the names of the modules, and
/// words like `grad`. A name of the library that begins with `_` is suggested only if the unknown name begins with `_`
/// too.
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
/// The error for an unknown name. `path`: the name and the fields that follow it in the source text, such as
/// `jnp.linalg.inv`.
Diagnostic unknown_name(const std::string& name, Span span, const KnownNames& known, std::string_view path);
/// The path that begins at `span` in the source text: a name and the fields that follow it.
std::string_view path_at(const SourceMap& sources, Span span);

/// Ends a loop in a program that is being checked. The loop ends after an iteration that does not change the types of
/// the assigned names. More iterations could change only numbers, so names whose values contain numbers become unknown.
/// If the types still change after 20 iterations, the loop ends, and all assigned names become unknown.
class CheckedLoop {
  public:
    CheckedLoop(Stager& stager, syntax::BlockId body);
    /// Called after each iteration except the last iteration. Returns true if the loop may end.
    bool enough();

  private:
    Stager& s_;
    std::set<std::string> names_; ///< the names that the body assigns
    Digest before_{};
    int iterations_ = 0;
};

/// Runs a `test` block. An error in the block that occurs in every run is passed to Host::problem.
void check_test(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                const std::shared_ptr<ModuleScope>& scope, const syntax::Test& test);

/// The errors in the fully annotated functions of a module. Names whose value is a transformation of such a function
/// (grad, vmap, pmap ...) are included. An error that depends on the sizes is not returned. To find such errors, the
/// sizes are replaced by three choices of numbers. An error is returned only if it occurs for all three choices. In the
/// first choice the numbers are primes. In the second choice each number divides the next number. In the third choice
/// each number is a multiple of the next number. So an error that depends on whether one size divides another is not
/// returned.
std::vector<Diagnostic> check_functions(Stager& stager, const ModuleScope& scope);

} // namespace pm::stage
