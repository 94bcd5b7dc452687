#pragma once
/// Polymap in a program of yours. This header needs the standard library alone; link `polymap::polymap`.
///
///     int main() {
///         const auto fail = [](const pm::Problem& problem) { return std::fputs(problem.text.c_str(), stderr), 1; };
///         const auto engine = pm::Engine::create({.devices = 2});
///         if (!engine) return fail(engine.problem()); // errors are values
///         const auto module = engine->load_text("fn loss(w, x, y) = mean((x @ w - y) ** 2)\n"
///                                               "fn step(w, x, y) = value_and_grad(loss)(w, x, y)");
///         if (!module) return fail(module.problem());
///         const auto step = module->function("step"); // looked up once
///         if (!step) return fail(step.problem());
///
///         std::vector<float> w{1, 2}, x{1, 0, 0, 1, 1, 1}, y{0, 0, 0}, gradient(2);
///         const auto result = (*step)(pm::View(w, {2}), pm::View(x, {3, 2}), pm::View(y, {3}));
///         if (!result) return fail(result.problem());
///         const auto loss = result->at(0).number();
///         if (!loss) return fail(loss.problem());
///         const auto copied = result->at(1).copy_to(pm::MutableView(gradient, {2}));
///         if (!copied) return fail(copied.problem());
///         std::printf("loss %.3f\n", *loss);
///         return 0;
///     }
///
/// Errors. Nothing here throws across the border: what can fail gives a Result, and an engine can be used after any
/// error. Silence. The library installs no signal handler, and printed text goes to Config::output; the library itself
/// prints one thing alone, the reason of an abort. Lifetime. Engine, Module, Function and Value are handles: copying is
/// cheap, and a Module or Function keeps its engine alive. Threads. An engine runs one thing at a time. Its handles may
/// be used from any thread; a second thread's call waits for the first.
///   Engine::cancel may come from any thread or a signal handler. Values never change and may be read by several
///   threads at once.
/// Processes. An engine belongs to the process that made it. In a fork all that uses it, or a Module or Function of it,
/// gives PM0910 at once; Values can be read, but for those that are on a GPU alone. A fork may make engines of its own,
/// with a GPU only where the parent has made none with one. A fork within a callback must not return from it.
/// Memory. A View borrows: the host keeps the memory alive and unchanged as long as a Value made of it, or a copy of
/// that, lives.
///   Results never share memory with arguments. Dense arguments are read where they are; strided ones are copied once.
/// Trust. A program can use time and memory, which deadline and memory limit bound; it reaches files only when
/// Config::files says so.

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if defined(__GNUC__)
#define PM_PUBLIC __attribute__((visibility("default")))
#else
#define PM_PUBLIC
#endif

