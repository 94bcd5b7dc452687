#include "tests/gpu/driver/state.hpp"

#include <algorithm>

using namespace pm::ptx;

namespace {

/// Checks a stream handle. `stream` is null for a default stream.
CUresult check_stream(CUstream handle, Stream*& stream) {
    stream = is_default(handle) ? nullptr : stream_of(handle);
    return stream || is_default(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Whether a call waits or queries the progress.
enum class How { wait, query };

/// Returns the context's error, CUDA_ERROR_NOT_READY or success.
CUresult reach(Queue& queue, std::uint64_t place, How how, const Context& context) {
    if (how == How::wait)
        queue.do_until(place);
    else if (!queue.is_past(place))
        queue.do_one();
    if (context.error != CUDA_SUCCESS) return context.error;
    return queue.is_past(place) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult wait_for(CUstream handle, How how) {
    Stream* stream = nullptr;
    if (const CUresult checked = check_stream(handle, stream); checked != CUDA_SUCCESS) return checked;
    if (!stream) {
        Context* context = current();
        if (!context) return CUDA_ERROR_INVALID_CONTEXT;
        if (break_captures(*context)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        do_all(*context, true);
        return context->error;
    }
    if (stream->capture) {
        stream->capture->broken = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return reach(*stream->queue, stream->queue->end(), how, *stream->context);
}

/// Whether the event was recorded in a capture that has not ended.
bool is_captured(const Event& event) { return event.captured && !event.capture.expired(); }

CUresult wait_for_event(CUevent handle, How how) {
    const Event* event = event_of(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (is_captured(*event)) {
        event->capture.lock()->broken = true;
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    if (break_careful_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return event->queue ? reach(*event->queue, event->place, how, *event->context) : event->context->error;
}

CUresult join_capture(Stream& stream, const Event& event) {
    const std::shared_ptr<Capture> capture = event.capture.lock();
    if (stream.capture && stream.capture != capture) {
        stream.capture->broken = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (!stream.capture) {
        stream.capture = capture;
        capture->members.push_back(&stream);
    }
    stream.last.insert(event.last.begin(), event.last.end());
    return CUDA_SUCCESS;
}

} // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return call_in_context("cuStreamCreate", [&](Context& context) {
        if (!stream || flags > 1) return CUDA_ERROR_INVALID_VALUE;
        auto made = std::make_unique<Stream>();
        made->context = &context;
        made->follows_default = flags == 0;
        made->queue = std::make_shared<Queue>(context);
        *stream = reinterpret_cast<CUstream>(context.streams.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuStreamDestroy_v2(CUstream handle) {
    return call("cuStreamDestroy_v2", [&] {
        Stream* stream = stream_of(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (stream->capture) {
            Capture& capture = *stream->capture;
            capture.broken = true;
            std::erase(capture.members, stream);
            if (capture.origin == stream)
                for (Stream* member : std::vector<Stream*>(capture.members)) member->capture = nullptr;
        }
        stream->queue->do_until(stream->queue->end());
        stream->context->streams.remove(stream);
        return CUDA_SUCCESS;
    });
}

CUresult cuStreamSynchronize(CUstream stream) {
    return call("cuStreamSynchronize", [&] { return wait_for(stream, How::wait); });
}

CUresult cuStreamQuery(CUstream stream) {
    return call("cuStreamQuery", [&] { return wait_for(stream, How::query); });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned) {
    return call("cuStreamWaitEvent", [&] {
        Stream* stream = nullptr;
        if (const CUresult checked = check_stream(handle, stream); checked != CUDA_SUCCESS) return checked;
        const Event* event = event_of(event_handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        if (is_captured(*event)) return stream ? join_capture(*stream, *event) : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        if (stream && stream->capture) {
            stream->capture->broken = true;
            return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
        }
        if (!event->queue) return event->context->error;
        return do_in_order(*event->context, handle, [queue = event->queue, place = event->place] {
            queue->do_until(place);
            return CUDA_SUCCESS;
        });
    });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return call_in_context("cuEventCreate", [&](Context& context) {
        if (!event) return CUDA_ERROR_INVALID_VALUE;
        auto made = std::make_unique<Event>();
        made->context = &context;
        made->timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
        *event = reinterpret_cast<CUevent>(context.events.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
    return call("cuEventRecord", [&] {
        Stream* stream = nullptr;
        if (const CUresult checked = check_stream(stream_handle, stream); checked != CUDA_SUCCESS) return checked;
        Event* event = event_of(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        if (stream && stream->context != event->context) return CUDA_ERROR_INVALID_HANDLE;
        if (event->context->error != CUDA_SUCCESS) return event->context->error;
        if (!stream && break_captures(*event->context)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        event->captured = stream && stream->capture;
        if (event->captured) {
            event->capture = stream->capture;
            event->last = stream->last;
            return CUDA_SUCCESS;
        }
        event->recorded = true;
        event->queue = stream ? stream->queue : nullptr;
        const CUresult result = do_in_order(*event->context, stream_handle, [handle] {
            if (Event* reached = event_of(handle)) reached->when = std::chrono::steady_clock::now();
            return CUDA_SUCCESS;
        });
        if (event->queue) event->place = event->queue->end();
        return result;
    });
}

CUresult cuEventQuery(CUevent event) {
    return call("cuEventQuery", [&] { return wait_for_event(event, How::query); });
}

CUresult cuEventSynchronize(CUevent event) {
    return call("cuEventSynchronize", [&] { return wait_for_event(event, How::wait); });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
    return call("cuEventElapsedTime", [&] {
        const Event* from = event_of(start);
        const Event* to = event_of(end);
        if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
        if (!from || !to || !from->recorded || !to->recorded || !from->timing || !to->timing)
            return CUDA_ERROR_INVALID_HANDLE;
        for (const Event* event : {from, to})
            if (event->queue && !event->queue->is_past(event->place)) return CUDA_ERROR_NOT_READY;
        *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
        return from->context->error;
    });
}

CUresult cuEventDestroy_v2(CUevent handle) {
    return call("cuEventDestroy_v2", [&] {
        const Event* event = event_of(handle);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        event->context->events.remove(event);
        return CUDA_SUCCESS;
    });
}
