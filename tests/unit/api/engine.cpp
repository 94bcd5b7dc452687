// Engines: loading of modules, calls, conversion of values, errors, limits.
#include "support.hpp"
#include "tests/unit/child.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace pm_test;

TEST_CASE("the example in the head comment of pm.hpp") {
    for (const bool interpret : both) {
        auto engine = pm::Engine::create({.devices = 2, .interpret = interpret});
        REQUIRE(engine);
        auto module = engine->load_text("fn loss(w, x, y) = mean((x @ w - y) ** 2)\n"
                                        "fn step(w, x, y) = value_and_grad(loss)(w, x, y)");
        REQUIRE_MESSAGE(module, module.problem().text);
        auto step = module->function("step");
        REQUIRE(step);
        std::vector<float> w{1, 2}, x{1, 0, 0, 1, 1, 1}, y{0, 0, 0}, grad(2);
        auto result = (*step)(pm::View(w, {2}), pm::View(x, {3, 2}), pm::View(y, {3}));
        REQUIRE_MESSAGE(result, result.problem().text);
        CHECK(result->at(0).number().value_or(0) == doctest::Approx((1 + 4 + 9) / 3.0));
        REQUIRE(result->at(1).copy_to(pm::MutableView(grad, {2})));
        CHECK(grad[0] == doctest::Approx(2.0 / 3 * (1 + 3)));
        CHECK(grad[1] == doctest::Approx(2.0 / 3 * (2 + 3)));
    }
}

TEST_CASE("the host or the program sets the precision of products on a GPU") {
    const auto sum = [](pm::Precision precision, const std::string& word) {
        Host host({.platform = pm::Platform::gpu_emulated, .precision = precision});
        pm::Module m = host.load("fn f(a) = matmul(a, ones((20, 20)), precision=" + word + ")[0, 0] - 20");
        const std::vector<float> a(400, 1 + 1.0F / 4096);
        return m.function("f").value()(pm::View(a, {20, 20})).value().number().value();
    };
    CHECK(sum(pm::Precision::standard, "none") == 0); // TF32 rounds 1 + 2^-12 to 1
    CHECK(sum(pm::Precision::high, "none") == 20 / 4096.0);
    CHECK(sum(pm::Precision::highest, "none") == 20 / 4096.0);
    CHECK(sum(pm::Precision::highest, "\"default\"") == 0);
    CHECK(sum(pm::Precision::standard, "\"highest\"") == 20 / 4096.0);
}

TEST_CASE("numbers, text and trees are passed in and returned") {
    Host host;
    pm::Module m = host.load(
        "fn same(x) = x\nfn add(a, b=10) = a + b\nfn half(r) = {w: r.w / 2, b: (r.b, 1)}\nfn size(n) = zeros(n)\n"
        "fn hello(name) = \"hello {name}\"\nlet answer = 42\nlet name = \"x\"\nanswer + 1");
    CHECK(m.value().integer().value() == 43);
    CHECK(m.get("answer").value().integer().value() == 42);
    CHECK(m.get("name").value().text().value() == "x");
    CHECK(m.names() == std::vector<std::string>{"add", "answer", "half", "hello", "name", "same", "size"});

    const auto add = m.function("add").value();
    CHECK(add(1, 2).value().integer().value() == 3);
    CHECK(add(0.5).value().number().value() == 10.5);
    CHECK(add.call(std::array<pm::Value, 1>{1}, {.named = {{"b", 5}}}).value().integer().value() == 6);
    CHECK(m.function("hello").value()("you").value().text().value() == "hello you");
    CHECK(m.function("size").value()(3).value().shape() == pm::Sizes{3});

    const auto same = m.function("same").value();
    CHECK(same(true).value().boolean().value());
    CHECK(same(pm::Value::scalar(std::uint8_t{200})).value().dtype() == pm::DType::u8);
    CHECK(same(pm::Value()).value().kind() == pm::Kind::none);

    const std::vector<double> w{2, 4};
    const auto record = pm::Value::record({{"w", pm::View(w)}, {"b", 3}});
    const auto half = m.function("half").value()(record).value();
    CHECK(half.kind() == pm::Kind::record);
    CHECK(half.fields() == std::vector<std::string>{"w", "b"});
    CHECK(half.at("w").elements<double>().value() == std::vector<double>{1, 2});
    CHECK(half.at("b").at(0).integer().value() == 3);
    CHECK(half.at("b").at(7).kind() == pm::Kind::none);
    CHECK_FALSE(half.at("nothing").number());
    CHECK(half.leaves().size() == 3); // leaves are sorted by field: b.0, b.1, w
    CHECK(half.leaves()[2].shape() == pm::Sizes{2});
    CHECK(half.to_text() == "{w: [1, 2], b: (3, 1)}");
    CHECK(half.at("w").elements<float>().problem().code == "PM0111");
}

