#pragma once
#include "runtime/abi.h"

#include <functional>

namespace pm::runtime {

/// Runs `work` on a separate thread and waits for it until the call is abandoned. Rethrows an exception of the work.
/// Returns false when the call was abandoned. The work then continues on its thread, so it must own all data that it
/// uses. The process does not wait for abandoned work when it ends. Failure(bad_argument) if the work of eight
/// abandoned calls is still running. For library functions that cannot be stopped. Starting the thread takes some 30
/// us.
bool run_detached(PmCall* call, std::function<void()> work);

} // namespace pm::runtime
