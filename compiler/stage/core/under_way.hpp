#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// As long as it lives the host knows the place of what runs, which may be long and not ask whether it is wanted: the
/// compiler, a kernel, a file that nobody writes to. On a device it goes on afterwards, until something else runs.
class UnderWay {
  public:
    UnderWay(Stager& stager, Span span) : host_(stager.host()) {
        const Span place = stager.place(span);
        if (host_.under_way && place) host_.under_way(&stager.sources()[place.source], place);
    }
    ~UnderWay() {
        if (host_.under_way && !host_.brings_arrays) host_.under_way(nullptr, {});
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

  private:
    const Host& host_;
};

} // namespace pm::stage