TEST_CASE("every element type is passed and returned unchanged") {
    Host host;
    const auto same = host.load("fn same(x) = x").function("same").value();
    const auto check = [&]<class T>(std::vector<T> values) {
        const auto back = same(pm::View(values)).value();
        CHECK(back.dtype() == pm::dtype_of<T>);
        CHECK(back.template elements<T>().value() == values);
    };
    check(std::vector<std::int8_t>{-1, 2});
    check(std::vector<std::int16_t>{-1, 2});
    check(std::vector<std::int32_t>{-1, 2});
    check(std::vector<std::int64_t>{-1, std::int64_t{1} << 40});
    check(std::vector<std::uint8_t>{255, 2});
    check(std::vector<std::uint16_t>{65535, 2});
    check(std::vector<std::uint32_t>{4294967295U, 2});
    check(std::vector<std::uint64_t>{~std::uint64_t{0}, 2});
    check(std::vector<float>{-1.5F, 2});
    check(std::vector<double>{-1.5, 2});
    check(std::vector<std::complex<float>>{{-1.5F, 2}, {0, 1}});
    check(std::vector<std::complex<double>>{{-1.5, 2}, {0, 1}});
    const std::array<bool, 3> bools{true, false, true};
    CHECK(same(pm::View(bools.data(), {3})).value().to_text() == "[true, false, true]");
}

TEST_CASE("complex numbers are passed in, computed with and returned") {
    Host host;
    const auto f = host.load("fn f(z, w) = z * w + conj(z)").function("f").value();
    const std::vector<std::complex<double>> z{{1, 2}, {3, -1}};
    const auto made = f(pm::View(z), pm::View(z)).value();
    CHECK(made.elements<std::complex<double>>().value() == std::vector<std::complex<double>>{{-2, 2}, {11, -5}});
    CHECK(!host.load("fn f() = 1j").function("f").value()().value().number());
}

TEST_CASE("arrays with strides are passed in") {
    Host host;
    const auto same = host.load("fn same(x) = x + 0").function("same").value();
    const std::vector<float> memory{0, 1, 2, 3, 4, 5};
    const auto through = [&](pm::View v) { return same(v).value().elements<float>().value(); };
    CHECK(through(pm::View(memory.data(), {3, 2}, {1, 3})) == std::vector<float>{0, 3, 1, 4, 2, 5});
    CHECK(through(pm::View(memory.data() + 5, {3}, {-2})) == std::vector<float>{5, 3, 1});
    CHECK(through(pm::View(memory.data() + 2, {3}, {0})) == std::vector<float>{2, 2, 2});
    CHECK(through(pm::View(memory.data(), {0, 3})).empty());
    std::vector<float> out(7, -1);
    REQUIRE(same.call_into(std::array{pm::MutableView(out.data() + 1, {3}, {2})},
                           std::array{pm::Value(pm::View(memory.data(), {3}))}));
    CHECK(out == std::vector<float>{-1, 0, -1, 1, -1, 2, -1});
}

