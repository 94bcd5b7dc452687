// Typing into a session: entries of several lines, history, completion, pastes, resizing, the end.
#include "tests/repl/session.hpp"

#include <doctest/doctest.h>

using namespace pm::test;

TEST_CASE("the prompt appears at once, values are shown, `it` is the last value") {
    const Folder folder;
    Session s(folder);
    CHECK(s.prompt().empty());
    MESSAGE("prompt after ", s.seconds() * 1e3, " ms");
    CHECK(s.screen().text().find(":help") != std::string::npos);
    CHECK(s.enter("6 * 7") == "42\n");
    CHECK(s.enter("it + 1") == "43\n");
    CHECK(s.enter("it;").empty());
    CHECK(s.enter("let x = 5").empty());
    CHECK(s.enter("x * 100;").empty());
    CHECK(s.enter("it") == "500\n");
    CHECK(s.enter("").empty());
    CHECK(s.enter("\"a\\u{1b}[31m\"") == "\"a\\u{1b}[31m\"\n");
    CHECK(s.enter("print(1, end=\"\")") == "1\n"); // the prompt begins a new line
    s.send("\x04");
    CHECK(s.ended() == 0);
}

TEST_CASE("an entry of several lines is indented, edited and recalled as a whole") {
    const Folder folder;
    {
        Session s(folder);
        s.prompt();
        s.send("fn f(x) {\rlet y = x + 1\ry * 2\x7F"
               "3");
        s.see("...     y * 3");
        CHECK(s.screen().text().find("> fn f(x) {\n...     let y = x + 1\n...     y * 3") != std::string::npos);
        s.send("\x1B[A\x1B[A\x01"); // up, up, to the begin of the first line
        s.send("\x1B[1;5C\x1B[1;5C\x7F"
               "g");         // renames f to g
        s.send("\x1B[6~\r"); // to the end, and a new line
        CHECK(s.enter("\x7F}").empty());
        CHECK(s.enter("g(2)") == "9\n");
        s.send("\x04");
        CHECK(s.ended() == 0);
    }
    // In the next session the entry is one item of the history. Its last line is edited, and Enter runs it.
    Session s(folder);
    s.prompt();
    s.send("\x1B[A\x1B[A");
    s.see("> fn g(x) {\n...     let y = x + 1\n...     y * 3\n... }");
    s.send("\x1B[A\x05\x7F");
    CHECK(s.enter("5").empty());
    CHECK(s.enter("g(2)") == "15\n");
    CHECK(folder.read("state/polymap/history").find("fn g(x) {\\n    let y = x + 1\\n    y * 3\\n}\n") !=
          std::string::npos);
}

TEST_CASE("a closing bracket at the beginning of a line is indented like the line of its opening bracket") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.send("fn f(x) {\rif x > 0 {\rx\r} else {\r-x\r}\r}");
    s.see("> fn f(x) {\n...     if x > 0 {\n...         x\n...     } else {\n...         -x\n...     }\n... }");
    CHECK(s.enter("").empty());
    CHECK(s.enter("f(-2)") == "2\n");
}

TEST_CASE("Alt-Enter inserts a line where Enter would run; two empty lines run an unfinished entry") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    CHECK(s.enter("let a = 1\x1B\rlet b = 2").empty());
    CHECK(s.enter("a + b") == "3\n");
    CHECK(s.enter("(1 +\r\r").find("error[PM") != std::string::npos);
    CHECK(s.enter("a") == "1\n");
}

