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
        : s_(s), a_(a), what_(what), arrays_(arrays), meeting_(meeting_of(s, a, what)),
          parts_(arrays, s.host().processes->index()) {}

    /// The work of process 0. Returns whether the file is written.
    bool write_first(const std::string& path) {
        bool named = false, done = false;
        try {
            done = runtime::replace_file_by(path, [&](const std::string& name) {
                named = true;
                tell(std::filesystem::absolute(name));
                const auto checksums = write_parts(name);
                return checksums && parts_.write_rest(name, *checksums);
            });
        } catch (const runtime::Failure&) { // the caller tries it again, and tells why it fails
        }
        if (!named) tell("");
        tell(done ? "done" : "");
        if (!done) bring();
        return done;
    }

    /// The work of another process.
    void write_other() {
        if (const std::string name = told(); !name.empty()) write_parts(name);
        if (told().empty()) bring();
    }

  private:
    void tell(const std::string& text) { s_.host().processes->from_first(meeting_, text); }
    std::string told() { return s_.host().processes->from_first(meeting_, {}); }

    /// Writes the own parts. Returns the checksums of all processes; nullopt if one of them cannot write.
    std::optional<std::vector<runtime::NpzParts::Checksums>> write_parts(const std::string& name) {
        const std::vector<Value> told = from_all(s_, a_, what_, [&]() -> Value {
            const auto own = parts_.write_own(name, s_.polling());
            if (!own) return None{};
            std::vector<Value> items;
            for (const std::uint32_t checksum : *own)
                items.emplace_back(Number::of(static_cast<std::int64_t>(checksum)));
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
    runtime::Meeting meeting_;
    runtime::NpzParts parts_;
};

} // namespace

Value save_archive(Stager& s, const Arguments& a, std::string_view what,
                   const std::function<runtime::NamedArrays()>& arrays_of) {
    const std::string& path = path_of(s, a);
    const bool compress = need_bool(s, a[2], a.spans[2], "compress");
    const runtime::NamedArrays arrays = arrays_of();
    const auto save = [&]() -> Value {
        runtime::save_npz(path, arrays, compress, s.polling(), s.host().allocator);
        return None{};
    };
    const bool divided = std::ranges::any_of(arrays, [](const auto& named) { return named.second.is_divided(); });
    if (!divided || compress) return with_files(s, a, what, FileAccess::first, save);
    for (const auto& [name, array] : arrays) // a view of an array that is divided
        if (array.is_divided() && array.division() == nullptr) array.data();
    std::optional<SharedArchive> shared;
    with_failures(a.span, [&]() -> Value {
        shared.emplace(s, a, what, arrays);
        return None{};
    });
    const auto first = [&]() -> Value { return shared->write_first(path) ? Value(None{}) : save(); };
    return with_files(s, a, what, FileAccess::first, first, [&] { shared->write_other(); });
}

runtime::NamedArrays load_archive(Stager& s, const Arguments& a, std::string_view what, const std::string& whole) {
    const bool part = need_bool(s, a[1], a.spans[1], "part");
    if (part && s.host().processes != nullptr) return load_own_archive(s, a, what, whole);
    return runtime::load_npz(path_of(s, a), s.host().allocator, s.polling());
}

} // namespace pm::stage::files