TEST_CASE("invalid views are reported by the call") {
    Host host;
    const auto same = host.load("fn same(x) = x").function("same").value();
    const std::vector<float> memory{0, 1, 2, 3, 4, 5};
    const auto message = [&](const pm::View& v) {
        const auto result = same(v);
        REQUIRE_FALSE(result);
        CHECK(result.problem().code == "PM0910");
        return result.problem().message;
    };
    CHECK(message(pm::View(memory, {7})) == "argument 0: its shape (7,) needs elements 0 to 6, but its memory has 6");
    CHECK(message(pm::View(memory.data(), {-1})) == "argument 0: its shape (-1,) holds a negative size");
    CHECK(message(pm::View(memory.data(), {2, 3}, {1})) == "argument 0: it has 1 stride for 2 axes");
    CHECK(message(pm::View(static_cast<const float*>(nullptr), {2})) ==
          "argument 0: it has no memory for its shape (2,)");
    constexpr std::int64_t most = INT64_MAX, least = INT64_MIN;
    CHECK(message(pm::View(memory.data(), {2, 2}, {most, most})) ==
          "argument 0: strides (9223372036854775807, 9223372036854775807) reach further than memory for the shape (2, "
          "2)");
    for (const pm::Sizes& far : {pm::Sizes{most, 1},
                                 {1, least},
                                 {least, least},
                                 {most, least},
                                 {most / 2, most / 2},
                                 {most / 4, 0},
                                 {least / 4, 1},
                                 {most / 8, 1},
                                 {1, std::int64_t{1} << 45}})
        message(pm::View(memory.data(), {2, 2}, far));
    CHECK(message(pm::View(memory.data(), {2, -1}, {1, 1})) == "argument 0: its shape (2, -1) holds a negative size");
    CHECK(message(pm::View(memory.data(), static_cast<pm::DType>(200), {1})) == "argument 0: its dtype is none");
    // The strides of axes of size 1 may have any value.
    CHECK(same(pm::View(memory.data(), {1, 2, 1}, {most, 3, least})).value().elements<float>().value() ==
          std::vector<float>{0, 3});
    CHECK(same(pm::View(memory.data(), {0, 2}, {most, least})).value().shape() == pm::Sizes{0, 2});
    CHECK(message(pm::View(memory.data(), pm::Sizes(40, 1))) == "argument 0: it has 40 axes; at most 32 are taken");
    CHECK_FALSE(same(pm::View(memory.data(), {std::int64_t{1} << 40, std::int64_t{1} << 40})));
    pm::Value deep = 1;
    for (int i = 0; i < 1000; ++i) deep = pm::Value::tuple({deep});
    CHECK_FALSE(same(deep));
    CHECK_FALSE(same(pm::Value::record({{"a", 1}, {"a", 2}})));
    CHECK(same(1)); // the engine remains usable
}

TEST_CASE("the host's memory for results is checked like its memory for arguments") {
    Host host;
    const auto f = host.load("fn f(x) = x + ones((2, 2))").function("f").value();
    const pm::Value result = f(1.0).value();
    std::vector<float> memory(4, -1);
    for (const pm::Sizes& far : {pm::Sizes{INT64_MAX, INT64_MAX}, {INT64_MIN, 1}, {INT64_MAX / 4, 1}}) {
        const pm::MutableView view(memory.data(), {2, 2}, far);
        CHECK(result.copy_to(view).problem().code == "PM0910");
        CHECK(f.call_into(std::array{view}, std::array{pm::Value(1.0)}).problem().code == "PM0910");
    }
    const pm::MutableView none(memory.data(), static_cast<pm::DType>(200), {2, 2});
    CHECK(result.copy_to(none).problem().message == "the host's memory is no dtype[2, 2], but the value is f32[2, 2]");
    CHECK(memory == std::vector<float>(4, -1));
}

TEST_CASE("values obtained from a temporary result live as long as they are used") {
    Host host;
    const auto f = host.load("fn f(x) = x + arange(3.0)").function("f").value();
    float sum = 0;
    for (const float x : *f(1.0)->elements<float>()) sum += x;
    CHECK(sum == 6);
    const auto& values = f(2.0).value().elements<float>().value();
    CHECK(values == std::vector<float>{2, 3, 4});
    const pm::View view = f(3.0)->view();
    CHECK(static_cast<const float*>(view.data)[2] == 5);
    const pm::Value borrowed(f(4.0)->view());
    CHECK(borrowed.to_text() == "[4, 5, 6]");
    const auto& problem = f(1, 2).problem();
    CHECK(problem.code == "PM0103");
    static_assert(!std::is_reference_v<decltype(*f(1.0))> && !std::is_reference_v<decltype(f(1.0).value())> &&
                  !std::is_reference_v<decltype(f(1.0).problem())>);
}