TEST_CASE("Up recalls entries with the typed prefix, and Ctrl-R searches the history") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.enter("let alpha = 1");
    s.enter("let beta = 2");
    s.enter("alpha + beta");
    s.enter("let gamma = 3");
    s.send("alp\x1B[A");
    s.see("> alpha + beta");
    CHECK(s.enter("") == "3\n");
    // Ctrl-R finds the newest entry with the text, then the one before. Enter runs it.
    s.send("\x12"
           "let");
    s.see("search `let`: let gamma = 3");
    s.send("\x12");
    s.see("search `let`: let beta = 2");
    s.send("\x07"); // cancelled
    CHECK(s.enter("10") == "10\n");
    s.send("\x12"
           "+ be");
    s.see("search `+ be`: alpha + beta");
    CHECK(s.enter("") == "3\n");
    s.send("\x12"
           "nowhere");
    s.see("nothing has `nowhere`");
    s.send("\x03");
    // Below the newest entry is the typed text.
    s.send("draft\x1B[A\x1B[A\x1B[B\x1B[B");
    s.see("> draft");
}

TEST_CASE("Tab completes names, fields, named arguments, commands and files") {
    const Folder folder;
    folder.write("example.pm", "let loaded = 7\n");
    folder.write("data one.txt", "text");
    Session s(folder);
    s.prompt();
    s.enter("let predictor = 41");
    CHECK(s.enter("predi\t + 1") == "42\n");
    s.enter("let point = {alpha: 1, beta: {gamma: 2}}");
    CHECK(s.enter("point.al\t") == "1\n");
    CHECK(s.enter("point.be\t.ga\t") == "2\n");
    s.enter("fn scale(value, factor=2) = value * factor");
    CHECK(s.enter("scale(4, fac\t10)") == "40\n");
    CHECK(s.enter("sum([[1, 2], [3, 4]], axis\t1)") == "[3, 7]\n");
    CHECK(s.enter("[1.0, 2.0].dty\t") == "f32\n");
    CHECK(s.enter("import stats").empty());
    CHECK(s.enter(":dev\t").find("cpu:1") == 0);
    CHECK(s.enter(":load exa\t").empty());
    CHECK(s.enter("loaded") == "7\n");
    CHECK(s.enter("read_text(\"dat\t\")") == "\"text\"\n");
    // Modules are completed, their internal parts are not.
    CHECK(s.enter("rando\t.uni\t").find("uniform") != std::string::npos);
    CHECK(s.enter("linal\t.trac\t(eye(3))") == "3.0\n");
    CHECK(s.enter("matrice\t").find("unknown name `matrice`") != std::string::npos);
    // If several names match, they are listed below the line, which does not change.
    s.send("let predicate = 1\r");
    s.prompt();
    s.send("predic\t\t");
    s.see("predicate  predictor");
    s.send("\x03");
    s.prompt();
    // At the begin of a line Tab indents.
    CHECK(s.enter("\t5") == "5\n");
}

TEST_CASE("a paste of several lines is one entry, and nothing runs before Enter") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    s.send("\x1B[200~fn h(x) {\r\n    let y = x\r\n\r\n    y + 1\r\n}\r\nprint(h(1))\r\n\x1B[201~");
    s.see("... print(h(1))");
    CHECK(s.enter("") == "2\n");
    s.send("\x1B[200~> let p = 3\n> p + 1\n4\n\x1B[201~");
    s.see("> let p = 3\n... p + 1");
    CHECK(s.enter("") == "4\n");
    // Pasted entries of a session, commands among them, run one after the other until one fails.
    s.send("\x1B[200~> let q = 3\n> q * 2\n6\n> :type ones(2)\nf32[2]\n> it + 1\n7\n\x1B[201~");
    s.see("... it + 1");
    CHECK(s.enter("") == "6\nf32[2]\n7\n");
    s.send("\x1B[200~q + 1\nq + nothing\nq + 2\n\x1B[201~");
    s.see("... q + 2");
    const std::string said = s.enter("");
    CHECK(said.find("4\n") == 0);
    CHECK(said.find("PM0101") != std::string::npos);
    CHECK(said.find("\n5\n") == std::string::npos);
    // A command at the beginning applies to its line, and to further lines while its code is incomplete.
    s.send("\x1B[200~:type v\nlet v = 1\n\x1B[201~");
    s.see("... let v = 1");
    CHECK(s.enter("").find("PM0101") != std::string::npos);
    s.send("\x1B[200~:vars\nlet w = 5\n:type (w,\n  2.5)\nw + 1\n\x1B[201~");
    s.see("... w + 1");
    const std::string listed = s.enter("");
    CHECK(listed.ends_with("(i32, f32)\n6\n"));
    s.send("\x1B[200~:type w\nfn later(x) {\x1B[201~");
    s.see("... fn later(x) {");
    s.send("\r");
    s.see("...");
    s.send("x + 1 }\r");
    CHECK(s.prompt() == "i32\n");
    CHECK(s.enter("later(1)") == "2\n");
    // A paste longer than the screen.
    std::string long_text;
    for (int i = 0; i < 60; ++i) long_text += "let v" + std::to_string(i) + " = " + std::to_string(i) + "\n";
    s.send("\x1B[200~" + long_text + "\x1B[201~");
    s.see("... let v59 = 59");
    CHECK(s.enter("").empty());
    CHECK(s.enter("v0 + v59") == "59\n");
}