namespace pm {
inline namespace host {

// ---- errors

/// A part of a program's text and what is to be seen there. Lines and columns count from 1, columns in code points; the
/// end lies behind the last character.
struct Place {
    std::string file = {};
    int line = 0;
    int column = 0;
    int end_line = 0;
    int end_column = 0;
    std::string text = {};
};

/// What went wrong, as data.
struct Problem {
    std::string code = {};              ///< "PM0202"; stable, one per kind of mistake
    std::string message = {};           ///< one line that makes sense alone
    std::string text = {};              ///< for people: message, source lines with carets, notes, what would help
    std::string file = {};              ///< empty when it has no place in a program
    int line = 0;                       ///< from 1
    int column = 0;                     ///< from 1, in code points
    std::vector<std::string> help = {}; ///< concrete repairs
    std::vector<Problem> others = {};   ///< further syntax errors of the same text
    int end_line = 0;                   ///< where the place ends: behind its last character
    int end_column = 0;
    std::vector<Place> labels = {};      ///< other places that take part, such as the one that disagrees
    std::vector<std::string> notes = {}; ///< sizes, types and names that are involved
};

/// Thrown by Result::value() alone, in the host's own code.
class NoValue : public std::runtime_error {
  public:
    explicit NoValue(const Problem& problem)
        : std::runtime_error(problem.text.empty() ? problem.message : problem.text), problem_(problem) {}
    const Problem& problem() const { return problem_; }

  private:
    Problem problem_;
};

/// Tells the problem on the standard error stream and aborts the process.
[[noreturn]] PM_PUBLIC void abort_without_value(const Problem& problem) noexcept;

/// A T or a Problem. `*` and `->` need a T: without one the problem is printed and the process aborted, so test first,
/// or use value(), which throws NoValue. From a Result that is about to go they give a T of its own, not a reference:
/// `for (float x : *value.elements<float>())` reads memory that is there.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Problem problem) : state_(std::in_place_index<1>, std::move(problem)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& operator*() & { return get(); }
    const T& operator*() const& { return const_cast<Result*>(this)->get(); }
    T operator*() && { return std::move(get()); }
    T* operator->() { return &get(); }
    const T* operator->() const { return &const_cast<Result*>(this)->get(); }
    T& value() & { return need(), get(); }
    const T& value() const& { return need(), **this; }
    T value() && { return need(), std::move(get()); }
    template <class U>
    T value_or(U&& other) const& {
        return ok() ? **this : static_cast<T>(std::forward<U>(other));
    }
    /// The problem; an empty one when there is none.
    const Problem& problem() const& {
        static const Problem none;
        const Problem* p = std::get_if<1>(&state_);
        return p ? *p : none;
    }
    Problem problem() && { return std::as_const(*this).problem(); }

  private:
    void need() const {
        if (!ok()) throw NoValue(problem());
    }
    T& get() {
        T* value = std::get_if<0>(&state_);
        if (!value) abort_without_value(problem());
        return *value;
    }
    std::variant<T, Problem> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Problem problem) : problem_(std::move(problem)) {}
    bool ok() const { return !problem_; }
    explicit operator bool() const { return ok(); }
    void value() const {
        if (problem_) throw NoValue(*problem_);
    }
    const Problem& problem() const& {
        static const Problem none;
        return problem_ ? *problem_ : none;
    }
    Problem problem() && { return std::as_const(*this).problem(); }

  private:
    std::optional<Problem> problem_;
};

// ---- arrays of the host

/// Element types, named as in the language. A `boolean` is a byte, 0 or 1; f16 and bf16 are 16 bits; complex numbers
/// are (real, imaginary); a `key` is a random key of 64 bits.
enum class DType : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, key };
/// "bool", "f32" ...; "no dtype" for a number that is none.
PM_PUBLIC std::string_view dtype_name(DType dtype);
/// Of one element; 0 for a number that is no dtype.
PM_PUBLIC std::size_t dtype_bytes(DType dtype);

/// The element type of a C++ type: dtype_of<float> is DType::f32.
template <class T>
inline constexpr bool has_dtype = std::is_arithmetic_v<T> && !std::is_same_v<T, long double>;
template <>
inline constexpr bool has_dtype<std::complex<float>> = true;
template <>
inline constexpr bool has_dtype<std::complex<double>> = true;
template <class T>
    requires has_dtype<T>
constexpr DType dtype_for() {
    if constexpr (std::is_same_v<T, bool>)
        return DType::boolean;
    else if constexpr (std::is_same_v<T, float>)
        return DType::f32;
    else if constexpr (std::is_same_v<T, double>)
        return DType::f64;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return DType::c64;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return DType::c128;
    else {
        constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<DType>(static_cast<int>(std::is_signed_v<T> ? DType::i8 : DType::u8) + width);
    }
}
template <class T>
inline constexpr DType dtype_of = dtype_for<std::remove_cv_t<T>>();

using Sizes = std::vector<std::int64_t>;

/// Borrowed memory of the host: data, dtype, shape and strides in elements (none given: dense, the last axis fastest;
/// negative and zero strides are allowed). Byte is `const void` or `void`. A call refuses, with PM0910, a view without
/// memory, with a negative size or with strides that reach further than memory can.
template <class Byte>
struct BasicView {
    Byte* data = nullptr;
    DType dtype = DType::f32;
    Sizes shape;
    Sizes strides;