TEST_CASE("access to a result without a value prints the problem and aborts the process") {
    for (const bool arrow : {false, true}) {
        const auto end = pm_test::in_child([&] {
            const pm::Result<pm::Value> bad = pm::Problem{.code = "PM0101", .message = "there is no `y`"};
            return arrow ? static_cast<int>(bad->size()) : static_cast<int>((*bad).size());
        });
        CHECK(end.signal == SIGABRT);
        CHECK(end.errors.find("pm::Result without a value") != std::string::npos);
        CHECK(end.errors.find("there is no `y`") != std::string::npos);
    }
}

TEST_CASE("results share no memory with arguments") {
    for (const bool interpret : both) {
        Host host({.interpret = interpret});
        pm::Module m =
            host.load("fn same(x) = x\nfn row(x) = x[1]\nfn adder(x) = fn(y) = x + y\nfn pair(x) = (x, x.reshape(4))");
        std::vector<float> memory{0, 1, 2, 3};
        const pm::View view(memory, {2, 2});
        const auto same = m.function("same").value()(view).value();
        const auto row = m.function("row").value()(view).value();
        const auto pair = m.function("pair").value()(view).value();
        const auto adder = host.engine.function(m.function("adder").value()(view).value()).value();
        memory.assign(4, -1);
        CHECK(same.elements<float>().value() == std::vector<float>{0, 1, 2, 3});
        CHECK(row.elements<float>().value() == std::vector<float>{2, 3});
        CHECK(pair.at(1).elements<float>().value() == std::vector<float>{0, 1, 2, 3});
        CHECK(adder(1.0).value().elements<float>().value() == std::vector<float>{1, 2, 3, 4});
    }
}

TEST_CASE("a borrowed array is read again at each call") {
    Host host;
    const auto twice = host.load("fn twice(x) = 2 * x").function("twice").value();
    std::vector<float> memory{1, 2};
    const pm::Value borrowed{pm::View(memory)};
    CHECK(twice(borrowed).value().to_text() == "[2, 4]");
    memory = {5, 6};
    CHECK(twice(pm::View(memory)).value().to_text() == "[10, 12]");
}

TEST_CASE("call_into refuses views that do not fit the results and writes nothing") {
    Host host;
    const auto f = host.load("fn f(x) = {b: x + 1, a: sum(x)}").function("f").value();
    const std::vector<float> x{1, 2};
    float sum = -1;
    std::vector<float> more(2, -1);
    const std::array arguments{pm::Value(pm::View(x))};
    REQUIRE(f.call_into(std::array{pm::MutableView(&sum, {}), pm::MutableView(more)}, arguments));
    CHECK(sum == 3);
    CHECK(more == std::vector<float>{2, 3});
    sum = -1;
    std::vector<double> wrong(2);
    const auto bad = f.call_into(std::array{pm::MutableView(&sum, {}), pm::MutableView(wrong)}, arguments);
    CHECK(bad.problem().message == "result 1 of `f` is f32[2], but the host's memory is f64[2]");
    CHECK(sum == -1);
    const auto few = f.call_into(std::array{pm::MutableView(&sum, {})}, arguments).problem();
    CHECK(few.code == "PM0910");
    CHECK(few.message.find(": 2 results, but the host gives memory for 1") != std::string::npos);
    const auto g = host.load("fn g(x) = x").function("g").value();
    const auto one = g.call_into({}, arguments).problem();
    CHECK(one.message == "`g` returns f32[2]: 1 result, but the host gives memory for 0");
    CHECK(f.call_into(std::array{pm::MutableView(&sum, {}), pm::MutableView(more.data(), {2}, {1, 1})}, arguments)
              .problem()
              .code == "PM0910");
    CHECK(sum == -1);
}

