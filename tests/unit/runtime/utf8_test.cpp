#include "runtime/utf8.hpp"

#include <doctest/doctest.h>

using namespace std::string_view_literals;
using pm::runtime::first_invalid_utf8;
using pm::runtime::utf8_length;

TEST_CASE("valid and invalid UTF-8 characters") {
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

TEST_CASE("long texts are processed in parts, with a poll between them") {
    std::string text;
    while (text.size() < (5U << 20)) text += "a\u00E9\u20AC\U0001F600"; // 10 bytes, so that parts end inside characters
    const std::size_t characters = text.size() / 10 * 4;
    int polls = 0;
    const auto poll = [&] { ++polls; };
    CHECK(first_invalid_utf8(text, poll) == text.size());
    CHECK(pm::runtime::utf8_count(text, poll) == characters);
    CHECK(pm::runtime::utf8_prefix(text, characters - 1, poll) == text.size() - 4);
    CHECK(polls >= 12);
    for (const std::size_t at : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1, text.size() - 1}) {
        std::string bad = text;
        bad[at] = '\xFF';
        CHECK(first_invalid_utf8(bad, poll) > at - 4);
        CHECK(first_invalid_utf8(bad, poll) <= at);
    }
}

TEST_CASE("characters are counted, truncated and encoded") {
    const std::string text = "a\u00E9\u20AC\U0001F600";
    CHECK(pm::runtime::utf8_count(text) == 4);
    CHECK(pm::runtime::utf8_count("") == 0);
    const std::size_t bytes[] = {0, 1, 3, 6, 10, 10};
    for (std::size_t n = 0; n < 6; ++n) CHECK(pm::runtime::utf8_prefix(text, n) == bytes[n]);
    const std::string plain(20, 'x');
    const std::string several = plain + text + plain + "\x80\x80" + plain;
    CHECK(pm::runtime::utf8_count(several) == 64);
    for (std::size_t n = 0; n <= 20; ++n) CHECK(pm::runtime::utf8_prefix(several, n) == n);
    CHECK(pm::runtime::utf8_prefix(several, 24) == 30);
    CHECK(pm::runtime::utf8_prefix(several, 43) == 49);
    CHECK(pm::runtime::utf8_prefix(several, 44) == 52); // stray continuation bytes belong to the character before them
    CHECK(pm::runtime::utf8_prefix(several, 64) == several.size());
    CHECK(pm::runtime::utf8_prefix(several, 100) == several.size());
    std::string made;
    for (const std::uint32_t code : {0x61U, 0xE9U, 0x20ACU, 0x1F600U}) pm::runtime::append_utf8(made, code);
    CHECK(made == text);
}
