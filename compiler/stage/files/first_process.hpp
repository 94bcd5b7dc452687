#pragma once
#include "compiler/stage/core/stager.hpp"
#include "runtime/processes/processes.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace pm::stage::files {

// Work of a program that may run in several processes. Without a job, these functions only run `work`. `what` is the
// function that the program calls, `a` its arguments. Failures of `work` and of the job are raised as errors of the
// call.

/// A hash of a value; of its arrays, as runtime::sample_hash().
std::uint64_t hash_of(const Value& v, std::uint64_t seed);

/// Runs `work` in each process.
Value with_failures(Span span, const std::function<Value()>& work);
/// Runs `work` in the first process alone, and returns its value in all processes. Its error is raised in all. An error
/// tells if the arguments of the processes differ. Each process has whole arrays before, except if there is
/// `work_of_others`: then the other processes run this meanwhile, and the two may meet. An error of
/// `work_of_others` is raised there only if it ends the run.
Value in_first_process(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work,
                       const std::function<void()>& work_of_others = {});
/// In a job: runs `work` in each process, and returns the values of all. They contain no arrays. The first error of a
/// process is raised in all.
std::vector<Value> from_all(Stager& s, const Arguments& a, const runtime::Meeting& meeting,
                            const std::function<Value()>& work);
/// A meeting in a call, with a number for the part of the call.
runtime::Meeting meeting_of(const Stager& s, const Arguments& a, std::string_view what, std::int64_t phase);
/// Runs `work` in each process. At the next meeting, an error tells if the values differ.
Value equal_in_all(Stager& s, const Arguments& a, std::string_view what, const std::function<Value()>& work);

} // namespace pm::stage::files
