#include "compiler/base/digest.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace pm;

TEST_CASE("digests are those of SipHash-2-4 with 128 bits") {
    using Digest = std::array<std::uint64_t, 2>;
    CHECK(digest("") == Digest{0xe6a825ba047f81a3, 0x930255c71472f66d}); // the authors' vectors_sip128[0]
    CHECK(digest(std::string(7, 'a')) != digest(std::string(8, 'a')));
    CHECK(digest("abcdefgh1") != digest("abcdefgh2"));
}
