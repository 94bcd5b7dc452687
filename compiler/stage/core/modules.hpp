#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/base/source.hpp"
#include "compiler/stage/values/module_scope.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pm::runtime {
class Failure;
}
namespace pm::stage {

class Stager;

/// The modules of a stager: the prelude, the modules of the standard library, and the modules of files.
class Modules {
  public:
    explicit Modules(Stager& stager) : s_(stager) {}
    ~Modules();
    Modules(const Modules&) = delete;
    Modules& operator=(const Modules&) = delete;

    /// Runs the source text of the prelude. Must be called before the other functions.
    void load_prelude();
    const std::shared_ptr<ModuleScope>& prelude() const { return prelude_; }
    /// The value that the language defines for `name`, even if the program has redefined `name`.
    const Value& builtin(const std::string& name) const { return prelude_->names.at(name).value; }

    /// Adds a module that defines no names yet.
    std::shared_ptr<ModuleScope> add(std::string name, std::string folder);
    /// If `file`, returns the module of the file at `path`. Otherwise returns the module of the standard library with
    /// the name `path`. A module is loaded at its first import.
    Value import(const std::string& path, bool file, Span span);
    /// Returns a module of the standard library, and adds its name to the prelude.
    const Value& of_library(const std::string& name, Span span = {});
    /// After this call, the next import of a file reads the file again. Values that already refer to the module of a
    /// file still refer to the old module.
    void forget_files();

  private:
    /// The source text of an imported module.
    struct Text {
        std::string key; ///< key of the module in `loaded_`
        std::string text;
        std::string shown; ///< name of the module in messages
        std::string folder = {};
    };
    Text library_text(const std::string& path, Span span) const;
    /// The files that `import "path"` can mean in the running module, in the order in which they are tried.
    std::vector<std::filesystem::path> candidates(const std::string& path) const;
    Text file_text(const std::string& path, Span span);
    /// The error that the file `at` could not be read.
    Diagnostic not_imported(const std::string& path, const std::filesystem::path& at, const runtime::Failure& failure,
                            Span span) const;
    void require_no_cycle(const std::string& key, const std::string& path, Span span) const;
    std::shared_ptr<ModuleScope> load(Text text, const std::string& path, bool file, Span span);

    Stager& s_;
    std::shared_ptr<ModuleScope> prelude_;
    /// The loaded modules. The key is the path of the file, or `<name>` for a module of the standard library.
    std::map<std::string, std::shared_ptr<ModuleScope>> loaded_;
    std::vector<std::string> loading_;
    std::uint64_t next_id_ = 1;
    std::vector<std::weak_ptr<ModuleScope>> scopes_; ///< all modules that are still alive
};

} // namespace pm::stage
