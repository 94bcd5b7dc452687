#include "compiler/syntax/token.hpp"

#include "compiler/base/check.hpp"

namespace pm::syntax {

std::string_view shown(TokenKind kind) {
    switch (kind) {
#define TOKEN(id, text)                                                                                                \
    case TokenKind::id: return text;
#define SYMBOL(id, text)                                                                                               \
    case TokenKind::id: return "`" text "`";
#define KEYWORD(id, text)                                                                                              \
    case TokenKind::id: return "`" text "`";
#define CONTEXTUAL(id, text)                                                                                           \
    case TokenKind::id: return "`" text "`";
#include "compiler/syntax/tokens.def"
    }
    PM_UNREACHABLE();
}

std::string_view spelling(TokenKind kind) {
    if (kind == TokenKind::value_open) return "{";
    if (kind == TokenKind::value_close) return "}";
    const std::string_view text = shown(kind);
    return text.front() == '`' && text.back() == '`' ? text.substr(1, text.size() - 2) : std::string_view{};
}

} // namespace pm::syntax
