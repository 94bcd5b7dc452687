#include "compiler/stage/files/archives.hpp"

#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/files/files.hpp"
#include "compiler/stage/files/first_process.hpp"
#include "compiler/stage/files/own_rows.hpp"
#include "compiler/stage/known/known.hpp"
#include "runtime/failure.hpp"
#include "runtime/io/formats/npz_parts.hpp"
#include "runtime/io/replace.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

namespace pm::stage::files {
namespace {

/// The call of a native that writes an archive in all processes of a job.
class SharedArchive {
  public:
    SharedArchive(Stager& s, const Arguments& a, std::string_view what, const runtime::NamedArrays& arrays)
        : s_(s), a_(a), what_(what), arrays_(arrays), parts_(arrays, s.host().processes->index()) {}

    /// The work of process 0. Returns false if the file is to be written by process 0 alone, which then has all parts.
    bool write_first(const std::string& path) {
        bool told = false;
        const auto tell = [&](const std::string& text) {
            told = true;
            s_.host().processes->from_first(meeting(naming), text);
        };
        bool done = false;
        try {
            done = runtime::replace_file_by(path, !s_.host().processes->on_one_host(), [&](const std::string& name) {
                const std::string mark = runtime::NpzParts::mark(name);
                const std::string absolute = std::filesystem::absolute(name);
                tell(mark + absolute);
                const auto checksums = write_parts(mark, absolute);
                if (checksums) parts_.write_rest(name, *checksums);
                return checksums.has_value();
            });
        } catch (...) {
            if (!told) tell(failed);
            throw;
        }
        if (!told) tell("");
        if (!done) bring();
        return done;
    }

    /// The work of another process.
    void write_other() {
        const std::string told = s_.host().processes->from_first(meeting(naming), {});
        if (told == failed) return;
        if (told.empty() || !write_parts(told.substr(0, mark_size), told.substr(mark_size))) bring();
    }

  private:
    // The parts of the call in which processes meet.
    enum Phase : std::int64_t { naming = 1, writing };
    static constexpr const char* failed = "!"; ///< told in place of a name: process 0 has an error
    static constexpr std::size_t mark_size = 16;

    runtime::Meeting meeting(Phase phase) const { return meeting_of(s_, a_, what_, phase); }

    /// Writes the own parts. Returns the checksums of all processes; nullopt if one of them does not reach the file.
    /// The error of a process is raised in all.
    std::optional<std::vector<runtime::NpzParts::Checksums>> write_parts(const std::string& mark,
                                                                         const std::string& name) {
        const std::vector<Value> told = from_all(s_, a_, meeting(writing), [&]() -> Value {
            const auto own = parts_.write_own(name, mark, s_.polling());
            if (!own) return None{};
            std::vector<Value> items;
            for (const std::uint32_t checksum : *own) items.push_back(Value::integer(checksum));
            return Value::tuple(std::move(items));
        });
        std::vector<runtime::NpzParts::Checksums> all;
        for (const Value& value : told) {
            const Tuple* const items = value.tuple();
            if (items == nullptr || items->items.size() != arrays_.size()) return std::nullopt;
            auto& checksums = all.emplace_back();
            for (const Value& item : items->items) checksums.push_back(static_cast<std::uint32_t>(item.number()->i));
        }
        return all;
    }

    /// Brings all parts of the arrays to all processes.
    void bring() {
        for (const auto& [name, array] : arrays_) array.data();
    }

    Stager& s_;
    const Arguments& a_;
    std::string_view what_;
    const runtime::NamedArrays& arrays_;
    runtime::NpzParts parts_;
};

} // namespace

Value save_archive(Stager& s, const Arguments& a, std::string_view what,
                   const std::function<runtime::NamedArrays()>& arrays_of) {
    require_files(s, a, what);
    const std::string& path = path_of(s, a);
    const bool compress = need_bool(s, a[2], a.spans[2], "compress");
    runtime::NamedArrays arrays;
    bool divided = false;
    std::optional<SharedArchive> shared;
    with_failures(a.span, [&]() -> Value {
        arrays = arrays_of();
        for (const auto& [name, array] : arrays) { // a view brings the array of which it is a part
            if (array.is_divided() && array.division() == nullptr) array.data();
            divided = divided || array.is_divided();
        }
        if (divided && !compress) shared.emplace(s, a, what, arrays);
        return None{};
    });
    const auto save = [&]() -> Value {
        if (!shared || !shared->write_first(path))
            runtime::save_npz(path, arrays, compress, s.polling(), s.host().allocator);
        return None{};
    };
    if (!shared) return with_files(s, a, what, FileAccess::first, save);
    return in_first_process(s, a, what, save, [&] { shared->write_other(); });
}

runtime::NamedArrays load_archive(Stager& s, const Arguments& a, std::string_view what, const std::string& whole) {
    const bool part = need_bool(s, a[1], a.spans[1], "part");
    if (part && s.host().processes != nullptr) return load_own_archive(s, a, what, whole);
    return runtime::load_npz(path_of(s, a), s.host().allocator, s.polling());
}

} // namespace pm::stage::files