TEST_CASE("errors are values with a location, and the engine remains usable") {
    for (const bool interpret : both) {
        Host host({.interpret = interpret});
        const auto syntax = host.engine.load_text("let a = \nlet b = )\nlet c = 1", "broken.pm");
        REQUIRE_FALSE(syntax);
        CHECK(syntax.problem().file == "broken.pm");
        CHECK(syntax.problem().line >= 1);
        CHECK(syntax.problem().others.size() == 1);

        const auto unknown = host.engine.load_text("let a = 1\nlet b = aa + 1", "model.pm");
        REQUIRE_FALSE(unknown);
        CHECK(unknown.problem().code == "PM0101");
        CHECK(unknown.problem().file == "model.pm");
        CHECK(unknown.problem().line == 2);
        CHECK(unknown.problem().column == 9);
        CHECK(unknown.problem().end_line == 2);
        CHECK(unknown.problem().end_column == 11);
        CHECK(unknown.problem().text.find("let b = aa + 1") != std::string::npos);

        const auto count = host.engine.load_text("fn f(x, y) = x + y\nlet b = f(1)", "count.pm");
        REQUIRE_FALSE(count);
        REQUIRE(count.problem().labels.size() == 1);
        const pm::Place& other = count.problem().labels[0];
        CHECK(other.file == "count.pm");
        CHECK(other.line == 1);
        CHECK(other.column == 1);
        CHECK(other.end_column == 11);
        CHECK(other.text == "defined here");

        pm::Module m = host.load("fn f(x) = x @ x\nfn at(x, i) = x[i]\nfn deep(n) = deep(n + 1)\nlet k = 3");
        const std::vector<float> x{1, 2, 3, 4, 5, 6};
        CHECK(m.function("f").value()(pm::View(x, {2, 3})).problem().code == "PM0278");
        CHECK(m.function("f").value()(1, 2).problem().code == "PM0103");
        CHECK(m.function("g").problem().code == "PM0101");
        CHECK(m.function("k").problem().code == "PM0102");
        CHECK(m.function("deep").value()(1).problem().code == "PM0701");
        std::string chain = "fn f0(x) = x\n"; // a chain of calls of different functions is not recursion
        for (int i = 1; i <= 1001; ++i)
            chain += "fn f" + std::to_string(i) + "(x) = f" + std::to_string(i - 1) + "(x) + 1\n";
        const pm::Module chained = host.load(chain);
        CHECK(chained.function("f1001").value()(1).problem().message == "calls nest more than 1000 levels deep");
        CHECK(chained.function("f998").value()(1).value().number().value() == 999);
        const auto at = m.function("at").value();
        CHECK(at(pm::View(x), 5).value().number().value() == 6);
        CHECK(at(pm::View(x), 6).problem().code == "PM0501");
        CHECK(at(pm::View(x), 0).value().number().value() == 1);
        CHECK(m.run("k + 1").value().integer().value() == 4);
        CHECK_FALSE(m.run("k + nothing"));
        CHECK(m.run("let l = k * 2\nl").value().integer().value() == 6);
        CHECK(m.get("l").value().integer().value() == 6);
    }
}

TEST_CASE("a Result has a value or a problem") {
    pm::Result<int> good = 3;
    pm::Result<int> bad = pm::Problem{.code = "PM0000", .message = "no"};
    CHECK(*good == 3);
    CHECK(good.value_or(4) == 3);
    CHECK(bad.value_or(4) == 4);
    CHECK(good.problem().code.empty());
    CHECK_THROWS_AS(bad.value(), pm::NoValue);
    pm::Result<void> done;
    CHECK(done);
}

TEST_CASE("invalid configurations are refused") {
    CHECK(pm::Engine::create({.devices = 0}).problem().code == "PM0910");
    CHECK(pm::Engine::create({.devices = 5000}).problem().code == "PM0910");
    CHECK(pm::Engine::create({.workers = -1}).problem().code == "PM0910");
}

