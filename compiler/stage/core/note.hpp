#pragma once
#include "compiler/stage/core/stager.hpp"

#include <fmt/format.h>

#include <string>

namespace pm::stage {

/// "model.pm:3:7: note: ..." for the host, which has a function for messages.
inline void give_note(const Host& host, const SourceMap& sources, Span at, const std::string& text) {
    std::string where;
    if (at) {
        const Source& source = sources[at.source];
        const Source::Position begin = source.position(at.begin);
        where = fmt::format("{}:{}:{}: ", source.name(), begin.line, begin.column);
    }
    host.message(fmt::format("{}note: {}\n", where, text));
}

} // namespace pm::stage
