#include "compiler/syntax/parse.hpp"

#include "compiler/syntax/build/builder.hpp"
#include "compiler/syntax/check_context.hpp"
#include "compiler/syntax/grammar/grammar.hpp"
#include "compiler/syntax/lexer.hpp"
#include "compiler/syntax/needed_version.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>

namespace pm::syntax {

ParseResult parse(const SourceMap& sources, std::uint32_t source) {
    auto module = std::make_shared<Module>(source);
    ParseResult result;
    result.module = module;
    const std::string_view text = sources[source].text();
    if (text.size() > max_source_bytes) {
        result.errors.push_back(diagnose(Diag::source_too_large, {source, 0, 0}, text.size(), max_source_bytes)
                                    .fix("split it into files that import each other"));
        return result;
    }
    if (const std::size_t bad = runtime::first_invalid_utf8(text); bad != text.size()) {
        const auto at = static_cast<std::uint32_t>(bad);
        result.errors.push_back(diagnose(Diag::invalid_utf8, {source, at, at + 1},
                                         static_cast<unsigned>(static_cast<unsigned char>(text[bad]))));
        return result;
    }
    Tokens tokens = lex(source, text, result.errors);
    const TokenLayout layout = lay_out(tokens, result.errors);
    if (!layout.too_deep) {
        Builder builder(tokens, layout, *module, result.errors);
        try {
            grammar::parse_file(tokens, builder);
            if (result.errors.empty()) check_context(*module, result.errors, result.lost);
        } catch (const GiveUp&) {
            // `errors` has the reason.
        }
        result.incomplete = layout.goes_on && !result.errors.empty() && builder.only_at_end();
    }
    std::stable_sort(result.errors.begin(), result.errors.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
    if (result.errors.empty()) return result;
    // Words of a newer language are probably no mistakes.
    if (auto unmet = unmet_version(tokens)) result.errors.insert(result.errors.begin(), std::move(*unmet));
    return result;
}

} // namespace pm::syntax
