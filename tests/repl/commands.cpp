// Each command of the session; names that do not change after an error.
#include "tests/repl/session.hpp"

#include <doctest/doctest.h>

using namespace pm::test;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The output of an entry after other entries.
std::string after(const std::string& before, const std::string& entry) {
    const Folder folder;
    const Piped p = run_piped(folder, before + "\n" + entry + "\n");
    return p.output + p.errors;
}

const std::string network = "let x = zeros((100, 3))\nlet w = ones(3)\nfn loss(w, x) = mean((x @ w - 1.0) ** 2)\n";

} // namespace

TEST_CASE(":type shows the type and runs nothing") {
    CHECK(after(network, ":type loss(w, x)") == "f32\n");
    CHECK(after(network, ":type grad(loss)(w, x)") == "f32[3]\n");
    CHECK(after(network, ":type x") == "f32[100, 3]\n");
    CHECK(after(network, ":ty {a: x, b: (w, 1)}") == "{a: f32[100, 3], b: (f32[3], i32)}\n");
    CHECK(after(network, ":type loss") == "fn loss(w, x)\n");
    CHECK(after(network, ":type fn(a) = a") == "fn(a)\n");
    CHECK(after("", ":type print(\"shown\")") == "none\n");
    CHECK(has(after("", ":type nowhere"), "PM0101"));
    CHECK(has(after("", ":type"), "needs an expression"));
}

TEST_CASE(":ir shows each stage") {
    CHECK(has(after(network, ":ir loss(w, x)"), "dot"));
    CHECK(has(after(network, ":ir stage loss(w, x)"), "f32[100, 3]"));
    CHECK(has(after(network, ":ir optimize loss(w, x)"), "dot"));
    CHECK(has(after(network, ":ir plan loss(w, x)"), "f32"));
    CHECK(has(after(network, ":ir llvm loss(w, x)"), "define"));
    CHECK(has(after(network, ":ir asm loss(w, x)"), ".text"));
    CHECK(has(after("", ":ir time()"), "interpreted"));
    CHECK(has(after("", ":ir bogus f(1.0)"), "there is no stage `bogus`; there are stage, lower_complex"));
}

TEST_CASE(":time and :bench show durations") {
    const std::string once = after(network, ":time loss(w, x)");
    CHECK(once.rfind("1.0\ntime: ", 0) == 0);
    for (const char* part : {": staging ", ", optimize ", ", plan ", ", machine code ", ", run "})
        CHECK(has(once, part));
    CHECK(has(once, "; 1 program compiled"));
    CHECK(after("", ":time let t = 4\nt").rfind("time: ", 0) == 0);
    CHECK(has(after("", ":time let t = 4\nt"), "\n4\n"));
    CHECK(after("", ":time 3 + 4;").rfind("time: ", 0) == 0);
    CHECK(has(after("", ":time 3 + 4;\nit"), "\n7\n"));
    CHECK(has(after(network, ":bench loss(w, x)"), "median of"));
}

TEST_CASE("quit, exit() and help work without a colon unless the session defines the name") {
    CHECK(after("quit", "1").empty());
    CHECK(after("exit()", "1").empty());
    CHECK(has(after("", "help"), "ends the session"));
    CHECK(has(after("", "help()"), "ends the session"));
    CHECK(has(after("", "help(linalg.solve)"), "fn solve(a, b)"));
    CHECK(after("let quit = 2", "quit") == "2\n");
    CHECK(after("fn help(x) = x + 1", "help(2)") == "3\n");
}

