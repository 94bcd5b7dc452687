#include "compiler/cli/editor/render.hpp"
#include "compiler/cli/editor/history.hpp"
#include "tests/repl/screen.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

using namespace pm::cli::editor;
using pm::test::Screen;

namespace {

View view(std::string_view text, std::size_t cursor, int columns = 20, int rows = 6) {
    View v;
    v.first_prompt = "> ";
    v.other_prompt = ". ";
    v.text = text;
    v.cursor = cursor;
    v.columns = columns;
    v.rows = rows;
    return v;
}

} // namespace

TEST_CASE("rows, prompts and the position of the cursor") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    Picture p = lay_out(view("abc\nde", 5));
    CHECK(p.rows.size() == 2);
    CHECK(p.widths == std::vector<int>{5, 4});
    CHECK(p.cursor_row == 1);
    CHECK(p.cursor_column == 3);
    // A wide character does not fit into the last column. After a full row the cursor is in the next row.
    p = lay_out(view("abc\u4E2D\u4E2D", 3 + 6, 6));
    CHECK(p.widths == std::vector<int>{5, 4});
    CHECK(p.cursor_row == 1);
    CHECK(p.cursor_column == 4);
    p = lay_out(view("abcd", 4, 6));
    CHECK(p.widths == std::vector<int>{6, 0});
    CHECK(p.cursor_row == 1);
    CHECK(p.cursor_column == 0);
    // If the text has more rows than the terminal, the rows around the cursor are shown.
    std::string lines;
    for (int i = 0; i < 30; ++i) lines += std::to_string(i) + "\n";
    for (std::size_t cursor = 0; cursor <= lines.size(); ++cursor) {
        p = lay_out(view(lines, cursor));
        CHECK(p.rows.size() == 6);
        CHECK(p.cursor_row < 6);
    }
}

TEST_CASE("colours change the bytes that are sent, not the layout") {
    View plain = view("let x = 1\nx", 11);
    View coloured = plain;
    coloured.styles = std::vector<Style>(plain.text.size(), Style::plain);
    std::fill_n(coloured.styles.begin(), 3, Style::keyword);
    coloured.styles[8] = Style::number;
    const Picture a = lay_out(plain), b = lay_out(coloured);
    CHECK(a.widths == b.widths);
    CHECK(b.rows[0].find("\x1B[0;1;34mlet") != std::string::npos);
    Screen x(20, 6), y(20, 6);
    x.write(Painter().paint(a, 20));
    y.write(Painter().paint(b, 20));
    CHECK(x.text() == y.text());
    CHECK(x.text() == "> let x = 1\n. x");
}

TEST_CASE("each painting replaces the previous one and keeps the lines above it") {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Screen screen(20, 10);
        screen.write("above\r\n");
        Painter painter;
        std::string text;
        for (int i = 0; i < 30; ++i) {
            const std::vector<std::string> parts{"abcdefgh", "\n", "\u4E2D\u4E2D", "x"};
            text += parts[random() % parts.size()];
            if (std::count(text.begin(), text.end(), '\n') > 3 || text.size() > 60)
                text.resize(text.find_first_of("\n\xE4") != std::string::npos ? 0 : 3);
            std::size_t cursor = random() % (text.size() + 1);
            while (cursor < text.size() && (static_cast<unsigned char>(text[cursor]) & 0xC0U) == 0x80U) --cursor;
            const Picture p = lay_out(view(text, cursor, 20, 10));
            Screen fresh(20, 10);
            fresh.write("above\r\n");
            fresh.write(Painter().paint(p, 20));
            screen.write(painter.paint(p, 20));
            if (p.rows.size() > 8) break; // the line above the editor may have been scrolled out
            REQUIRE(screen.text() == fresh.text());
            REQUIRE(screen.cursor_row() == fresh.cursor_row());
            REQUIRE(screen.cursor_column() == fresh.cursor_column());
        }
    }
}

TEST_CASE("a narrower terminal wraps rows, and the next painting replaces all of them") {
    Screen screen(20, 8);
    screen.write("above\r\n");
    Painter painter;
    const std::string text = "abcdefghijklmno\npqrstuvwxyz";
    screen.write(painter.paint(lay_out(view(text, text.size(), 20, 8)), 20));
    screen.resize(9, 8);
    screen.write(painter.paint(lay_out(view(text, text.size(), 9, 8)), 9));
    CHECK(screen.text() == "above\n> abcdefg\nhijklmno\n. pqrstuv\nwxyz");
    CHECK(screen.cursor_row() == 4);
    CHECK(screen.cursor_column() == 4);
}

TEST_CASE("lists are shown in columns") {
    CHECK(in_columns({"a", "bb", "c"}, 80, 10) == "a   bb  c\r\n");
    CHECK(in_columns({"a", "b", "c", "d"}, 6, 10) == "a  c\r\nb  d\r\n");
    CHECK(in_columns({"a", "b", "c"}, 1, 2) == "a\r\nb\r\n... 3 in all\r\n");
    CHECK(in_columns({}, 80, 10).empty());
}

TEST_CASE("a history keeps whole entries, also in its file") {
    const auto folder = std::filesystem::temp_directory_path() / ("pm-history-" + std::to_string(::getpid()));
    const std::string file = (folder / "deep" / "history").string();
    const std::string entry = "fn f(x) {\n    \"\\n\"\n}";
    CHECK(from_line(to_line(entry)) == entry);
    CHECK(to_line(entry).find('\n') == std::string::npos);
    {
        History one(file), other(file);
        one.add(entry);
        other.add("2 + 2");
        one.add("let x = 3");
        one.add("let x = 3");
        one.add(" \n");
    }
    const History again(file);
    CHECK(again.entries() == std::vector<std::string>{entry, "2 + 2", "let x = 3"});
    CHECK(again.older(3, "let", false) == 2);
    CHECK(again.older(2, "let", false) == std::nullopt);
    CHECK(again.older(3, "(x)", true) == 0);
    CHECK(again.older(3, "", false, "let x = 3") == 1);
    CHECK(again.newer(0, "", false) == 1);
    CHECK(again.newer(2, "", false) == std::nullopt);
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::group_read) ==
          std::filesystem::perms::none);

    // A file with too many entries is shortened.
    {
        std::ofstream out(file);
        for (std::size_t i = 0; i < 2 * History::most + 5; ++i) out << "entry " << i << "\n";
    }
    CHECK(History(file).entries().size() == History::most);
    CHECK(History(file).entries().back() == "entry " + std::to_string(2 * History::most + 4));
    CHECK(std::filesystem::file_size(file) < 13 * History::most);
    // If the file cannot be written, the history is kept for this session only.
    History nowhere("/proc/no/history");
    nowhere.add("a");
    CHECK(nowhere.entries().size() == 1);
    std::filesystem::remove_all(folder);
}
