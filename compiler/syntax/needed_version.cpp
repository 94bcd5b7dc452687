#include "compiler/syntax/needed_version.hpp"

#include "compiler/base/version.hpp"

#include <algorithm>
#include <array>

namespace pm::syntax {

std::optional<Diagnostic> unmet_version(const Tokens& tokens) {
    using Kind = TokenKind;
    constexpr std::array call{Kind::word, Kind::round_open, Kind::text_begin, Kind::text_piece, Kind::text_end};
    const auto same = [](const Token& token, Kind kind) { return token.kind == kind; };
    for (auto at = tokens.list.begin();; ++at) {
        at = std::search(at, tokens.list.end(), call.begin(), call.end(), same);
        if (at == tokens.list.end()) return {};
        const bool of_a_value = at != tokens.list.begin() && at[-1].kind == Kind::dot;
        if (of_a_value || tokens.text_of(*at) != "needs_version") continue;
        const Span span{tokens.source, at[2].begin, at[4].end};
        if (auto unmet = pm::unmet_version(tokens.texts[at[3].extra], span)) return unmet;
    }
}

} // namespace pm::syntax