TEST_CASE(":doc shows the documentation of functions and modules of the session and the library") {
    CHECK(has(after("", ":doc sum"), "fn sum("));
    CHECK(has(after("", "?sort"), "fn sort("));
    CHECK(after("## Twice as much.\nfn twice(x) = 2 * x", ":doc twice") == "fn twice(x)\nTwice as much.\n");
    CHECK(has(after("import stats", ":doc stats"), "fn "));
    CHECK(has(after("", ":doc linalg"), "fn cholesky("));
    CHECK(has(after("", ":doc grad"), "grad"));
    CHECK(has(after("", ":doc json.parse"), "\njson.parse(text, arrays=false): The value of a JSON text."));
    CHECK(has(after("", ":doc summ"), "did you mean `sum`?"));
    CHECK(has(after("", ":doc optim.adamW"), "did you mean `adamw`?"));
    CHECK(has(after("", ":doc nuts"), "the module `mcmc` has one: mcmc.nuts"));
    CHECK(has(after("", ":doc mcmc"),
              "    The effective sample size of draws f[chains, draws, ...] -> f[...], or of a tree of "
              "them: the number of independent draws for which the mean has the same variance.\n"));
    CHECK(has(after("", ":doc nn"), "fn dot_product_attention(query, key, value,"));
    CHECK(has(after("", ":doc @"), "a @ b\nThe product of matrices"));
}

TEST_CASE(":doc shows the forms and the meaning of keywords") {
    CHECK(has(after("", ":doc for"), "for x in xs { ... }, [f(x) for x in xs], (f(x) for x in xs)\nRuns over ranges"));
    CHECK(has(after("", "?mut"), "mut x = e\nDefines a name that can be assigned"));
    CHECK(has(after("", ":doc none"), "none\n"));
    CHECK(has(after("", ":doc test"), "only `pm test` runs"));
    CHECK(after("## Mine.\nfn test(x) = x", ":doc test") == "fn test(x)\nMine.\n");
    for (const char* name : {"pmap", "vmap", "grad", "value_and_grad", "jvp", "vjp", "jit", "psum", "pmean"})
        CHECK_MESSAGE(has(after("", std::string(":doc ") + name), "): "), name);
}

TEST_CASE(":vars, :devices, :set, :help, :quit and short forms") {
    CHECK(after("let b = 2.5\nmut a = [1, 2]\nfn f(x) = x", ":vars") == "b: f32\nf: fn f(x)\nmut a: i32[2]\n");
    CHECK(has(after("", ":devices"), "cpu:1: 1 device on"));
    CHECK(has(after(":set errors short", "nowhere"), "<entry 1>:1:1: error[PM0101]"));
    CHECK(has(after(":set time on", "1"), "time: "));
    CHECK(has(after(":set explain on\nfn f(x) = x + 1", "f([1, 2])"),
              "1:1: note: the function `f` is compiled for (i32[2])"));
    CHECK(
        has(after("fn f(x) = log(x)\nf([-1.0])\n:set check-nans on", "f([-1.0])"), "error[PM0505]: `log` makes a NaN"));
    CHECK(has(after(":set check-nans on\nfn f(x) = log(x)\nf([-1.0])\n:set check-nans off", "f([-1.0])"), "[nan]"));
    CHECK(has(after(":set errors json", "nowhere"), "{\"code\":\"PM0101\""));
    CHECK(has(after(":set errors json\n:set errors long", "nowhere"), "error[PM0101]: unknown name"));
    CHECK(has(after("", ":set errors loud"), "`errors` is long, short or json"));
    CHECK(has(after(":set errors json", ":set"), "errors       json   how errors are shown (long, short or json)"));
    CHECK(has(after("", ":set"), "colours while typing"));
    CHECK(has(after("", ":set nothing on"), "there is no setting"));
    CHECK(has(after("", ":set time maybe"), "off or on"));
    for (const char* name : {":type", ":ir", ":time", ":bench", ":doc", ":load", ":reload", ":vars", ":explain",
                             ":devices", ":plot", ":set", ":help", ":quit"})
        CHECK(has(after("", ":h"), name));
    CHECK(has(after("", ":t 1"), "`:t` can be :type, :time"));
    CHECK(has(after("", ":nothing"), "there is no command"));
    CHECK(after(":q", "1").empty());
}

