// Natives that read and write files. A function that calls such a native is interpreted. The functions that the
// interpreted function calls are compiled.
#include "compiler/stage/files/files.hpp"

#include "compiler/stage/files/archives.hpp"

#include "compiler/stage/files/first_process.hpp"
#include "compiler/stage/files/own_rows.hpp"
#include "compiler/stage/known/known.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/folder.hpp"
#include "runtime/io/formats/idx.hpp"
#include "runtime/io/formats/npy.hpp"
#include "runtime/io/formats/png.hpp"

#include <fmt/format.h>

namespace pm::stage::files {

void require_files(const Stager& s, const Arguments& a, std::string_view what) {
    if (!s.host().files) raise(diagnose(Diag::files_not_granted, a.span, what));
}

Value with_files(Stager& s, const Arguments& a, std::string_view what, FileAccess access,
                 const std::function<Value()>& work) {
    require_files(s, a, what);
    return access == FileAccess::each ? equal_in_all(s, a, what, work) : in_first_process(s, a, what, work);
}

const std::string& path_of(Stager& s, const Arguments& a) {
    return need_text(s, a[0], a.spans[0], "the path of a file");
}

Array array_of(const Value& v, Span span, std::string_view what) {
    if (const Array* array = v.array()) return *array;
    const Number* n = v.number();
    if (!n) raise(diagnose(Diag::wrong_kind, span, what, "a number or an array", describe(v)));
    const DType dtype = n->default_dtype();
    return n->array(dtype);
}

namespace {

// ---- reading and writing files

Value load_npy(Stager& s, Arguments& a) {
    return with_files(s, a, "load_npy", FileAccess::each, [&]() -> Value {
        const std::string path = path_of(s, a);
        if (need_bool(s, a[1], a.spans[1], "part")) return load_own_rows(s, path, a.span);
        return runtime::load_npy(path, s.host().allocator, s.polling());
    });
}

Value save_npy(Stager& s, Arguments& a) {
    return with_files(s, a, "save_npy", FileAccess::first, [&]() -> Value {
        const Array x = array_of(a[1], a.spans[1], "`save_npy`");
        runtime::save_npy(path_of(s, a), x, s.polling(), s.host().allocator);
        return None{};
    });
}

Value load_npz(Stager& s, Arguments& a) {
    return with_files(s, a, "load_npz", FileAccess::each, [&]() -> Value {
        std::vector<std::pair<std::string, Value>> fields;
        for (auto& [name, array] : load_archive(s, a, "load_npz")) fields.emplace_back(name, std::move(array));
        return Value::record(std::move(fields));
    });
}

/// Converts the value of a field to an array of an archive. Raises for other values, because an archive has named
/// arrays but no nested records.
Array field_of(const std::string& name, const Value& value, Span span) {
    if (!value.array() && !value.number())
        raise(diagnose(Diag::wrong_kind, span, fmt::format("the field `{}` of `save_npz`", name),
                       "a number or an array", describe(value))
                  .fix("save a tree of records, tuples and arrays with save_tree(path, tree)"));
    return array_of(value, span, "a field of `save_npz`");
}

Value save_npz(Stager& s, Arguments& a) {
    return save_archive(s, a, "save_npz", [&] {
        const Record* record = a[1].record();
        if (!record)
            raise(diagnose(Diag::wrong_kind, a.spans[1], "`save_npz`", "a record of arrays", describe(a[1]))
                      .fix("save_npz(path, {x: x, y: y})"));
        runtime::NamedArrays arrays;
        for (const auto& [name, value] : record->fields) arrays.emplace_back(name, field_of(name, value, a.spans[1]));
        return arrays;
    });
}

Value load_idx(Stager& s, Arguments& a) {
    return with_files(s, a, "load_idx", FileAccess::each, [&]() -> Value {
        const bool part = need_bool(s, a[1], a.spans[1], "part");
        const Array whole = runtime::load_idx(path_of(s, a), s.host().allocator, s.polling());
        return part ? own_rows(s, whole, a.span) : whole;
    });
}

Value read_text(Stager& s, Arguments& a) {
    return with_files(s, a, "read_text", FileAccess::each,
                      [&]() -> Value { return runtime::read_text(path_of(s, a), s.polling(), s.host().allocator); });
}

Value write_text(Stager& s, Arguments& a) {
    return with_files(s, a, "write_text", FileAccess::first, [&]() -> Value {
        const std::string& text = need_text(s, a[1], a.spans[1], "`write_text`");
        runtime::write_file(path_of(s, a), text, s.polling(), s.host().allocator);
        return None{};
    });
}

Value file_exists(Stager& s, Arguments& a) {
    return with_files(s, a, "file_exists", FileAccess::first,
                      [&]() -> Value { return Value::boolean(runtime::file_exists(path_of(s, a))); });
}

Value append_text(Stager& s, Arguments& a) {
    return with_files(s, a, "append_text", FileAccess::first, [&]() -> Value {
        const std::string& text = need_text(s, a[1], a.spans[1], "`append_text`");
        runtime::append_file(path_of(s, a), text, s.polling());
        return None{};
    });
}

Value read_bytes(Stager& s, Arguments& a) {
    return with_files(s, a, "read_bytes", FileAccess::each, [&]() -> Value {
        const std::string bytes = runtime::read_unpacked(path_of(s, a), s.polling(), s.host().allocator);
        return {
            Array::from_bytes(DType::u8, {static_cast<std::int64_t>(bytes.size())}, bytes.data(), s.host().allocator)};
    });
}

Value write_bytes(Stager& s, Arguments& a) {
    return with_files(s, a, "write_bytes", FileAccess::first, [&]() -> Value {
        const Array x = array_of(a[1], a.spans[1], "`write_bytes`");
        if (x.dtype() != DType::u8 || x.rank() != 1)
            raise(diagnose(Diag::wrong_kind, a.spans[1], "`write_bytes`", "bytes u8[n]", describe(a[1])));
        const std::string_view bytes(static_cast<const char*>(x.data()), static_cast<std::size_t>(x.elements()));
        runtime::write_file(path_of(s, a), bytes, s.polling(), s.host().allocator);
        return None{};
    });
}

Value write_png(Stager& s, Arguments& a) {
    return with_files(s, a, "write_png", FileAccess::first, [&]() -> Value {
        const Array pixels = array_of(a[1], a.spans[1], "`write_png`");
        const std::string file = runtime::png_of(pixels, s.polling(), s.host().allocator);
        runtime::write_file(path_of(s, a), file, s.polling(), s.host().allocator);
        return None{};
    });
}

Value make_folder(Stager& s, Arguments& a) {
    return with_files(s, a, "make_folder", FileAccess::first, [&]() -> Value {
        runtime::make_folder(path_of(s, a));
        return None{};
    });
}

Value list_folder(Stager& s, Arguments& a) {
    return with_files(s, a, "list_folder", FileAccess::first, [&]() -> Value {
        std::vector<Value> names;
        for (std::string& name : runtime::names_in_folder(path_of(s, a), s.polling()))
            names.emplace_back(std::move(name));
        return Value::tuple(std::move(names));
    });
}

Value remove_file(Stager& s, Arguments& a) {
    return with_files(s, a, "remove_file", FileAccess::first, [&]() -> Value {
        runtime::remove_file(path_of(s, a));
        return None{};
    });
}

using K = Native::Kind;
constexpr Native file_natives[] = {
    {"load_npy", "path, part=false", K::host, load_npy,
     "load_npy(path): the array of a NumPy file. part=true: each process of a job reads the rows of its devices only, "
     "and has the others when something outside of `pmap` reads them."},
    {"save_npy", "path, x", K::host, save_npy,
     "save_npy(path, x): x as a NumPy file, which is replaced whole or not at all.", Native::gives_nothing},
    {"load_npz", "path, part=false", K::host, load_npz,
     "load_npz(path): the arrays of a NumPy archive, a record by their names. part=true: each process of a job has the "
     "rows of its devices only, as with load_npy."},
    {"save_npz", "path, arrays, compress=false", K::host, save_npz,
     "save_npz(path, {w: w, b: b}): a record of arrays as a NumPy archive, which is replaced whole or not at all.",
     Native::gives_nothing},
    {"load_idx", "path, part=false", K::host, load_idx,
     "load_idx(path): the array of an IDX file, as the MNIST family has them; gzip too. part=true: each process of a "
     "job keeps the rows of its devices only, as load_npy does."},
    {"read_text", "path", K::host, read_text, "read_text(path): the text of a file, UTF-8; gzip too."},
    {"write_text", "path, text", K::host, write_text, "write_text(path, text): replaces the file, whole or not at all.",
     Native::gives_nothing},
    {"read_bytes", "path", K::host, read_bytes, "read_bytes(path): the bytes of a file, u8[n]; gzip too."},
    {"write_bytes", "path, x", K::host, write_bytes,
     "write_bytes(path, x): replaces the file by the bytes u8[n], whole or not at all.", Native::gives_nothing},
    {"_write_png", "path, pixels", K::host, write_png, "_write_png(path, pixels): the file of image.save.",
     Native::gives_nothing},
    {"file_exists", "path", K::host, file_exists, "file_exists(path): whether there is a file of that name.",
     Native::only_looks},
    {"append_text", "path, text", K::host, append_text,
     "append_text(path, text): writes at the end of the file, which is made if there is none.", Native::gives_nothing},
    {"make_folder", "path", K::host, make_folder,
     "make_folder(path): makes the folder and those above it; a folder that exists stays.", Native::gives_nothing},
    {"list_folder", "path", K::host, list_folder,
     "list_folder(path): the sorted names in a folder, a tuple of strings; those of folders end in `/`."},
    {"remove_file", "path", K::host, remove_file, "remove_file(path): removes a file, or a folder without content.",
     Native::gives_nothing},
};

} // namespace

std::span<const Native> file_access() { return file_natives; }

} // namespace pm::stage::files
