#pragma once
/// The public interface of Polymap for C++ programs. This header needs only the standard library; link
/// `polymap::polymap`. In this header, the *host* is the C++ program that uses the interface, and a *program* is a text
/// in the language of Polymap.
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
/// - Errors: no exception crosses the interface. A function that can fail returns a Result. An engine can be used
///   after any error.
/// - Output: printed text is passed to Config::output. The library itself prints only the reason for an abort, and
///   installs no signal handler.
/// - Lifetime: Engine, Module, Function and Value are handles. Copies are cheap, and a Module or Function keeps its
///   engine alive.
/// - Threads: an engine runs one call at a time. Any thread may use its handles; the call of a second thread waits
///   for the first. Engine::cancel may be called from any thread or a signal handler. Values never change, and
///   several threads may read them at once.
/// - Processes: an engine belongs to the process that created it. In a fork of that process, a call of the engine, or
///   of its modules and functions, returns PM0910 at once. Values can be read there unless they are only on a GPU. A
///   fork may create new engines. It may create an engine with a GPU only if the parent has not created such an engine.
///   A fork that is created within a callback must not return from the callback.
/// - Memory: a View borrows memory of the host. The host must keep the memory alive and unchanged as long as a Value of
///   that View, or a copy of the Value, exists. Results never share memory with arguments. Dense arguments are read in
///   place; strided arguments are copied once.
/// - Trust: a program can use time and memory up to the deadline and the memory limit. A program can use files only if
///   Config::files is true.

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

/// A part of a program's source, and the text that is shown there. Lines and columns are numbered from 1; a column is a
/// code point. The end is one past the last character.
struct Place {
    std::string file = {};
    int line = 0;
    int column = 0;
    int end_line = 0;
    int end_column = 0;
    std::string text = {};
};

/// An error, as data.
struct Problem {
    std::string code = {};    ///< "PM0202"; stable, one code for each kind of error
    std::string message = {}; ///< one line that can be understood alone
    std::string text = {};    ///< the complete text to show: message, source lines with carets, notes, repairs
    std::string file = {};    ///< the file name; empty if the error has no place in a program
    int line = 0;             ///< from 1
    int column = 0;           ///< from 1; a column is a code point
    std::vector<std::string> help = {}; ///< concrete repairs
    std::vector<Problem> others = {};   ///< further syntax errors of the same text
    int end_line = 0;                   ///< the end of the place, one past its last character
    int end_column = 0;
    std::vector<Place> labels = {};      ///< other places, such as a declaration that the error contradicts
    std::vector<std::string> notes = {}; ///< sizes, types and names that are involved
    std::vector<Place> calls = {};       ///< the calls of the program that led to the place, innermost first; at most 8
};

/// Thrown only by Result::value(), in the host's code.
class NoValue : public std::runtime_error {
  public:
    explicit NoValue(const Problem& problem)
        : std::runtime_error(problem.text.empty() ? problem.message : problem.text), problem_(problem) {}
    const Problem& problem() const { return problem_; }

  private:
    Problem problem_;
};

/// Prints the problem to standard error and aborts the process.
[[noreturn]] PM_PUBLIC void abort_without_value(const Problem& problem) noexcept;

/// A T or a Problem. `*` and `->` need a T: if the Result has a Problem, both operators print the problem and abort the
/// process. Test the Result first, or use value(), which throws NoValue. `*` and value() of a temporary Result return a
/// T, not a reference. So `for (float x : *value.elements<float>())` reads valid memory.
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
    /// The problem. An empty Problem if the Result has a T.
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

/// Element types, named as in the language. A `boolean` is a byte, 0 or 1. f16 and bf16 have 16 bits. Complex numbers
/// are pairs (real, imaginary). A `key` is a random key of 64 bits.
enum class DType : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, key };
/// "bool", "f32" ...; "no dtype" for an invalid number.
PM_PUBLIC std::string_view dtype_name(DType dtype);
/// Bytes of one element; 0 for an invalid number.
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

/// Borrowed memory of the host: data, dtype, shape and strides in elements. Without strides the array is dense, and the
/// last axis varies fastest. Negative and zero strides are allowed. Byte is `const void` or `void`. A call returns
/// PM0910 for a view without memory, with a negative size or with strides that exceed the address range.
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
    /// A vector with several axes. The product of the sizes must not be larger than the vector. The product is checked
    /// when the view is used.
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
    /// A temporary vector cannot be borrowed.
    template <class T>
    explicit BasicView(const std::vector<T>&&) = delete;
    template <class T>
    BasicView(const std::vector<T>&&, Sizes) = delete;

    std::int64_t elements() const {
        std::uint64_t n = 1;
        for (const std::int64_t size : shape) n *= static_cast<std::uint64_t>(size);
        return static_cast<std::int64_t>(n);
    }
    std::int64_t limit = -1;                ///< the number of elements in memory; -1 if the number is not known
    std::shared_ptr<const void> owner = {}; ///< an object that keeps the memory alive; null: the host keeps it alive
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