TEST_CASE(":explain shows the type of each part") {
    const std::string text = after(network, ":explain mean((x @ w - 1.0) ** 2)");
    CHECK(has(text, "mean((x @ w - 1.0) ** 2)   f32\n"));
    CHECK(has(text, "    (x @ w - 1.0)          f32[100]\n"));
    CHECK(has(text, "        x                  f32[100, 3]\n"));
    CHECK(has(text, "compiled to "));
    CHECK(has(text, "1 matrix product"));
    CHECK(has(after("", ":explain time()"), "interpreted"));
    CHECK(has(after("", ":explain 1 + nowhere"), "PM0101"));
    CHECK(after("", ":explain PM0101").rfind("PM0101: ", 0) == 0);
    CHECK(has(after("", ":explain PM9999"), "there is no diagnostic `PM9999`"));
    CHECK(has(after("", ":explain PM9999"), "the nearest is PM0"));
    CHECK(after("let PMNAME = 1", ":explain PMNAME").rfind("PMNAME   i32", 0) == 0);
}

TEST_CASE(":plot draws arrays") {
    CHECK(has(after("", ":plot [1.0, 4.0, 9.0]"), "\u2800") == false);
    CHECK(after("", ":plot [1.0, 4.0, 9.0]").size() > 500);
    CHECK(after("let t = arange(10) * 0.1", ":plot (t, sin(t))").size() > 500);
    CHECK(has(after("", ":plot \"text\""), "error[PM"));
    CHECK(has(after("", ":plot zeros((0, 3))"), "error[PM"));
}

TEST_CASE(":load runs a file with its imports; :reload runs its present text") {
    const Folder folder;
    folder.write("part.pm", "let size = 1\n");
    folder.write("main.pm", "import \"part.pm\" as part\nlet total = part.size * 10\n");
    Session s(folder);
    s.prompt();
    CHECK(has(s.enter(":reload"), "nothing has been loaded"));
    CHECK(has(s.enter(":load ."), "is a folder"));
    CHECK(has(s.enter(":reload"), "nothing has been loaded"));
    CHECK(s.enter(":load main.pm").empty());
    CHECK(s.enter("total") == "10\n");
    folder.write("part.pm", "let size = 2\n");
    CHECK(s.enter(":reload").empty());
    CHECK(s.enter("total") == "20\n");
    // Imports of a loaded file are relative to its folder. Imports of the session stay relative to the current folder.
    folder.write("sub.pm", "");
    std::filesystem::create_directory(folder.path() + "/deep");
    folder.write("deep/part.pm", "let size = 7\n");
    folder.write("deep/main.pm", "import \"part.pm\" as deep_part\nlet deep_total = deep_part.size\n");
    CHECK(s.enter(":load \"deep/main.pm\"").empty());
    CHECK(s.enter("deep_total") == "7\n");
    CHECK(s.enter("import \"part.pm\" as here").empty());
    CHECK(s.enter("here.size") == "2\n");
    CHECK(has(s.enter(":load nowhere.pm"), "cannot read"));
}

TEST_CASE("a file or entry that fails changes nothing") {
    const Folder folder;
    folder.write("bad.pm", "a = 100\nlet b = 100\nlet c = 100\nd[0] = 100\nfn f(x) = 100\nlet e = nowhere\n");
    Session s(folder);
    s.prompt();
    s.enter("mut a = 1");
    s.enter("let b = 2");
    s.enter("mut d = [1, 2]");
    s.enter("fn f(x) = x");
    s.enter("7");
    CHECK(has(s.enter(":load bad.pm"), "PM0101"));
    CHECK(s.enter("(a, b, d, f(3), it)") == "(1, 2, [1, 2], 3, 7)\n");
    CHECK(has(s.enter("c"), "PM0101"));
    CHECK(has(s.enter("a = 5; d[1] = 9; let g = 1; d[7] = 1"), "error[PM"));
    CHECK(s.enter("(a, d)") == "(1, [1, 2])\n");
    CHECK(has(s.enter("g"), "PM0101"));
    // A file with a syntax error does not run at all.
    folder.write("bad.pm", "let b = 100\nlet )\n");
    CHECK(has(s.enter(":load bad.pm"), "error[PM"));
    CHECK(s.enter("b") == "2\n");
}
