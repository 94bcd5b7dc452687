#include "compiler/base/digest.hpp"

#include <bit>
#include <cstring>

namespace pm {
namespace {

class SipHash {
  public:
    void word(std::uint64_t m) {
        d_ ^= m;
        rounds(2);
        a_ ^= m;
    }
    std::uint64_t first() {
        c_ ^= 0xee;
        rounds(4);
        return a_ ^ b_ ^ c_ ^ d_;
    }
    std::uint64_t second() {
        b_ ^= 0xdd;
        rounds(4);
        return a_ ^ b_ ^ c_ ^ d_;
    }

  private:
    void rounds(int n) {
        for (int i = 0; i < n; ++i) {
            a_ += b_;
            b_ = std::rotl(b_, 13) ^ a_;
            a_ = std::rotl(a_, 32);
            c_ += d_;
            d_ = std::rotl(d_, 16) ^ c_;
            a_ += d_;
            d_ = std::rotl(d_, 21) ^ a_;
            c_ += b_;
            b_ = std::rotl(b_, 17) ^ c_;
            c_ = std::rotl(c_, 32);
        }
    }

    // The key is 0, 1, ... 15, as in the authors' test vectors.
    static constexpr std::uint64_t low = 0x0706050403020100, high = 0x0f0e0d0c0b0a0908;
    std::uint64_t a_ = 0x736f6d6570736575 ^ low, b_ = 0x646f72616e646f6d ^ high ^ 0xee, c_ = 0x6c7967656e657261 ^ low,
                  d_ = 0x7465646279746573 ^ high;
};

} // namespace

std::array<std::uint64_t, 2> digest(std::string_view text) {
    SipHash hash;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        hash.word(word);
    }
    std::uint64_t last = static_cast<std::uint64_t>(text.size()) << 56U;
    for (std::size_t i = 0; at + i < text.size(); ++i)
        last |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
    hash.word(last);
    const std::uint64_t first = hash.first();
    return {first, hash.second()};
}

} // namespace pm