/// Any value of the language: a number, an array, text, a function, or a tree of these. Immutable.
class PM_PUBLIC Value {
  public:
    Value(); ///< the value `none`
    /// A literal without a dtype: in an operation, `0.05` takes the dtype of the other operand. Without another
    /// operand, a literal is f32 or i32.
    template <class T>
        requires std::is_arithmetic_v<T>
    Value(T number) : Value(make_number(number)) {}
    Value(std::string_view text);
    Value(const std::string& text) : Value(std::string_view(text)) {}
    Value(const char* text) : Value(std::string_view(text)) {}
    /// An array that borrows the view's memory. If the view is invalid (sizes, strides, no memory), the error is
    /// reported by a call with this value as an argument.
    Value(const View& view);
    Value(const MutableView& view);
    /// An array with a copy of the memory.
    static Value copy_of(const View& view);
    /// One number with the dtype dtype_of<T>. Used if an argument must not be a literal without a dtype.
    template <class T>
        requires has_dtype<T>
    static Value scalar(T value) {
        return copy_of(View(&value, {}));
    }
    static Value tuple(const std::vector<Value>& items);
    static Value record(const std::vector<std::pair<std::string, Value>>& fields);

    Kind kind() const;
    /// A short description: "f32[3, 4]", "a tuple of 2", "the function `f`".
    std::string describe() const;
    /// The text that print shows.
    std::string to_text() const;

    /// The following functions are for numbers and arrays. A literal without a dtype has the dtype that it takes
    /// without another operand, but number() returns all digits of the literal.
    DType dtype() const; ///< f32 for other values
    Sizes shape() const; ///< empty for other values
    View view() const;   ///< dense memory, which the view keeps alive; data is null for other values, and also if the
                         ///< data cannot be copied from a device
    Result<double> number() const;        ///< for one element of a real type
    Result<std::int64_t> integer() const; ///< for one element of an integer type or bool
    Result<bool> boolean() const;         ///< for one element of type bool
    /// The elements, last axis fastest; T must be the element type.
    template <class T>
        requires has_dtype<T> && (!std::is_same_v<T, bool>)
    Result<std::vector<T>> elements() const {
        const View from = view();
        if (!from.data || from.dtype != dtype_of<T>) return wrong_elements(dtype_of<T>);
        const T* first = static_cast<const T*>(from.data);
        return std::vector<T>(first, first + from.elements());
    }
    /// Copies to memory of the host with the same dtype and shape, and any strides.
    Result<void> copy_to(const MutableView& to) const;

    Result<std::string> text() const;

    /// For tuples and records. A missing item is the value `none`, so one test is enough after a chain of lookups.
    std::size_t size() const; ///< number of items or fields; 0 for other values
    Value at(std::size_t index) const;
    Value at(std::string_view field) const;
    std::vector<std::string> fields() const; ///< in the order of the program
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
    std::shared_ptr<const detail::Node> node_; ///< null for the value `none`
};

// ---- engines

/// The device that runs compiled programs.
enum class Platform : std::uint8_t {
    cpu,
    gpu,          ///< the first NVIDIA GPU; if the machine has no such GPU, Engine::create returns PM0513
    gpu_emulated, ///< the kernels of a GPU, run by the CPU: slow, for tests
};

/// The precision of matrix products without `precision=` in the program. On CPUs all products have the highest
/// precision.
enum class Precision : std::uint8_t {
    standard, ///< "default": on GPUs f32 operands are multiplied as TF32 and summed as f32
    high,     ///< each product in f32 is computed by three products in TF32
    highest,  ///< products and sums of f32, with the same bits as on a CPU
};

/// The processes of a job, which share the slices of each pmap (docs/processes.md). All processes create their engines
/// and call functions in the same order, with equal arguments. Only the first process calls Config::output.
struct Processes {
    /// The library that connects the processes: a path, or a name for the system's dynamic linker such as
    /// "libpolymap_mpi.so". Empty: this process alone. Engine::create returns PM0519 if the library is missing, or if
    /// no launcher has started this process. The last copy of an engine waits for those of the other processes.
    std::string engine = {};
    /// The time for which a call waits for the other processes; then it returns PM0515. After such an error, every call
    /// that needs other processes returns an error.
    std::chrono::nanoseconds patience = std::chrono::seconds(300);
};

