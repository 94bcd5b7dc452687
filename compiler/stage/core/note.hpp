#pragma once
#include "compiler/stage/core/stager.hpp"

#include <fmt/format.h>

#include <string>

namespace pm::stage {

/// Passes a note such as "model.pm:3:7: note: ..." to Host::message, which must be set.
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
