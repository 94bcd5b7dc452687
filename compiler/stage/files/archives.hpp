#pragma once
#include "compiler/stage/core/stager.hpp"
#include "runtime/io/formats/npy.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace pm::stage::files {

/// Writes the arrays of `arrays_of` as an .npz file, for the native `what` with the parameters `path, ..., compress`.
/// In a job, process 0 writes. If arrays are divided among the processes, each process writes its own parts into the
/// file that process 0 has made. If one of them cannot, or with `compress`, process 0 gets the parts and writes them.
Value save_archive(Stager& s, const Arguments& a, std::string_view what,
                   const std::function<runtime::NamedArrays()>& arrays_of);
/// The arrays of an .npz file, for a native with the parameters `path, part`. In a job and with `part`, the arrays are
/// divided as own_rows() does, except for the array with the name `whole`.
runtime::NamedArrays load_archive(Stager& s, const Arguments& a, std::string_view what, const std::string& whole = {});

} // namespace pm::stage::files