    template <class T>
    using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;

    BasicView() = default;
    BasicView(Byte* memory, DType type, Sizes sizes, Sizes steps = {})
        : data(memory), dtype(type), shape(std::move(sizes)), strides(std::move(steps)) {}
    template <class T>
        requires has_dtype<std::remove_cv_t<T>> && std::is_convertible_v<T*, Byte*>
    BasicView(T* memory, Sizes sizes, Sizes steps = {})
        : data(memory), dtype(dtype_of<T>), shape(std::move(sizes)), strides(std::move(steps)) {}
    /// One axis, dense.
    template <class T>
        requires has_dtype<std::remove_cv_t<T>> && std::is_convertible_v<T*, Byte*>
    explicit BasicView(std::span<T> memory) : BasicView(memory.data(), {static_cast<std::int64_t>(memory.size())}) {}
    template <class T>
        requires has_dtype<T> && std::is_const_v<Byte> && (!std::is_same_v<T, bool>)
    explicit BasicView(const std::vector<T>& memory)
        : BasicView(memory.data(), {static_cast<std::int64_t>(memory.size())}) {}
    template <class T>
        requires has_dtype<T> && (!std::is_same_v<T, bool>)
    explicit BasicView(std::vector<T>& memory) : BasicView(memory.data(), {static_cast<std::int64_t>(memory.size())}) {}
    /// A vector with its axes: the product of the sizes must not be larger than the vector, which is checked when the
    /// view is used.
    template <class T>
        requires has_dtype<T> && std::is_const_v<Byte> && (!std::is_same_v<T, bool>)
    BasicView(const std::vector<T>& memory, Sizes sizes) : BasicView(memory.data(), std::move(sizes)) {
        limit = static_cast<std::int64_t>(memory.size());
    }
    template <class T>
        requires has_dtype<T> && (!std::is_same_v<T, bool>)
    BasicView(std::vector<T>& memory, Sizes sizes) : BasicView(memory.data(), std::move(sizes)) {
        limit = static_cast<std::int64_t>(memory.size());
    }
    /// A vector that is about to go cannot be borrowed.
    template <class T>
    explicit BasicView(const std::vector<T>&&) = delete;
    template <class T>
    BasicView(const std::vector<T>&&, Sizes) = delete;

    std::int64_t elements() const {
        std::uint64_t n = 1;
        for (const std::int64_t size : shape) n *= static_cast<std::uint64_t>(size);
        return static_cast<std::int64_t>(n);
    }
    std::int64_t limit = -1;                ///< elements that are there, where that is known
    std::shared_ptr<const void> owner = {}; ///< keeps the memory alive; none: the host does
};
using View = BasicView<const void>;
using MutableView = BasicView<void>;

// ---- values of the language

namespace detail {
struct Node;
struct Core;
struct Access;
} // namespace detail

enum class Kind : std::uint8_t { none, number, array, text, tuple, record, function, other };

/// Any value of the language: a number, an array, text, a tree of these, a function. Immutable.
class PM_PUBLIC Value {
  public:
    Value(); ///< none
    /// Numbers are literals: `0.05` takes the dtype of what it meets, f32 or i32 where it meets nothing.
    template <class T>
        requires std::is_arithmetic_v<T>
    Value(T number) : Value(make_number(number)) {}
    Value(std::string_view text);
    Value(const std::string& text) : Value(std::string_view(text)) {}
    Value(const char* text) : Value(std::string_view(text)) {}
    /// Borrows. A view that makes no sense (sizes, strides, no memory) is reported by the call it is given to.
    Value(const View& view);
    Value(const MutableView& view);
    /// An array with memory of its own.
    static Value copy_of(const View& view);
    /// One element of dtype_of<T>, where a literal would be wrong.
    template <class T>
        requires has_dtype<T>
    static Value scalar(T value) {
        return copy_of(View(&value, {}));
    }
    static Value tuple(const std::vector<Value>& items);
    static Value record(const std::vector<std::pair<std::string, Value>>& fields);