TEST_CASE("resizing the terminal lays the entry out again") {
    const Folder folder;
    Session s(folder, {.columns = 60, .rows = 12});
    s.prompt();
    s.send("let a_long_name_of_something = 1234567890 + 1234567");
    s.see("> let a_long_name_of_something = 1234567890 + 1234567");
    s.resize(30, 12);
    s.see("> let a_long_name_of_something\n = 1234567890 + 1234567");
    s.send("8");
    s.see("> let a_long_name_of_something\n = 1234567890 + 12345678");
    s.resize(70, 12);
    s.see("> let a_long_name_of_something = 1234567890 + 12345678");
    CHECK(s.enter("").empty());
}

TEST_CASE("the typed line is coloured by the lexer") {
    const Folder folder;
    Session s(folder);
    s.prompt();
    const std::string keyword = "\x1B[0;1;34mlet";
    s.send("let");
    s.see("> let");
    CHECK(s.received().find(keyword) != std::string::npos);
    s.send("\x03");
    s.prompt();
    CHECK(s.enter(":set color").find("off or on") != std::string::npos);
    CHECK(s.enter(":set color off").empty());
    const std::size_t before = s.received().size();
    s.send("let");
    s.see("\n> let");
    CHECK(s.received().find(keyword, before) == std::string::npos);
    s.send("\x03");
    s.prompt();
    CHECK(s.enter("let x = \"\u4E2D\u00E9\"").empty());
    CHECK(s.enter("x") == "\"\u4E2D\u00E9\"\n");
}

TEST_CASE("simple terminals get plain lines") {
    const Folder folder;
    Session s(folder, {.term = "dumb"});
    s.see(">");
    s.send("1 + (\n");
    s.see("...");
    s.send("2)\n");
    s.see("3\n>");
    s.send("(5 +");
    s.send("\x03");
    s.see("^C\n>");
    s.send("let ok = 9\nok\n");
    s.see("9\n>");
    s.send("\x04");
    CHECK(s.ended() == 0);
}

TEST_CASE("from a pipe there is no prompt, and errors decide the exit code") {
    const Folder folder;
    Piped p = run_piped(folder, "let x = 2\nfn f(a) {\n\n    a * x\n}\nf(4)\nx;\n\"t\"\n");
    CHECK(p.code == 0);
    CHECK(p.output == "8\n\"t\"\n");
    CHECK(p.errors.empty());
    p = run_piped(folder, "1 +\n");
    CHECK(p.code == 1);
    CHECK(p.errors.find("error[PM") != std::string::npos);
    p = run_piped(folder, "y\n3\n");
    CHECK(p.code == 1);
    CHECK(p.output == "3\n");
    CHECK(run_piped(folder, ":nothing\n").code == 1);
    CHECK(run_piped(folder, ":quit\ny\n").code == 0);
    CHECK(run_piped(folder, "").code == 0);
}
