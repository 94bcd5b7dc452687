#include "format_support.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace pm::syntax;

namespace {

struct Case {
    const char* before;
    const char* after;
};

void check(std::initializer_list<Case> cases) {
    for (const Case& c : cases) CHECK(formatted(c.before) == c.after);
}

std::string words(const std::string& word, int count, const std::string& between = ", ") {
    std::string out = word;
    for (int i = 1; i < count; ++i) out += between + word;
    return out;
}

} // namespace

TEST_CASE("blanks between tokens") {
    check({
        {"let x=1+2*3", "let x = 1 + 2 * 3\n"},
        {"x+=f( a,b ,c=1 )", "x += f(a, b, c=1)\n"},
        {"x [ 0 ] min= - 1", "x[0] min= -1\n"},
        {"let y = not a  in  b;let z=a not   in b", "let y = not a in b\nlet z = a not in b\n"},
        {"let r={a:1,\"b c\" : 2 ,..s,d}", "let r = {a: 1, \"b c\": 2, ..s, d}\n"},
        {"x[1 : 2, : , : : 2, ... , s : + k]", "x[1:2, :, ::2, ..., s:+k]\n"},
        {"for i in 0 .. n { f (i) }", "for i in 0..n { f(i) }\n"},
        {"fn f ( x : f32 [ n ,2*n ] , y=1 , z:any=none,*rest )->(f32 , fn) = x",
         "fn f(x: f32[n, 2 * n], y=1, z: any = none, *rest) -> (f32, fn) = x\n"},
        {"let f=fn ( x )=x . y . 0 . 1 (2)", "let f = fn(x) = x.y.0.1(2)\n"},
        {"let (a,_ , * r)=t; let {w,b :c}=p", "let (a, _, *r) = t\nlet {w, b: c} = p\n"},
        {"let y=e with [i,:]=v with .w . 0 +=1", "let y = e with [i, :] = v with .w.0 += 1\n"},
        {"[ f (x)for x in xs ];( * a , b )", "[f(x) for x in xs]\n(*a, b)\n"},
        {"test \"a\"{ assert( c ) }", "test \"a\" { assert(c) }\n"},
        {"import \"a.pm\"  as  b", "import \"a.pm\" as b\n"},
        {"if a{b}else if c{d}else{e}", "if a { b } else if c { d } else { e }\n"},
        {"while  x<3 { }", "while x < 3 {}\n"},
        {"-x ** - 2 @ ~ y", "-x ** -2 @ ~y\n"},
        {"print( \"{ x :.3f} {{\" )", "print(\"{ x :.3f} {{\")\n"},
        {"\xEF\xBB\xBFx\r\n", "x\n"},
        {"", ""},
        {" \n\n ", ""},
    });
}

TEST_CASE("a blank is kept between tokens that would be read differently without it") {
    check({
        {"1. .. n", "1. ..n\n"},
        {"1 .. n", "1..n\n"},
        {"1 .0", "1 .0\n"},
        {"1 .real", "1.real\n"},
        {"2. .real", "2. .real\n"},
        {"t . 0 .. 3", "t.0..3\n"},
        {"t. 0x1", "t. 0x1\n"},
        {"f( r\"\\d{2}\" ,r)", "f(r\"\\d{2}\", r)\n"},
    });
}

TEST_CASE("line ends and empty lines") {
    check({
        {"a;b;;c;", "a\nb\nc\n"},
        {"\n\na\n\n\n\nb\nc\n\n", "a\n\nb\nc\n"},
        {"fn f() {\n\n  a\n\n\n  b\n\n}", "fn f() {\n    a\n\n    b\n}\n"},
        {"let x = a +\n  b", "let x = a + b\n"},
        {"f(\n  a,\n  b)", "f(a, b)\n"},
        {"x\n  .f(1)\n  .g()", "x.f(1).g()\n"},
        {"a\n-b", "a\n-b\n"},
        {"fn f() {\na\n-b\n}", "fn f() {\n    a\n    -b\n}\n"},
    });
}

TEST_CASE("a block is on one line only if it was written on one line") {
    check({
        {"if a {\nb }", "if a {\n    b\n}\n"},
        {"if a { b\n}", "if a {\n    b\n}\n"},
        {"if a { b; c }", "if a { b; c }\n"},
        {"if a { b }\nelse { c }", "if a { b } else { c }\n"},
        {"if a { b } else {\nc }", "if a {\n    b\n} else {\n    c\n}\n"},
        {"if a {\n}", "if a {}\n"},
        {"f(fn(x) {\nx }, 2)", "f(\n    fn(x) {\n        x\n    },\n    2,\n)\n"},
        {"f(2, fn(x) {\nx })", "f(2, fn(x) {\n    x\n})\n"},
        {"fn f() { let a = fn() {\n b } ; a }", "fn f() {\n    let a = fn() {\n        b\n    }\n    a\n}\n"},
    });
    const std::string name(30, 'n');
    CHECK(formatted("if a { f(" + words(name, 2) + ") } else { g(" + name + ") }") ==
          "if a {\n    f(" + words(name, 2) + ")\n} else {\n    g(" + name + ")\n}\n");
}

