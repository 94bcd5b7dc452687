#include "compiler/stage/core/modules.hpp"

#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/embedded.hpp"
#include "compiler/stage/known/foreign.hpp"
#include "compiler/syntax/parse.hpp"
#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace pm::stage {

namespace {

/// Adds the global names that the source text of the prelude does not define: natives and dtypes.
void add_natives(ModuleScope& scope) {
    for (const Native* n : natives()) {
        const std::string name(n->name);
        scope.names[name] = {Value(std::make_shared<const Function>(name, n)), false, {}};
    }
    for (int d = 0; d < runtime::named_dtype_count; ++d) {
        const auto dtype = static_cast<DType>(d);
        if (dtype != DType::key) scope.names[std::string(runtime::name(dtype))] = {Value(dtype), false, {}};
    }
}

/// The name of the `.pm` file in the folder of the missing file `path` whose name is most similar to the name in
/// `path`. Empty if no name is similar.
std::string near_file(const std::filesystem::path& path) {
    std::vector<std::string> names;
    std::error_code error;
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == ".pm") names.push_back(at->path().filename().string());
    std::sort(names.begin(), names.end()); // the order of a directory listing is not defined
    std::string near = nearest(path.filename().string(), names);
    if (near.empty() && !path.has_extension()) near = nearest(path.filename().string() + ".pm", names);
    return near;
}

} // namespace

std::vector<std::string_view> offered_modules() {
    std::vector<std::string_view> names;
    for (const std::string_view name : embedded_modules())
        if (!embedded_module(name)->starts_with("# Inner module")) names.push_back(name);
    return names;
}

namespace {

/// A map from the name of each function in the offered modules to the modules that define a function with this name.
std::unordered_map<std::string_view, std::vector<std::string_view>> functions_of_modules() {
    constexpr std::string_view head = "\nfn ";
    std::unordered_map<std::string_view, std::vector<std::string_view>> found;
    for (const std::string_view module : offered_modules()) {
        const std::string_view text = *embedded_module(module);
        for (std::size_t at = text.find(head); at != std::string_view::npos; at = text.find(head, at + 1)) {
            const std::string_view rest = text.substr(at + head.size());
            std::vector<std::string_view>& in = found[rest.substr(0, rest.find('('))];
            if (in.empty() || in.back() != module) in.push_back(module);
        }
    }
    return found;
}

} // namespace

std::vector<std::string_view> modules_with(std::string_view name) {
    static const std::unordered_map<std::string_view, std::vector<std::string_view>> functions = functions_of_modules();
    const auto at = functions.find(name);
    return at == functions.end() ? std::vector<std::string_view>{} : at->second;
}

Modules::~Modules() {
    // Breaks reference cycles, because a module and its functions refer to each other.
    for (const std::weak_ptr<ModuleScope>& scope : scopes_)
        if (const auto alive = scope.lock()) alive->names.clear();
}

void Modules::load_prelude() {
    prelude_ = add("prelude", {});
    prelude_->prelude = true;
    add_natives(*prelude_);
    for (const std::string_view part : prelude_parts()) {
        const std::uint32_t source =
            s_.sources().add(fmt::format("<stdlib>/prelude/{}.pm", part), std::string(*prelude_part(part)));
        s_.places().add_to_library(source);
        const syntax::ParseResult parsed = syntax::parse(s_.sources(), source);
        if (!parsed.problems().empty()) raise(parsed.problems().front());
        s_.run(parsed.module, prelude_);
    }
}

std::shared_ptr<ModuleScope> Modules::add(std::string name, std::string folder) {
    auto scope = std::make_shared<ModuleScope>();
    scope->id = next_id_++;
    std::erase_if(scopes_, [](const std::weak_ptr<ModuleScope>& old) { return old.expired(); });
    scope->name = std::move(name);
    scope->folder = std::move(folder);
    scopes_.push_back(scope);
    return scope;
}

void Modules::forget_files() {
    std::erase_if(loaded_, [](const auto& entry) { return entry.first.front() != '<'; });
}

const Value& Modules::of_library(const std::string& name, Span span) {
    const Value loaded = import(name, false, span);
    return prelude_->names.insert_or_assign(name, Cell{loaded, false, {}}).first->second.value;
}

Modules::Text Modules::library_text(const std::string& path, Span span) const {
    if (const auto embedded = embedded_module(path))
        return {"<" + path + ">", std::string(*embedded), "<stdlib>/" + path + ".pm"};
    auto d = diagnose(Diag::import_failed, span, path, "the standard library has no such module");
    const std::vector<std::string_view> offered = offered_modules();
    const std::vector<std::string> names(offered.begin(), offered.end());
    if (foreign_module(path))
        raise(std::move(d).fix("nothing needs an import: zeros(3), grad(f), random.key(0), linalg.inv(a)"));
    if (const auto repair = foreign_name("", path); !repair.empty())
        raise(std::move(d).fix(fmt::format("nothing needs an import; {}", repair)));
    const std::string near = nearest(path, names);
    if (!near.empty()) raise(std::move(d).under(fmt::format("did you mean `{}`?", near)));
    raise(std::move(d)
              .note(fmt::format("its modules are {}", fmt::join(names, ", ")))
              .fix(fmt::format("a file is imported by its path: import \"{}.pm\"", path)));
}

