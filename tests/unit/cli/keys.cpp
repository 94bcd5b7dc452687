#include "compiler/cli/editor/keys.hpp"
#include "compiler/cli/editor/line_editor.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace pm::cli::editor;

namespace {

/// The keys that a terminal's bytes are read as. There is a pause after each element of `runs`.
std::vector<KeyPress> keys_of(const std::vector<std::string>& runs) {
    std::size_t run = 0, at = 0;
    Keys keys({[&](int milliseconds) -> int {
        if (run >= runs.size()) return Input::closed;
        if (at == runs[run].size()) {
            ++run, at = 0;
            if (milliseconds >= 0) return Input::nothing;
            if (run >= runs.size()) return Input::closed;
        }
        return static_cast<unsigned char>(runs[run][at++]);
    }});
    std::vector<KeyPress> all;
    for (;;) {
        all.push_back(keys.read());
        if (all.back().key == Key::closed) break;
    }
    all.pop_back();
    return all;
}

Key only(const std::string& bytes) {
    const auto keys = keys_of({bytes});
    REQUIRE(keys.size() == 1);
    return keys[0].key;
}

} // namespace

TEST_CASE("Ctrl-C directly after an escape is Ctrl-C") {
    const auto keys = keys_of({"\x1B\x03"});
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].key == Key::escape);
    CHECK(keys[1].key == keys_of({"\x03"}).at(0).key);
}

TEST_CASE("escape sequences of terminals are keys") {
    CHECK(only("\x1B[A") == Key::up);
    CHECK(only("\x1BOA") == Key::up);
    CHECK(only("\x1B[B") == Key::down);
    CHECK(only("\x1B[C") == Key::right);
    CHECK(only("\x1B[D") == Key::left);
    CHECK(only("\x1B[1;5C") == Key::word_right);
    CHECK(only("\x1B[1;3D") == Key::word_left);
    CHECK(only("\x1B[1;2D") == Key::left);
    CHECK(only("\x1B[H") == Key::home);
    CHECK(only("\x1BOF") == Key::end);
    CHECK(only("\x1B[1~") == Key::home);
    CHECK(only("\x1B[4~") == Key::end);
    CHECK(only("\x1B[3~") == Key::remove);
    CHECK(only("\x1B[5~") == Key::page_up);
    CHECK(only("\x1B[6~") == Key::page_down);
    CHECK(only("\x1B[Z") == Key::back_tab);
    CHECK(only("\x1B\r") == Key::alt_enter);
    CHECK(only("\x1B[13;2u") == Key::alt_enter);
    CHECK(only("\r") == Key::enter);
    CHECK(only("\n") == Key::enter);
    CHECK(only("\t") == Key::tab);
    CHECK(only("\x7F") == Key::backspace);
    CHECK(only("\x1B") == Key::escape);
    CHECK(only("\x1B[99;99Q") == Key::unknown);
    const auto control = keys_of({"\x03\x1F\x1B"
                                  "b"});
    REQUIRE(control.size() == 3);
    CHECK(control[0].text == "c");
    CHECK(control[1].text == "_");
    CHECK(control[2].key == Key::alt);
}

TEST_CASE("an escape before a pause is a key, and the next byte is another key") {
    const auto keys = keys_of({"\x1B", "a"});
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].key == Key::escape);
    CHECK(keys[1].text == "a");
}

TEST_CASE("a character of several bytes is one key; invalid UTF-8 is dropped") {
    auto keys = keys_of({"\u00E9\U0001F600"});
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].text == "\u00E9");
    CHECK(keys[1].text == "\U0001F600");
    keys = keys_of({"\xC3"
                    "a\x80"});
    REQUIRE(keys.size() == 3);
    CHECK(keys[0].key == Key::unknown);
    CHECK(keys[1].text == "a");
    CHECK(keys[2].key == Key::unknown);
}

TEST_CASE("a paste is one key, whose text includes escape sequences") {
    auto keys = keys_of({"\x1B[200~a\tb\r\x1B[A\x1B[201~c"});
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].key == Key::paste);
    CHECK(keys[0].text == "a\tb\r\x1B[A");
    CHECK(keys[1].text == "c");
    // A paste without its end marker ends at a pause.
    keys = keys_of({"\x1B[200~abc", "d"});
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].text == "abc");
    CHECK(keys[1].text == "d");
}

TEST_CASE("any sequence of bytes is read as keys") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        std::string bytes;
        const std::string likely = "\x1B[O;0129~ABu\r\xC3\xA9";
        for (int i = 0; i < 40; ++i)
            bytes += random() % 3 ? likely[random() % likely.size()] : static_cast<char>(random());
        CHECK(keys_of({bytes}).size() <= bytes.size());
    }
}

TEST_CASE("of a pasted transcript only the entered lines are kept") {
    CHECK(cleaned_paste("a\r\nb\rc\n\n", "> ", "... ") == "a\nb\nc");
    CHECK(cleaned_paste("x\x1B[31my\x7F", "> ", "... ") == "x[31my");
    CHECK(cleaned_paste("> fn f(x) {\n...     x\n... }\n> f(2)\n2\n", "> ", "... ") == "fn f(x) {\n    x\n}\nf(2)");
    CHECK(cleaned_paste("x > 2\n> y", "> ", "... ") == "x > 2\n> y");
}