TEST_CASE("comments stay with their tokens") {
    check({
        {"#a\n\n\n# b  \nx #c\n#d", "#a\n\n# b\nx  #c\n#d\n"},
        {"f(a, # one\n b # two\n)", "f(\n    a,  # one\n    b,  # two\n)\n"},
        {"f( # open\n a)", "f(  # open\n    a,\n)\n"},
        {"f(a\n# before\n, b)", "f(\n    a,\n    # before\n    b,\n)\n"},
        {"f(a\n# last\n)", "f(\n    a,\n    # last\n)\n"},
        {"f(# none\n)", "f(  # none\n)\n"},
        {"[1 # one\n, 2 # two\n]", "[\n    1,  # one\n    2,  # two\n]\n"},
        {"let x = # why\n a + b", "let x =  # why\n    a + b\n"},
        {"let x =\n# own\n a", "let x =\n    # own\n    a\n"},
        {"a + # one\nb", "a +  # one\n    b\n"},
        {"let x = f(a, b) # behind", "let x = f(a, b)  # behind\n"},
        {"if a { # why\nb }\n# of else\nelse { c }", "if a {  # why\n    b\n}\n# of else\nelse {\n    c\n}\n"},
        {"x # one\n# two\n.f()", "x  # one\n    # two\n    .f()\n"},
        {"a; # one\nb", "a  # one\nb\n"},
        {"fn f() {\n# only\n}", "fn f() {\n    # only\n}\n"},
        {"fn f() { a # one\n}", "fn f() {\n    a  # one\n}\n"},
        {"fn f() {\na\n\n# last\n\n}", "fn f() {\n    a\n\n    # last\n}\n"},
        // Comments on neighbouring lines begin in the same column.
        {"let a = 1 # one\nlet bcd = 2 # two\n\nlet e = 3 # three",
         "let a = 1    # one\nlet bcd = 2  # two\n\nlet e = 3  # three\n"},
    });
}

TEST_CASE("documentation comments stay directly before their function") {
    CHECK(formatted("## one\n##  two \nfn f(x)=x") == "## one\n##  two\nfn f(x) = x\n");
    CHECK(formatted("## one\n\n\n# not\nfn f(x)=x") == "## one\n\n# not\nfn f(x) = x\n");
    CHECK(formatted("## one\n;fn f(x)=x") == "## one\nfn f(x) = x\n");
}

