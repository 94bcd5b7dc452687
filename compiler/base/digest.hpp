#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pm {

/// A hash of 128 bits that represents its input in keys of caches. Two different inputs have the same digest with a
/// probability of 2^-128.
using Digest = std::array<std::uint64_t, 2>;

/// Computes the digest of a sequence of words: SipHash-2-4 (Aumasson, Bernstein 2012) with a fixed key.
class Digester {
  public:
    void add(std::uint64_t word) {
        d_ ^= word;
        rounds(2);
        a_ ^= word;
    }
    void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
    void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
    /// Adds the text and its size, so that the digest depends on the boundaries between texts.
    void add(std::string_view text) {
        add(std::uint64_t{text.size()});
        bytes(text);
    }
    void add(const Digest& digest) {
        for (const std::uint64_t word : digest) add(word);
    }
    /// Adds the whole words of the text, then the remaining bytes together with the low byte of the size.
    void bytes(std::string_view text);
    Digest end() const;

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

Digest digest(std::string_view text);

/// The hash of a digest in containers: the first word of the digest.
struct DigestHash {
    std::size_t operator()(const Digest& digest) const { return digest[0]; }
};

} // namespace pm