    Kind kind() const;
    /// In words: "f32[3, 4]", "a tuple of 2", "the function `f`".
    std::string describe() const;
    /// As print shows it.
    std::string to_text() const;

    /// Numbers and arrays. A number that is a literal still has the dtype it would take; its number() has all its
    /// digits.
    DType dtype() const; ///< f32 for what is no array
    Sizes shape() const; ///< empty for what is no array
    View view() const; ///< dense memory, which the view keeps alive; no data for what is no array, or cannot be brought
                       ///< from a device
    Result<double> number() const;        ///< one element of a real type
    Result<std::int64_t> integer() const; ///< one element of an integer type or bool
    Result<bool> boolean() const;         ///< one element of type bool
    /// The elements, last axis fastest; T must be the element type.
    template <class T>
        requires has_dtype<T> && (!std::is_same_v<T, bool>)
    Result<std::vector<T>> elements() const {
        const View from = view();
        if (!from.data || from.dtype != dtype_of<T>) return wrong_elements(dtype_of<T>);
        const T* first = static_cast<const T*>(from.data);
        return std::vector<T>(first, first + from.elements());
    }
    /// Into memory of the host with the same dtype and shape; strides as it likes.
    Result<void> copy_to(const MutableView& to) const;

    Result<std::string> text() const;

    /// Tuples and records. What is not there is `none`, so that a chain of lookups ends in one test.
    std::size_t size() const; ///< items or fields; 0 for everything else
    Value at(std::size_t index) const;
    Value at(std::string_view field) const;
    std::vector<std::string> fields() const; ///< in the order written
    /// All numbers and arrays of a tree: items in order, fields by sorted name.
    std::vector<Value> leaves() const;

  private:
    friend struct detail::Access;
    explicit Value(std::shared_ptr<const detail::Node> node) : node_(std::move(node)) {}
    template <class T>
    static Value make_number(T number) {
        if constexpr (std::is_same_v<T, bool>)
            return make_boolean(number);
        else if constexpr (std::is_floating_point_v<T>)
            return make_floating(static_cast<double>(number));
        else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
            return number > INT64_MAX ? scalar(std::uint64_t{number}) : make_integer(static_cast<std::int64_t>(number));
        else
            return make_integer(static_cast<std::int64_t>(number));
    }
    static Value make_boolean(bool value);
    static Value make_integer(std::int64_t value);
    static Value make_floating(double value);
    Problem wrong_elements(DType wanted) const;
    std::shared_ptr<const detail::Node> node_; ///< null: none
};

// ---- engines

/// What runs compiled programs.
enum class Platform : std::uint8_t {
    cpu,
    gpu,          ///< the first GPU of NVIDIA; where there is none Engine::create gives PM0513
    gpu_emulated, ///< the kernels of a GPU, run by the processor: slow, for tests
};

/// How exact products of matrices are that do not say it themselves (`precision=` of the language). On processors all
/// are exact.
enum class Precision : std::uint8_t {
    standard, ///< "default": on GPUs f32 is multiplied as TF32 and summed as f32
    high,     ///< three products of TF32 for one of f32
    highest,  ///< products and sums of f32, with the bits of a processor
};