TEST_CASE("lines that are too long are broken, at the outermost bracket first") {
    const std::string a(40, 'a');
    const std::string b(40, 'b');
    const std::string c(40, 'c');
    const std::string abc = a + ", " + b + ", " + c;
    const std::string lines = "\n    " + a + ",\n    " + b + ",\n    " + c + ",\n";
    CHECK(formatted("f(" + abc + ")") == "f(" + lines + ")\n");
    CHECK(formatted("(" + abc + ")") == "(" + lines + ")\n");
    CHECK(formatted("x[" + abc + "]") == "x[" + lines + "]\n");
    CHECK(formatted("[" + abc + ",]") == "[" + lines + "]\n");
    CHECK(formatted("{" + abc + "}") == "{" + lines + "}\n");
    CHECK(formatted("fn f(" + abc + ") = 1") == "fn f(" + lines + ") = 1\n");
    CHECK(formatted("let (" + abc + ") = 1") == "let (" + lines + ") = 1\n");
    // If a list is the only argument of a call, only the list is broken.
    CHECK(formatted("f((" + abc + "))") == "f((" + lines + "))\n");
    // There is no trailing comma if it would make a tuple or is not allowed.
    CHECK(formatted("(" + a + " + " + b + " + " + c + ")") ==
          "(\n    " + a + " +\n    " + b + " +\n    " + c + "\n)\n");
    CHECK(formatted("[" + a + " for " + b + " in " + c + "]") ==
          "[\n    " + a + "\n    for " + b + " in " + c + "\n]\n");
    CHECK(formatted("(f(" + abc + "),)") ==
          "(\n    f(\n        " + a + ",\n        " + b + ",\n        " + c + ",\n    ),\n)\n");
    // The value is on the line below `=` if it fits there, otherwise it begins after `=`.
    CHECK(formatted("let x = f(" + a + ", " + b + ", 12345678)") == "let x =\n    f(" + a + ", " + b + ", 12345678)\n");
    CHECK(formatted("let x = f(" + abc + ")") == "let x = f(" + lines + ")\n");
    CHECK(formatted("let x = " + a + " + " + b + " + " + c) ==
          "let x =\n    " + a + " +\n    " + b + " +\n    " + c + "\n");
    CHECK(formatted("return_value(" + a + " * " + b + " + " + c + " * 2, 1)") ==
          "return_value(\n    " + a + " * " + b + " +\n        " + c + " * 2,\n    1,\n)\n");
    CHECK(formatted(a + " and " + b + " and " + c) == a + " and\n    " + b + " and\n    " + c + "\n");
    CHECK(formatted("if " + a + " and " + b + " and " + c + " { 1 }") ==
          "if " + a + " and\n        " + b + " and\n        " + c + " {\n    1\n}\n");
    // Chains of three calls and more are broken before the points.
    CHECK(formatted("let x = y.f(" + a + ").g(" + b + ").h(" + c + ")") ==
          "let x = y.f(" + a + ")\n    .g(" + b + ")\n    .h(" + c + ")\n");
    CHECK(formatted(a + " with [" + b + "] = 1 with ." + c + " = 2") ==
          a + "\n    with [" + b + "] = 1\n    with ." + c + " = 2\n");
    // A single text is not moved to a separate line, because the line would still be too long.
    const std::string text = "\"" + a + b + c + "\"";
    CHECK(formatted("print(" + text + ")") == "print(" + text + ")\n");
    CHECK(formatted("print(" + text + ",)") == "print(" + text + ")\n");
    CHECK(formatted("(" + text + ",)") == "(\n    " + text + ",\n)\n");
    // Lists of numbers are broken only where a line is full.
    CHECK(formatted("[" + words("1000", 30) + "]") ==
          "[\n    " + words("1000", 16) + ",\n    " + words("1000", 14) + ",\n]\n");
    // The comma after an item must fit into the line: after a 14th number the comma would be character 101.
    CHECK(formatted("[" + words("10000", 20) + "]") ==
          "[\n    " + words("10000", 13) + ",\n    " + words("10000", 7) + ",\n]\n");
}

TEST_CASE("a line of 100 characters is not broken, a line of 101 is") {
    const std::string ninety(90, 'x');
    CHECK(formatted("f(a, " + ninety + "1234)") == "f(a, " + ninety + "1234)\n");
    CHECK(formatted("f(a, " + ninety + "12345)") == "f(\n    a,\n    " + ninety + "12345,\n)\n");
    // The length of a line is its number of code points, not bytes. A comment at its end does not count.
    std::string letters;
    for (int i = 0; i < 90; ++i) letters += "ä";
    CHECK(formatted("f(a, " + letters + "1234)  # behind") == "f(a, " + letters + "1234)  # behind\n");
}

TEST_CASE("a list stays on several lines if its last item has a comma and the closing bracket has a separate line") {
    check({
        {"f(a,\n)", "f(\n    a,\n)\n"},
        {"f(a, b,)", "f(a, b)\n"},
        {"[1, 2, # one\n3,\n\n4, # two\n]", "[\n    1, 2,  # one\n    3,\n\n    4,  # two\n]\n"},
        {"let m = [\n[1, 2],\n\n[3, 4],\n]", "let m = [\n    [1, 2],\n\n    [3, 4],\n]\n"},
        {"f(a,\n(b,),\n)", "f(\n    a,\n    (b,),\n)\n"},
        {"(a,\n)", "(a,)\n"},
    });
}

TEST_CASE("an invalid text is not formatted") {
    pm::SourceMap sources;
    const Formatted result = format_source(sources, sources.add("test.pm", "let x = ("));
    CHECK_FALSE(result.ok());
    CHECK(result.text.empty());
    CHECK(pm::info(result.errors.front().id).code == "PM0005");
}

TEST_CASE("deep and long texts are formatted") {
    const std::string deep = std::string(100, '(') + "1" + std::string(100, ')');
    formatted(deep);
    formatted("f(" + words("g(x, [1, 2])", 3000) + ")");
    formatted(words("let x = f(y)", 3000, "\n"));
    formatted("1" + words(" + 1", 400, ""));
}

/// Formats every valid program in the repository.
TEST_CASE("the programs of the repository are formatted") {
    int count = 0;
    for (const char* folder : {"stdlib", "examples", "tests/lang/programs", "tests/oracle", "tests/lang/diagnostics"}) {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(std::string(PM_SOURCE_DIR) + "/" + folder)) {
            if (entry.path().extension() != ".pm") continue;
            std::ostringstream text;
            text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
            if (!Parsed(text.str()).result.ok()) continue; // some programs of tests/lang/diagnostics are invalid
            INFO(entry.path().string());
            formatted(text.str());
            ++count;
        }
    }
    CHECK(count > 60);
}
