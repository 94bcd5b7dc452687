#pragma once
#include "compiler/base/nearest.hpp"
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

// A program is checked by running it over abstract arrays, which have a type and no elements (Host::problem is set). A
// statement that needs elements or the outside is left out, and so is what depends on the names it would have given
// values. Functions whose annotations say what they take are then staged for sizes that stand for any.

/// "Runs" a block: gives abstract arrays of its results' types.
class AbstractExecutor : public ir::Executor {
  public:
    std::vector<runtime::Array> run(const ir::BlockPtr& block, std::vector<runtime::Array> arguments) override;
};

/// What a program says itself, by an `assert` or `fail` of its own: an affair of running it. What the library refuses
/// is none.
bool own_words(Stager& stager, const Diagnostic& d);

/// Names in the module's text that nothing defines, in functions that nobody calls too. `visible` are those that come
/// from outside of it.
std::vector<Diagnostic> unresolved_names(const syntax::Module& tree, const std::vector<std::string>& visible,
                                         const SourceMap& sources);
/// Draws from a key that has been drawn from before, which gives the same numbers again: warnings.
std::vector<Diagnostic> keys_used_twice(const syntax::Module& tree);
/// Calls of functions whose number or names of arguments no values make right, and members that modules do not have, in
/// functions that nobody calls too. `scope` are the names of the module, which has run.
std::vector<Diagnostic> wrong_calls(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                                    const ModuleScope& scope);
Diagnostic missing_member(const ModuleScope& module, const ModuleScope& prelude, const syntax::Name& name);
/// Whether `=` stands behind the name at `span`: it gets a whole value, and none that comes of what it had.
bool gets_whole_value(const SourceMap& sources, Span span);
/// What can be meant by an unknown name.
struct KnownNames {
    std::vector<const NearNames*> own;     ///< the program's, innermost scope first
    std::vector<const NearNames*> library; ///< those that are visible
    /// Whether the program uses the name of a library module for a value.
    std::function<bool(std::string_view module)> is_value;
};
/// Names of the library that are visible to every program: `global` ones, its modules, and words like `grad`. Those
/// that begin with `_` are only for names that do, too.
class LibraryNames {
  public:
    explicit LibraryNames(std::vector<std::string> global);
    std::vector<const NearNames*> seen_by(const std::string& name) const;

  private:
    NearNames plain_, underlined_;
};
/// What is assigned but declared nowhere; `own` are the names of the program, without those of the library.
Diagnostic unknown_assigned(const std::string& name, Span span, const std::vector<const NearNames*>& own,
                            const SourceMap& sources);
/// `name` is unknown; `path` is the name with the fields that are taken of it, as `jnp.linalg.inv`.
Diagnostic unknown_name(const std::string& name, Span span, const KnownNames& known, std::string_view path);
/// The path that begins at `span` in the text.
std::string_view path_at(const SourceMap& sources, Span span);

/// The iterations of a loop that runs over abstract arrays: once the types of what it changes stay as they are, further
/// iterations bring nothing new but the numbers it counts, which are unknown then.
class CheckedLoop {
  public:
    CheckedLoop(Stager& stager, syntax::BlockId body);
    /// After an iteration that is not the last.
    bool enough();

  private:
    Stager& s_;
    std::set<std::string> names_; ///< that it assigns
    Digest before_{};
    int iterations_ = 0;
};

/// Runs a `test` block; its error, if it has one, is a problem of the program.
void check_test(Stager& stager, const std::shared_ptr<const syntax::Module>& tree,
                const std::shared_ptr<ModuleScope>& scope, const syntax::Test& test);

/// What is wrong with the module's functions that are annotated throughout, and with grad, vmap, pmap ... of them that
/// the module names: for all sizes their annotations leave open. Each named size stands for a number of its own; an
/// error counts when it comes with several choices of numbers (primes, highly divisible ones, small ones), so that what
/// holds for some of them only - a size that another one divides - is no error.
std::vector<Diagnostic> check_functions(Stager& stager, const ModuleScope& scope);

} // namespace pm::stage
