#include "compiler/base/digest.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace pm;

TEST_CASE("digests are those of SipHash-2-4 with 128 bits") {
    // From vectors_sip128 in SipHash's reference implementation: digests of the bytes 0, 1, 2, ... for several lengths.
    const std::string bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    CHECK(digest("") == Digest{0xe6a825ba047f81a3, 0x930255c71472f66d});
    CHECK(digest(bytes.substr(0, 7)) == Digest{0x53c1dbd8beebf1a1, 0x3982f01fa64ab8c0});
    CHECK(digest(bytes.substr(0, 8)) == Digest{0x61f55862baa9623b, 0xb49714f364e2830f});
    CHECK(digest(bytes) == Digest{0xbb54b067caa4e26e, 0x77052385bf1533fd});
    CHECK(digest(std::string(7, 'a')) != digest(std::string(8, 'a')));
    CHECK(digest("abcdefgh1") != digest("abcdefgh2"));
}