TEST_CASE("files are accessible only if the host permits it") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        ("pm_api_test_" + std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "part.pm") << "let two = 2\n";
    std::ofstream(folder / "whole.pm") << "import \"part.pm\" as part\nfn f(x) = x * part.two\n";
    const std::string path = (folder / "whole.pm").string();
    CHECK(Host().engine.load_file(path).problem().code == "PM0602");
    Host granted({.files = true});
    auto module = granted.engine.load_file(path);
    REQUIRE_MESSAGE(module, module.problem().text);
    CHECK(module->function("f").value()(4).value().integer().value() == 8);
    CHECK(granted.engine.load_file((folder / "none.pm").string()).problem().code.substr(0, 4) == "PM06");
    CHECK(granted.engine.load_text("import \"part.pm\"").problem().code == "PM0113");
    Host searching({.files = true, .module_folders = {"/nowhere", folder.string()}});
    const auto found = searching.engine.load_text("import \"part.pm\"\nfn f() = part.two");
    REQUIRE_MESSAGE(found, found.problem().text);
    CHECK(found->function("f").value()().value().integer().value() == 2);
    CHECK(Host({.module_folders = {folder.string()}}).engine.load_text("import \"part.pm\"").problem().code ==
          "PM0602");
    CHECK(granted.engine.load_text("needs_version(\"77.0\")").problem().code == "PM0128");
    CHECK(Host().engine.load_text("let t = read_text(\"x\")").problem().code == "PM0602");
    std::filesystem::remove_all(folder);
}

TEST_CASE("an engine for several processes needs the library that connects them") {
    const auto made = Engine::create({.processes = {.engine = "./no_such_library.so"}});
    REQUIRE(!made);
    CHECK(made.problem().code == "PM0519");
    CHECK(made.problem().message.find("./no_such_library.so cannot connect processes") != std::string::npos);
}

TEST_CASE("functions and values of two engines cannot be mixed") {
    for (const bool interpret : both) {
        Host a({.devices = 2, .interpret = interpret});
        Host b({.devices = 4, .interpret = interpret});
        const std::string text = "fn apply(f, x) = f(x)\nfn twice(x) = 2 * x\nfn n() = device_count()";
        pm::Module ma = a.load(text), mb = b.load(text);
        CHECK(ma.function("n").value()().value().integer().value() == 2);
        CHECK(mb.function("n").value()().value().integer().value() == 4);
        const auto own = ma.function("apply").value()(ma.get("twice").value(), 4);
        CHECK(own.value().integer().value() == 8);
        CHECK(mb.function("apply").value()(ma.get("twice").value(), 4).problem().code == "PM0910");
        CHECK(mb.function("apply")
                  .value()(pm::Value::tuple({ma.get("twice").value(), mb.get("twice").value()}), 4)
                  .problem()
                  .code == "PM0910");
    }
}

TEST_CASE("handles keep their engine alive, and values outlive their engine") {
    std::optional<pm::Function> f;
    std::optional<pm::Value> v, g;
    {
        Host host;
        pm::Module m = host.load("fn f(x) = x + ones(3)\nlet v = arange(4.0)");
        f = m.function("f").value();
        v = m.get("v").value();
        g = m.get("f").value();
    }
    CHECK((*f)(1.0).value().to_text() == "[2, 2, 2]");
    CHECK(v->to_text() == "[0, 1, 2, 3]");
    f.reset();
    CHECK(g->kind() == pm::Kind::function);
    Host other;
    CHECK(other.engine.function(*g).problem().code == "PM0910");
}

TEST_CASE("an engine that checks for NaNs reports where one arises, and remains usable") {
    for (const bool interpret : both) {
        auto engine = pm::Engine::create({.devices = 2, .interpret = interpret, .check_nans = true});
        REQUIRE(engine);
        const auto module = engine->load_text("fn step(x) = log(x)\nfn steps(x) = pmap(step)(x)", "steps.pm");
        REQUIRE(module);
        const auto steps = module->function("steps").value();
        const std::vector<float> good{1, 1}, bad{1, -1}, given{1, NAN};
        const auto refused = steps(pm::View(bad));
        REQUIRE(!refused);
        CHECK(refused.problem().code == "PM0505");
        CHECK(refused.problem().message == "`log` makes a NaN: log(-1.0)");
        CHECK(refused.problem().line == 1);
        CHECK(refused.problem().text.find("on device 1") != std::string::npos);
        CHECK(steps(pm::View(good)).value().elements<float>().value() == std::vector<float>{0, 0});
        CHECK(steps(pm::View(given)));
    }
}