/// The configuration of an engine.
struct Config {
    Platform platform = Platform::cpu;
    int devices = 1; ///< number of lanes of a pmap, 1 to 4096; may be more than the cores
    int workers = 0; ///< threads that share the work, including the calling thread; 0: one per core
    /// The limit in bytes for all memory whose size depends on the program: arrays, temporaries, tuples, texts, the
    /// content of files that are read, and the compiler's memory while it compiles the program. A call that exceeds the
    /// limit returns PM0512. 0 means 7/8 of the memory that is available when the engine is created. The limit is then
    /// lower if the machine runs out of memory later.
    std::size_t memory_limit = 0;
    bool files = false; ///< true if programs may read, write and import files
    /// The folders in which an imported file is looked up, after the folder of the importing file. Used only if `files`
    /// is true.
    std::vector<std::string> module_folders = {};
    std::vector<std::string> arguments = {}; ///< `args` of the language
    std::function<void(std::string_view)> output =
        {}; ///< receives the text of print; may be called from any thread, but only from one thread at a time
    std::function<void(std::string_view)> message = {}; ///< receives rendered warnings
    std::string cache_folder = {};                      ///< folder of the cache of compiled code; empty: no cache
    /// true: the slow reference interpreter runs instead of compiled code
    bool interpret = false;
    bool exact_sharding = false; ///< true: sums over devices have the same bits for every number of devices
    /// True: operations of a processor replace subnormal numbers by 0. Such operations take some 100 cycles on many
    /// processors.
    bool flush_subnormals = false;
    bool deterministic = false; ///< true: a GPU adds floats in the order of a CPU, even if another order is faster
    /// true if an operation is an error (PM0505) when its result is NaN and no operand is NaN
    bool check_nans = false;
    bool check_overflow = false; ///< true if an integer result that wraps around is an error (PM0506)
    Precision precision = Precision::standard;
    Processes processes = {}; ///< `devices` is then the number of lanes in each process
};

/// Options of one call.
struct CallOptions {
    std::optional<std::chrono::nanoseconds> deadline =
        {};                    ///< from the start of the call, including the wait for the engine
    std::stop_token stop = {}; ///< a request ends the call with PM0510
    std::vector<std::pair<std::string, Value>> named = {}; ///< the named arguments of the function
};

/// A function of a program. The function is compiled once for each combination of argument types, at the first call.
class PM_PUBLIC Function {
  public:
    template <class... Arguments>
        requires(std::is_convertible_v<Arguments, Value> && ...)
    Result<Value> operator()(const Arguments&... arguments) const {
        const std::array<Value, sizeof...(Arguments)> list{Value(arguments)...};
        return call(list);
    }
    Result<Value> call(std::span<const Value> arguments, const CallOptions& options = {}) const;
    /// Copies the numbers and arrays of the result, in the order of Value::leaves, to the host's memory. `results` has
    /// one view for each of them, with the same dtype and shape. If a view does not fit, nothing is written.
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

/// The module of a program that has been run: its names and their values.
class PM_PUBLIC Module {
  public:
    Result<Value> get(std::string_view name) const;
    Result<Function> function(std::string_view name) const;
    std::vector<std::string> names() const; ///< sorted; empty in a fork of the engine's process
    /// The value of the program's last expression; `none` if the program does not end in an expression.
    Value value() const { return value_; }
    /// Runs more text in this module; the text can use the names of the module. Returns the value of the last
    /// expression.
    Result<Value> run(std::string_view text, const CallOptions& options = {});

  private:
    friend struct detail::Access;
    struct Scope;
    Module(std::shared_ptr<detail::Core> core, std::shared_ptr<Scope> scope, Value value);
    std::shared_ptr<detail::Core> core_;
    std::shared_ptr<Scope> scope_;
    Value value_;
};

/// An engine owns memory, workers, devices and compiled code. There may be several engines. After the host has dropped
/// a module and all functions of the module, one of the next calls frees the module. The modules that this module
/// imports are kept until the engine is destroyed.
class PM_PUBLIC Engine {
  public:
    static Result<Engine> create(Config config = {});

    /// Parses and runs a program. The `let`s and functions of the program become the names of the module. The output of
    /// the program goes to Config::output.
    Result<Module> load_file(const std::string& path, const CallOptions& options = {}) const;
    /// `name` is the file name in messages.
    Result<Module> load_text(std::string_view text, std::string name = "<text>", const CallOptions& options = {}) const;
    /// Converts a value of kind function to a Function. The value must come from this engine.
    Result<Function> function(const Value& value) const;

    /// Ends the current call of the engine with PM0510. If no call is running, nothing happens.
    void cancel() const noexcept;
    std::size_t memory_in_use() const; ///< bytes that count towards the limit; 0 in a fork of the engine's process
    std::size_t memory_peak() const;
    static std::string_view version();

  private:
    friend struct detail::Access;
    explicit Engine(std::shared_ptr<detail::Core> core) : core_(std::move(core)) {}
    std::shared_ptr<detail::Core> core_;
};

} // namespace host
} // namespace pm
