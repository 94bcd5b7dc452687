// The functions save_tree and load_tree, which write and read a tree as a NumPy archive. The name of each array in the
// archive is the array's path in the tree, so NumPy can read the arrays. One more entry has the structure of the tree
// as JSON.
#include "compiler/stage/files/archives.hpp"
#include "compiler/stage/files/files.hpp"
#include "compiler/stage/files/tree_structure.hpp"
#include "compiler/stage/known/known.hpp"
#include "runtime/failure.hpp"
#include "runtime/io/formats/npy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace pm::stage::files {
namespace {

constexpr int format_version = 1;

// ---- writing

Value save_tree(Stager& s, Arguments& a) {
    return save_archive(s, a, "save_tree", [&] {
        runtime::NamedArrays arrays;
        const Structure content{{"version", format_version}, {"tree", tree_structure(a[1], a.spans[1], arrays)}};
        const std::string text = content.dump();
        arrays.emplace_back(structure_entry, Array::from_bytes(DType::u8, {static_cast<std::int64_t>(text.size())},
                                                               text.data(), s.host().allocator));
        return arrays;
    });
}

// ---- reading

Value load_tree(Stager& s, Arguments& a) {
    return with_files(s, a, "load_tree", FileAccess::each, [&]() -> Value {
        using runtime::Failure;
        using runtime::FailureKind;
        const std::string& path = path_of(s, a);
        std::map<std::string, Array> arrays;
        for (auto& [name, array] : load_archive(s, a, "load_tree", structure_entry))
            arrays.emplace(std::move(name), std::move(array));
        const auto entry = arrays.find(structure_entry);
        if (entry == arrays.end() || entry->second.dtype() != DType::u8 || entry->second.elements() == 0)
            throw Failure(FailureKind::file_malformed, fmt::format("save_tree did not write {}", path),
                          "load_npz(path) gives the arrays of other archives");
        std::string reason;
        try {
            const Structure content = Structure::parse(
                std::string_view(entry->second.as<char>(), static_cast<std::size_t>(entry->second.elements())));
            if (content.at("version").get<int>() != format_version)
                throw Failure(FailureKind::file_unsupported, fmt::format("a later version of pm wrote {}", path));
            return tree_of(content.at("tree"), arrays);
        } catch (const Structure::exception&) {
            reason = "it is not the JSON of a tree";
        } catch (const MalformedTree& e) {
            reason = e.reason;
        }
        throw Failure(FailureKind::file_malformed,
                      fmt::format("the structure of the tree in {} is malformed: {}", path, reason));
    });
}

using K = Native::Kind;
constexpr Native tree_natives[] = {
    {"save_tree", "path, tree, compress=false", K::host, save_tree,
     "save_tree(path, tree): arrays, numbers, texts, tuples and records as one NumPy archive, which is replaced whole "
     "or not at all.",
     Native::gives_nothing},
    {"load_tree", "path, part=false", K::host, load_tree,
     "load_tree(path): the tree that save_tree wrote, to the bit. part=true: each process of a job has the rows of its "
     "devices only, as with load_npy."},
};

} // namespace

std::span<const Native> saved_trees() { return tree_natives; }

} // namespace pm::stage::files
