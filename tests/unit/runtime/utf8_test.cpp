#include "runtime/utf8.hpp"

#include <doctest/doctest.h>

using namespace std::string_view_literals;
using pm::runtime::first_invalid_utf8;
using pm::runtime::utf8_length;

TEST_CASE("characters of UTF-8 and what is none") {
    CHECK(utf8_length("a", 0) == 1);
    CHECK(utf8_length("\0"sv, 0) == 1);
    CHECK(utf8_length("", 0) == 0);
    CHECK(utf8_length("xé", 1) == 2);
    CHECK(utf8_length("€", 0) == 3);
    CHECK(utf8_length("\xF4\x8F\xBF\xBF", 0) == 4); // U+10FFFF
    for (const auto bad :
         {"\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv,
          "\xF5\x80\x80\x80"sv, "\xC3"sv, "\xE2\x82"sv, "\xF0\x9F\x98"sv, "\xE2\x28\xA1"sv, "\xFF"sv}) {
        CHECK(utf8_length(bad, 0) == 0);
        CHECK(first_invalid_utf8(bad) == 0);
    }
    CHECK(first_invalid_utf8("aé€\xFF") == 6);
    CHECK(first_invalid_utf8("aé€") == 6);
    CHECK(first_invalid_utf8("") == 0);
}
