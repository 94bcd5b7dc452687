// Native functions with host work: files, time, progress, plots.
#include "harness.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace pm;
using pm::stage::test::Session;

namespace {

/// A folder for one test, removed by the destructor.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "pm_host_XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string operator/(const std::string& file) const { return (path / file).string(); }
};

std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("arrays and records are read back from files") {
    const Folder folder;
    Session s;
    s.run("let p = \"" + (folder / "") + "\"");
    CHECK(s.shown(R"PM(file_exists("{p}a.npy"))PM") == "false");
    CHECK(s.printed(R"PM(
save_npy("{p}a.npy", arange(6).reshape(2, 3))
let a = load_npy("{p}a.npy")
print(a, a.dtype, file_exists("{p}a.npy"))
)PM") == "[[0, 1, 2], [3, 4, 5]] i32 true\n");
    CHECK(s.printed(R"PM(
save_npz("{p}b.npz", {w: [1.5, 2.5], n: 3}, compress=true)
let {w, n} = load_npz("{p}b.npz")
print(w, n)
)PM") == "[1.5, 2.5] 3\n");
    CHECK(s.printed("write_text(\"{p}t.txt\", \"grüße\\n\")\nprint(read_text(\"{p}t.txt\"), end=\"\")") == "grüße\n");
}

TEST_CASE("tables have columns of numbers and of text") {
    const Folder folder;
    Session s;
    s.run("let p = \"" + (folder / "") + "\"");
    CHECK(s.printed(R"PM(
write_text("{p}t.csv", "name;n;x\nann;1;0.5\nbo;2;1\n")
let t = read_csv("{p}t.csv", delim=";")
print(t.name, t.n.dtype, t.x)
write_csv("{p}u.csv.gz", {n: t.n, name: t.name})
print(read_csv("{p}u.csv.gz").n)
write_csv("{p}m.csv", [[1.0, 2.0], [3.0, 4.5]])
print(read_csv("{p}m.csv", header=false))
write_csv("{p}none.csv", {a: zeros(0), b: zeros(0)})
print(read_csv("{p}none.csv"))
)PM") == "(\"ann\", \"bo\") i32 [0.5, 1.0]\n[1, 2]\n[[1.0, 2.0], [3.0, 4.5]]\n{a: [], b: []}\n");
    const Diagnostic rows = s.error("write_csv(\"{p}m.csv\", zeros((0, 2)))");
    CHECK(rows.id == Diag::file_error);
    CHECK(rows.message.find("f32[0, 2]") != std::string::npos);
    CHECK(s.error("write_csv(\"{p}m.csv\", zeros((2, 0)))").id == Diag::file_error);
}

TEST_CASE("errors of files have a code and a location") {
    const Folder folder;
    Session s;
    s.run("let p = \"" + (folder / "") + "\"");
    const Diagnostic missing = s.error("load_npy(\"{p}none.npy\")");
    CHECK(missing.id == Diag::file_missing);
    REQUIRE(missing.notes.size() == 1);
    CHECK(missing.notes[0].find(std::filesystem::current_path().string()) != std::string::npos);
    s.run("write_text(\"{p}bad.csv\", \"a,b\\n1,2\\n3,x4\\n5,6\\n\")");
    const Diagnostic malformed = s.error("read_csv(\"{p}bad.csv\")");
    CHECK(malformed.id == Diag::file_malformed);
    CHECK(malformed.message.find("line 3, column 3") != std::string::npos);
    s.run("write_text(\"{p}short.npy\", \"no array\")");
    const Diag no_array = s.error("load_npy(\"{p}short.npy\")").id;
    CHECK((no_array == Diag::file_malformed || no_array == Diag::file_truncated));
    CHECK(s.error("write_text(\"{p}no/folder.txt\", \"x\")").id == Diag::file_unwritable);
    CHECK(s.error("read_csv(\"{p}bad.csv\", delim=\";;\")").id == Diag::wrong_kind);
    CHECK(s.error("save_npz(\"{p}x.npz\", [1.0])").id == Diag::wrong_kind);
    CHECK(s.error("read_text(3)").id == Diag::wrong_kind);
}

TEST_CASE("files are refused if the host does not permit access") {
    Session s;
    s.stager().host().files = false;
    CHECK(s.error("read_text(\"x\")").id == Diag::files_not_granted);
    CHECK(s.error("file_exists(\"x\")").id == Diag::files_not_granted);
    CHECK(s.error("plot([1.0, 2.0], file=\"x.svg\")").id == Diag::files_not_granted);
    CHECK(s.printed("plot([1.0, 2.0, 4.0])").find("┤") != std::string::npos);
}

TEST_CASE("time does not decrease and is f64") {
    Session s;
    CHECK(s.printed("let a = time()\nlet b = time()\nprint(b >= a, f64(b).dtype)") == "true f64\n");
    // A function that calls time is interpreted; functions that it calls are compiled.
    CHECK(s.printed("fn timed(f, x) {\n let t = time()\n let y = f(x)\n (y, time() - t >= 0)\n}\nprint(timed(fn(x) = x "
                    "+ 1, 2.0))") == "(3.0, true)\n");
}

TEST_CASE("progress returns the elements of its argument") {
    Session s;
    CHECK(s.printed("mut n = 0\nfor i in progress(0..5, label=\"work\") { n += i }\nfor x in progress([1, 2]) { n += x "
                    "}\nprint(n)") == "13\n");
    CHECK(s.printed("fn f(n) {\n mut k = 0\n for i in progress(0..4) { k += n }\n k\n}\nprint(f(2))") == "8\n");
    CHECK(s.error("for i in progress(3) { print(i) }").id == Diag::not_iterable);
}

TEST_CASE("plots are written as SVG") {
    const Folder folder;
    Session s;
    s.run("let p = \"" + (folder / "") + "\"");
    s.run(R"PM(
let t = arange(5.0)
plot(t, t ** 2, stack((t, 2 * t)), file="{p}a.svg", title="three", labels=("a", "b", "c"))
plot((1.0, 2.0, 4.0), file="{p}b.svg", labels="loss", logy=true)
plot((t, t), ([0.0, 1.0], [1.0, 0.0]), file="{p}c.txt")
)PM");
    const std::string svg = content(folder / "a.svg");
    CHECK(svg.starts_with("<svg"));
    for (const char* part : {"three", ">a<", ">b<", ">c<"}) CHECK(svg.find(part) != std::string::npos);
    CHECK(content(folder / "b.svg").find("loss") != std::string::npos);
    CHECK(content(folder / "c.txt").find("┤") != std::string::npos);
    CHECK(s.error("plot(t, [1.0, 2.0])").id == Diag::file_error);
    CHECK(s.error("plot(t, t, labels=(\"a\", \"b\"))").id == Diag::wrong_kind);
    CHECK(s.error("plot(t, file=\"{p}a.png\")").id == Diag::wrong_kind);
    CHECK(s.error("plot()").id == Diag::wrong_argument_count);
    CHECK(s.error("plot(\"x\")").id == Diag::wrong_kind);
}

TEST_CASE("kinds, dtypes and text of values") {
    Session s;
    CHECK(s.shown("(kind(1), kind([1.0]), kind((1,)), kind({}), kind(\"\"), kind(none), kind(f32), kind(sin))") ==
          "(\"number\", \"array\", \"tuple\", \"record\", \"str\", \"none\", \"dtype\", \"function\")");
    CHECK(s.shown("(result_type(f16, bf16), result_type(1, i8), result_type(i32, 2.0))") == "(f32, i8, f32)");
    CHECK(s.shown("(finfo(f32).eps, finfo(bf16).nmant, iinfo(i8).min, iinfo(u16).max)") ==
          "(1.1920928955078125e-07, 7, -128, 65535)");
    CHECK(s.shown("decode(encode(\"grüße\"))") == "grüße");
    CHECK(s.error("decode(u8([200, 65]))").id == Diag::wrong_kind);
    CHECK(s.shown("text.split(\"a, b\", \", \")") == "(\"a\", \"b\")");
    CHECK(s.error("text.split(\"a\", \"\")").id == Diag::wrong_kind);
    CHECK(s.error("finfo(i32)").id == Diag::wrong_kind);
}
