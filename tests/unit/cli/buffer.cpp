#include "compiler/cli/editor/buffer.hpp"
#include "compiler/cli/editor/characters.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <random>

using pm::cli::editor::Buffer;
namespace editor = pm::cli::editor;

namespace {

/// The text, with a bar at the position of the cursor.
std::string shown(const Buffer& b) {
    std::string text = b.text();
    return text.insert(b.cursor(), "|");
}

/// A buffer whose cursor is at the position of the bar.
Buffer buffer(std::string text) {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    Buffer b;
    b.set(text);
    while (b.cursor() > cursor) b.left();
    return b;
}

} // namespace

TEST_CASE("a combining sequence or a wide character is one character") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    const std::string text = "a\u00E9e\u0301\u4E2D\U0001F600";
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < text.size();) ends.push_back(at = editor::after_character(text, at));
    CHECK(ends == std::vector<std::size_t>{1, 3, 6, 9, 13});
    for (std::size_t i = ends.size(); i-- > 0;)
        CHECK(editor::before_character(text, ends[i]) == (i == 0 ? 0 : ends[i - 1]));
    CHECK(editor::columns_of(text) == 1 + 1 + 1 + 2 + 2);
    CHECK(editor::columns_of("\t") == 4);
    CHECK(editor::drawn("\x1B").text == "^[");
    CHECK(editor::drawn("\xC2\x9B").text == "\uFFFD"); // U+009B, a control character
    // Each byte of invalid UTF-8 is one character, forwards and backwards.
    const std::string broken = "\xC3(\x80\xE4\xB8";
    std::size_t at = 0;
    for (std::size_t i = 0; i < broken.size(); ++i) CHECK((at = editor::after_character(broken, at)) == i + 1);
    for (std::size_t i = broken.size(); i > 0; --i) CHECK(editor::before_character(broken, i) == i - 1);
}

TEST_CASE("the cursor moves by characters, words and lines") {
    Buffer b = buffer("let \u00E9t\u00E9|\nx.y");
    CHECK_FALSE(b.up());
    CHECK(b.word_left());
    CHECK(shown(b) == "let |\u00E9t\u00E9\nx.y");
    CHECK(b.left());
    CHECK(b.left());
    CHECK(shown(b) == "le|t \u00E9t\u00E9\nx.y");
    CHECK(b.down());
    CHECK(shown(b) == "let \u00E9t\u00E9\nx.|y");
    CHECK_FALSE(b.down());
    CHECK(b.word_right());
    CHECK_FALSE(b.right());
    CHECK(b.up());
    CHECK(shown(b) == "let| \u00E9t\u00E9\nx.y");
    b.line_end();
    b.line_start();
    CHECK(b.cursor() == 0);
    b.text_end();
    CHECK(b.cursor() == b.text().size());
    CHECK(b.in_last_line());
    CHECK_FALSE(b.in_first_line());
}

TEST_CASE("the cursor moves to the end of a shorter line, and never inside of a character") {
    Buffer b = buffer("ab\n\u4E2D\u4E2D\u4E2Dx|");
    CHECK(b.up());
    CHECK(shown(b) == "ab|\n\u4E2D\u4E2D\u4E2Dx");
    b = buffer("abc|\n\u4E2D\u4E2Dx");
    CHECK(b.down());
    CHECK(shown(b) == "abc\n\u4E2D|\u4E2Dx"); // column 3 is inside of the second character
}

TEST_CASE("erasing, cutting and pasting") {
    Buffer b = buffer("e\u0301|x");
    b.erase_left();
    CHECK(shown(b) == "|x");
    b.erase_right();
    CHECK(shown(b) == "|");
    b.erase_left();
    b.erase_right();
    CHECK(b.empty());

    b = buffer("fn f(x) {\n        |");
    b.erase_left();
    CHECK(shown(b) == "fn f(x) {\n    |");
    b.insert("  ");
    b.erase_left();
    CHECK(shown(b) == "fn f(x) {\n    |"); // erases back to the previous indentation step
    b.erase_left();
    b.erase_left();
    CHECK(shown(b) == "fn f(x) {|"); // erases the indentation, then the newline

    b = buffer("one two| three\nfour");
    b.cut_word_left();
    CHECK(shown(b) == "one | three\nfour");
    b.cut_line_end();
    CHECK(shown(b) == "one |\nfour");
    b.cut_line_end();
    CHECK(shown(b) == "one |four");
    b.yank();
    CHECK(shown(b) == "one \n|four");
    b.cut_word_right();
    CHECK(shown(b) == "one \n|");
    b.yank();
    b.cut_line_start();
    CHECK(shown(b) == "one \n|");

    b = buffer("a\u4E2D|b");
    b.swap_characters();
    CHECK(shown(b) == "ab\u4E2D|");
    b.swap_characters(); // at the end of the text, the two characters before the cursor are swapped
    CHECK(shown(b) == "a\u4E2Db|");
    b = buffer("|ab");
    b.swap_characters();
    CHECK(shown(b) == "|ab");
}

TEST_CASE("undo reverts one typed word or one other change") {
    Buffer b;
    for (const char* c : {"l", "e", "t", " ", "x"}) b.insert(c);
    b.cut_line_start();
    CHECK(b.text().empty());
    b.undo();
    CHECK(shown(b) == "let x|");
    b.undo();
    CHECK(shown(b) == "let |");
    b.undo();
    CHECK(shown(b) == "let|");
    b.undo();
    CHECK(shown(b) == "|");
    b.undo();
    CHECK(shown(b) == "|");
}

TEST_CASE("after any keys, the cursor is between characters and undo restores the empty text") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Buffer b;
        const std::vector<std::string> texts{"a", " ", "\n", "\u00E9", "\u4E2D", "e\u0301", "(x)\n    y", "\xFF"};
        for (int i = 0; i < 60; ++i) {
            switch (random() % 18) {
            case 0: b.left(); break;
            case 1: b.right(); break;
            case 2: b.up(); break;
            case 3: b.down(); break;
            case 4: b.word_left(); break;
            case 5: b.word_right(); break;
            case 6: b.erase_left(); break;
            case 7: b.erase_right(); break;
            case 8: b.cut_line_end(); break;
            case 9: b.cut_line_start(); break;
            case 10: b.cut_word_left(); break;
            case 11: b.yank(); break;
            case 12: b.swap_characters(); break;
            case 13: b.line_start(); break;
            default: b.insert(texts[random() % texts.size()]); break;
            }
            REQUIRE(b.cursor() <= b.text().size());
            std::size_t at = 0;
            while (at < b.cursor()) at = editor::after_character(b.text(), at);
            // A combining mark after a newline is a separate character. The cursor may be before such a mark.
            const bool before_mark = b.cursor() < b.text().size() && b.text()[b.cursor()] == '\xCC';
            CHECK((at == b.cursor() || before_mark));
        }
        for (int i = 0; i < 100; ++i) b.undo();
        CHECK(b.empty());
    }
}
