#include "tests/gpu/driver/state.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace pm::ptx {
namespace {

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

[[noreturn]] void wrong(const char* name, const std::string& value, const char* form) {
    std::fprintf(stderr, "%s=%s: not %s\n", name, value.c_str(), form);
    std::abort();
}

/// Splits a text at the separators.
std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> list;
    std::istringstream all(text);
    for (std::string one; std::getline(all, one, separator);) list.push_back(one);
    return list;
}

/// Parses name:call:code, separated by commas.
std::vector<Failure> failures_from(const char* name) {
    std::vector<Failure> list;
    for (const std::string& one : parts_of(variable(name), ',')) {
        const std::vector<std::string> parts = parts_of(one, ':');
        if (parts.size() != 3) wrong(name, one, "NAME:CALL:CODE");
        list.push_back({parts[0], std::atoi(parts[1].c_str()), static_cast<CUresult>(std::atoi(parts[2].c_str()))});
        if (list.back().call < 1 || list.back().code == CUDA_SUCCESS) wrong(name, one, "NAME:CALL:CODE");
    }
    return list;
}

/// Parses number:value, separated by commas.
std::vector<Attribute> attributes_from(const char* name) {
    std::vector<Attribute> list;
    for (const std::string& one : parts_of(variable(name), ',')) {
        const std::vector<std::string> parts = parts_of(one, ':');
        if (parts.size() != 2) wrong(name, one, "NUMBER:VALUE");
        list.push_back({std::atoi(parts[0].c_str()), std::atoi(parts[1].c_str())});
    }
    return list;
}

} // namespace

Driver::Driver() {
    const std::string devices_text = variable("PM_INTERPRETER_DEVICES");
    const std::string memory_text = variable("PM_INTERPRETER_MEMORY");
    const int count = devices_text.empty() ? 1 : std::atoi(devices_text.c_str());
    const std::size_t limit =
        memory_text.empty() ? std::size_t{4} << 30 : std::strtoull(memory_text.c_str(), nullptr, 0);
    for (int n = 0; n < count; ++n) devices.push_back(std::make_unique<Context>(n, limit));
    const std::string version_text = variable("PM_INTERPRETER_VERSION");
    if (!version_text.empty()) version = std::atoi(version_text.c_str());
    const std::string most_text = variable("PM_INTERPRETER_MOST_TO_HOST");
    if (!most_text.empty()) most_to_host = std::strtoull(most_text.c_str(), nullptr, 0);
    verbose = variable("PM_INTERPRETER_VERBOSE") == std::string("1");
    peers = variable("PM_INTERPRETER_PEERS") == std::string("1");
    blocking = variable("CUDA_LAUNCH_BLOCKING") == std::string("1");
    deferring = variable("PM_INTERPRETER_DEFER") == std::string("1") && !blocking;
    failures = failures_from("PM_INTERPRETER_FAIL");
    attributes = attributes_from("PM_INTERPRETER_ATTRIBUTES");
}

Driver& driver() {
    static auto* made = new Driver; // never destroyed: threads may call until the process ends
    return *made;
}

std::vector<Context*>& pushed() {
    thread_local std::vector<Context*> contexts;
    return contexts;
}

CUresult call(const char* name, const std::function<CUresult()>& f) {
    Driver& d = driver();
    const std::lock_guard guard(d.lock);
    ++d.calls[name];
    for (Failure& failure : d.failures)
        if (failure.function == name && ++failure.calls == failure.call) return failure.code;
    if (!d.initialized && name != std::string_view("cuInit")) return CUDA_ERROR_NOT_INITIALIZED;
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
}

CUresult call_in_context(const char* name, const std::function<CUresult(Context&)>& f) {
    return call(name, [&] {
        Context* context = current();
        if (!context || context->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
        if (context->error != CUDA_SUCCESS) return context->error;
        return f(*context);
    });
}

Context* device_of(CUdevice device) {
    auto& devices = driver().devices;
    return device >= 0 && static_cast<std::size_t>(device) < devices.size()
               ? devices[static_cast<std::size_t>(device)].get()
               : nullptr;
}

Stream* stream_of(CUstream stream) {
    for (const auto& device : driver().devices)
        if (Stream* found = device->streams.find(stream)) return found;
    return nullptr;
}
Event* event_of(CUevent event) {
    for (const auto& device : driver().devices)
        if (Event* found = device->events.find(event)) return found;
    return nullptr;
}

bool break_captures(Context& context) {
    bool any = false;
    for (const auto& [handle, stream] : context.streams) {
        if (!stream->capture) continue;
        stream->capture->broken = true;
        any = true;
    }
    return any;
}

bool break_careful_captures() {
    bool any = false;
    for (const auto& context : driver().devices)
        for (const auto& [handle, stream] : context->streams) {
            if (!stream->capture) continue;
            Capture& capture = *stream->capture;
            const bool own = capture.thread == std::this_thread::get_id();
            if (capture.mode != 0 && !(capture.mode == 1 && own)) continue;
            capture.broken = true;
            any = true;
        }
    return any;
}

void Queue::do_one() {
    if (waiting_.empty()) return;
    const std::function<CUresult()> work = std::move(waiting_.front());
    waiting_.pop_front();
    ++done_;
    if (context_.error != CUDA_SUCCESS) return;
    // The error is stored in the context; the next call returns it.
    if (const CUresult result = work(); result != CUDA_SUCCESS) context_.error = result;
}

void do_all(Context& context, bool of_default) {
    for (const auto& [handle, stream] : context.streams)
        if (!of_default || stream->follows_default) stream->queue->do_until(stream->queue->end());
}

CUresult do_in_order(Context& context, CUstream handle, std::function<CUresult()> work) {
    Stream* stream = stream_of(handle);
    if (driver().deferring && stream) {
        stream->queue->add(std::move(work));
        return CUDA_SUCCESS;
    }
    if (!stream) do_all(context, true);
    return work();
}

CUresult submit(Context& context, CUstream handle, Work work) {
    if (is_default(handle)) {
        // The default stream would wait for all others.
        if (break_captures(context)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        return do_in_order(context, handle, std::move(work.run));
    }
    Stream* stream = stream_of(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!stream->capture) {
        if (stream->context->error != CUDA_SUCCESS) return stream->context->error;
        return do_in_order(context, handle, std::move(work.run));
    }
    Capture& capture = *stream->capture;
    if (capture.broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    capture.nodes.push_back({std::move(work), stream->last});
    stream->last = {capture.nodes.size() - 1};
    return CUDA_SUCCESS;
}

} // namespace pm::ptx

using namespace pm::ptx;

long pm_interpreter_calls(const char* function) {
    Driver& d = driver();
    const std::lock_guard guard(d.lock);
    const auto found = d.calls.find(function);
    return found == d.calls.end() ? 0 : found->second;
}

void pm_interpreter_fail(const char* function, int call, CUresult code) {
    Driver& d = driver();
    const std::lock_guard guard(d.lock);
    d.failures.push_back({function, call, code});
}