std::vector<std::filesystem::path> Modules::candidates(const std::string& path) const {
    std::vector<std::filesystem::path> files{std::filesystem::path(s_.frame().globals->folder) / path};
    if (std::filesystem::path(path).is_relative())
        for (const std::string& folder : s_.host().module_folders)
            files.push_back(std::filesystem::path(folder) / path);
    return files;
}

Modules::Text Modules::file_text(const std::string& path, Span span) {
    if (!s_.host().files) raise(diagnose(Diag::files_not_granted, span, path));
    const std::vector<std::filesystem::path> files = candidates(path);
    std::error_code error;
    auto at = std::ranges::find_if(files, [&](const auto& file) {
        return std::filesystem::exists(file, error) && !std::filesystem::is_directory(file, error);
    });
    if (at == files.end()) at = files.begin(); // no file exists: the attempt to read the first one gives the reason
    const std::filesystem::path whole = std::filesystem::weakly_canonical(*at, error);
    try {
        std::string text = runtime::read_beginning(at->string(), syntax::max_source_bytes + 1, [&] { s_.poll(span); });
        return {error ? at->string() : whole.string(), std::move(text), at->string(), at->parent_path().string()};
    } catch (const runtime::Failure& f) {
        raise(not_imported(path, *at, f, span));
    }
}

Diagnostic Modules::not_imported(const std::string& path, const std::filesystem::path& at,
                                 const runtime::Failure& failure, Span span) const {
    if (std::error_code none; std::filesystem::is_directory(at, none))
        return diagnose(Diag::import_failed, span, path, "it is a folder")
            .fix(fmt::format("name one of its files: import \"{}\"",
                             (path / std::filesystem::path("name.pm")).string()));
    if (failure.kind() != runtime::FailureKind::file_missing)
        return diagnose(Diag::import_failed, span, path, failure.message());
    auto d = diagnose(Diag::import_failed, span, path, fmt::format("there is no file `{}`", at.string()));
    for (const std::filesystem::path& file : candidates(path)) {
        if (file != at) d.notes.push_back(fmt::format("nor is there `{}`", file.string()));
        if (d.caret.empty())
            if (const std::string near = near_file(file); !near.empty())
                d.caret = fmt::format("did you mean `{}`?", near);
    }
    return d;
}

void Modules::require_no_cycle(const std::string& key, const std::string& path, Span span) const {
    const auto first = std::find(loading_.begin(), loading_.end(), key);
    if (first == loading_.end()) return;
    std::string chain;
    for (auto file = first; file != loading_.end(); ++file)
        chain += std::filesystem::path(*file).filename().string() + " -> ";
    raise(diagnose(Diag::import_cycle, span, path, chain + std::filesystem::path(key).filename().string()));
}

Value Modules::import(const std::string& path, bool file, Span span) {
    Text text = file ? file_text(path, span) : library_text(path, span);
    const std::string key = text.key;
    require_no_cycle(key, path, span);
    if (const auto at = loaded_.find(key); at != loaded_.end()) return ModuleValue{at->second};
    return ModuleValue{loaded_[key] = load(std::move(text), path, file, span)};
}

std::shared_ptr<ModuleScope> Modules::load(Text text, const std::string& path, bool file, Span span) {
    const std::uint32_t source = s_.sources().add(text.shown, std::move(text.text));
    if (!file) s_.places().add_to_library(source);
    const auto scope = add(std::filesystem::path(path).stem().string(), text.folder);
    loading_.push_back(text.key);
    struct Pop {
        std::vector<std::string>& list;
        ~Pop() { list.pop_back(); }
    } pop{loading_};
    struct Drop { // breaks the reference cycle between the module and its functions
        ModuleScope* scope;
        ~Drop() {
            if (scope) scope->names.clear();
        }
    } unless_done{scope.get()};
    try {
        const syntax::ParseResult parsed = syntax::parse(s_.sources(), source);
        if (!parsed.problems().empty()) raise(parsed.problems().front());
        s_.run(parsed.module, scope);
    } catch (Error& e) {
        const Span at = e.diagnostic().span;
        const bool itself =
            at && span && at.begin == span.begin && s_.sources()[at.source].name() == s_.sources()[span.source].name();
        if (file && span && !itself && !ends_run(e.diagnostic())) e.diagnostic().label(span, "imported here");
        throw;
    }
    unless_done.scope = nullptr;
    return scope;
}

} // namespace pm::stage
