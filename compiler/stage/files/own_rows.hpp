#pragma once
#include "compiler/stage/core/stager.hpp"
#include "runtime/io/formats/npy.hpp"

#include <string>
#include <string_view>

namespace pm::stage::files {

/// In a job of several processes: the value with its arrays divided among the processes, each with the rows (the
/// indices of axis 0) of its devices. The devices get ceil(rows / devices) rows each, in order. Scalars stay whole.
/// Without a job, returns the value.
Value own_rows(Stager& s, const Value& value, Span span);
/// The array of a NumPy file, divided as own_rows() does. Each process reads its rows only, if the file permits it.
Value load_own_rows(Stager& s, const std::string& path, Span span);
/// The arrays of an .npz file, divided as own_rows() does, except for the array with the name `whole`. Each process
/// reads its rows only, if the file permits it. All verify the checksums together. `what` is the function that the
/// program calls.
runtime::NamedArrays load_own_archive(Stager& s, const Arguments& a, std::string_view what, const std::string& whole);

} // namespace pm::stage::files