/// What a host grants an engine.
struct Config {
    Platform platform = Platform::cpu;
    int devices = 1; ///< lanes that pmap runs over, 1 to 4096; may outnumber the cores
    int workers = 0; ///< threads that share the work, with the calling one; 0: as many as cores
    /// Bytes for all that a program can make grow: arrays, temporaries, tuples, texts, files that are read, programs
    /// under way. More is PM0512. 0: 7/8 of what is available at the start, as long as the machine has memory left.
    std::size_t memory_limit = 0;
    bool files = false;                      ///< programs may read and write files and import them
    std::vector<std::string> arguments = {}; ///< `args` of the language
    std::function<void(std::string_view)> output =
        {}; ///< text of print; may be called from another thread, one at a time
    std::function<void(std::string_view)> message = {}; ///< warnings, rendered
    std::string cache_folder = {};                      ///< compiled code is kept here; empty: nowhere
    bool interpret = false;                             ///< the slow reference interpreter instead of compiled code
    bool exact_sharding = false; ///< sums over devices have the same bits for every number of devices
    bool deterministic = false;  ///< a GPU adds floats in the order of a processor where another is faster
    bool check_nans = false;     ///< the first operation that makes a NaN of what holds none is an error: PM0505
    Precision precision = Precision::standard;
};

/// What holds for one call.
struct CallOptions {
    std::optional<std::chrono::nanoseconds> deadline = {}; ///< from now; waiting for the engine counts
    std::stop_token stop = {};                             ///< a request ends the call with PM0510
    std::vector<std::pair<std::string, Value>> named = {}; ///< named arguments of a function
};

/// A function of a program. Each combination of argument types is compiled once, at the first call.
class PM_PUBLIC Function {
  public:
    template <class... Arguments>
        requires(std::is_convertible_v<Arguments, Value> && ...)
    Result<Value> operator()(const Arguments&... arguments) const {
        const std::array<Value, sizeof...(Arguments)> list{Value(arguments)...};
        return call(list);
    }
    Result<Value> call(std::span<const Value> arguments, const CallOptions& options = {}) const;
    /// The numbers and arrays of the result, in the order of Value::leaves, go into the host's memory: one view each,
    /// with the same dtype and shape. Nothing is written unless all fit.
    Result<void> call_into(std::span<const MutableView> results, std::span<const Value> arguments,
                           const CallOptions& options = {}) const;
    std::string name() const;

  private:
    friend struct detail::Access;
    Function(std::shared_ptr<detail::Core> core, Value value, std::string name);
    std::shared_ptr<detail::Core> core_;
    Value value_;
    std::string name_;
};

/// The names of a program that has been run.
class PM_PUBLIC Module {
  public:
    Result<Value> get(std::string_view name) const;
    Result<Function> function(std::string_view name) const;
    std::vector<std::string> names() const; ///< sorted; none in a fork of the engine's process
    /// Of the program's last expression; none when it ends otherwise.
    Value value() const { return value_; }
    /// Runs more text in this module, which sees and adds to its names; the value of the last expression.
    Result<Value> run(std::string_view text, const CallOptions& options = {});

  private:
    friend struct detail::Access;
    struct Scope;
    Module(std::shared_ptr<detail::Core> core, std::shared_ptr<Scope> scope, Value value);
    std::shared_ptr<detail::Core> core_;
    std::shared_ptr<Scope> scope_;
    Value value_;
};

/// Memory, workers, devices and compiled code. Several live side by side. A module goes with one of the next calls
/// after the host has dropped it and all its functions; what it has imported stays until the engine goes.
class PM_PUBLIC Engine {
  public:
    static Result<Engine> create(Config config = {});

    /// Parses and runs a program: its `let`s and functions become the module's names, what it prints goes to
    /// Config::output.
    Result<Module> load_file(const std::string& path, const CallOptions& options = {}) const;
    /// `name` stands for the file in messages.
    Result<Module> load_text(std::string_view text, std::string name = "<text>", const CallOptions& options = {}) const;
    /// A value of kind function as something to call: it must come from this engine.
    Result<Function> function(const Value& value) const;

    /// Ends what the engine runs now with PM0510; nothing when it runs nothing.
    void cancel() const noexcept;
    std::size_t memory_in_use() const; ///< bytes that count against the limit; 0 in a fork of the engine's process
    std::size_t memory_peak() const;
    static std::string_view version();

  private:
    friend struct detail::Access;
    explicit Engine(std::shared_ptr<detail::Core> core) : core_(std::move(core)) {}
    std::shared_ptr<detail::Core> core_;
};

} // namespace host
} // namespace pm
