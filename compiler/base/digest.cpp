#include "compiler/base/digest.hpp"

#include <cstring>

namespace pm {

void Digester::bytes(std::string_view text) {
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        add(word);
    }
    std::uint64_t last = static_cast<std::uint64_t>(text.size()) << 56U;
    for (std::size_t i = 0; at + i < text.size(); ++i)
        last |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
    add(last);
}

Digest Digester::end() const {
    Digester ended = *this;
    ended.c_ ^= 0xee;
    ended.rounds(4);
    const auto state = [&] { return ended.a_ ^ ended.b_ ^ ended.c_ ^ ended.d_; };
    const std::uint64_t first = state();
    ended.b_ ^= 0xdd;
    ended.rounds(4);
    return {first, state()};
}

Digest digest(std::string_view text) {
    Digester digester;
    digester.bytes(text);
    return digester.end();
}

} // namespace pm
