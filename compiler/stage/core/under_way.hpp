#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Tells Host::under_way the source position of the current work when the object is created, and the end of the work
/// when the object is destroyed. The work may take long without polling, for example a compilation, a kernel, or a read
/// of a pipe that has no writer. On a device the work continues after this object is destroyed. So the end is not
/// reported there, and the position stays until other work begins.
class UnderWay {
  public:
    UnderWay(Stager& stager, Span span) : host_(stager.host()) {
        const Span place = stager.places().of(span);
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
