#pragma once
#include "runtime/abi.h"

#include <functional>

namespace pm::runtime {

/// For library functions that cannot be stopped: runs `work` on a separate thread, and waits until the work has ended
/// or the call is abandoned. Rethrows an exception of the work. Returns false if the call was abandoned. The abandoned
/// work continues on its thread, so it must own all data that it uses. At its end, the process does not wait for
/// abandoned work. Throws Failure(bad_argument) if the work of eight abandoned calls is still running. Starting the
/// thread takes some 30 us.
bool run_detached(PmCall* call, std::function<void()> work);

} // namespace pm::runtime
