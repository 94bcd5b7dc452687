#pragma once
#include "compiler/base/account.hpp"
#include "compiler/base/digest.hpp"
#include "compiler/ir/ir.hpp"
#include "compiler/syntax/ast.hpp"
#include "runtime/array.hpp"

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace pm::stage {
struct Value;
} // namespace pm::stage

namespace std {

/// Vectors of values count towards the engine's memory limit, because the program determines their length.
template <>
class allocator<pm::stage::Value> : public pm::Counted<pm::stage::Value> {
  public:
    using Counted::Counted;
};
template <>
class allocator<pair<string, pm::stage::Value>> : public pm::Counted<pair<string, pm::stage::Value>> {
  public:
    using Counted::Counted;
};

} // namespace std

/// The stager walks the syntax tree of a program. It works with known and staged values.
namespace pm::stage {

using ir::DType;
using ir::Shape;
using ir::Type;
using runtime::Array;

class Context;
struct Function;
struct Native;
/// A string with staged values in it. Only `print`, `assert` and `fail` accept such a string.
struct Template;
struct ModuleScope;

struct None {
    bool operator==(const None&) const = default;
};

/// A number that is known during staging. Arithmetic on a number with a dtype is in this dtype. A number without a
/// dtype is weak. Arithmetic on weak numbers is in f64 or i64.
struct Number {
    enum class Kind : std::uint8_t { boolean, integer, floating, complex };
    std::int64_t i = 0;   ///< the value of a bool or an integer; for u64, its bits
    double f = 0;         ///< the value of a float; the real part of a complex number
    double imaginary = 0; ///< the imaginary part of a complex number
    Kind kind = Kind::integer;
    std::optional<DType> dtype = {};
    /// True for a computed number: a weak number or a bool that is an argument, or that was computed from an argument.
    /// A computed number has 32 bits as an operand. An integer that is used as a size has 64 bits. In compiled code,
    /// the mark means that the number must be known.
    bool computed = false;
    /// True for a weak number that was an argument or a result of a function that works on data of 64 bits. As an
    /// operand, such a number has 64 bits. False for literals.
    bool wide = false;
    /// True for a computed number in interpreted code if compiled code would be specialised for the number. Such
    /// compiled code would know the number.
    bool specialised = false;

    static Number of(bool value) { return {.i = value ? 1 : 0, .kind = Kind::boolean, .dtype = DType::b1}; }
    static Number of(std::int64_t value) { return {.i = value, .kind = Kind::integer}; }
    static Number of(double value) { return {.f = value, .kind = Kind::floating}; }
    static Number of(std::complex<double> value) {
        return {.f = value.real(), .imaginary = value.imag(), .kind = Kind::complex};
    }
    bool is_complex() const { return kind == Kind::complex; }
    /// The integer that arithmetic uses. For a computed number that is not `wide`, it is `i` wrapped to 32 bits.
    std::int64_t data() const { return computed && !wide ? static_cast<std::int32_t>(i) : i; }
    std::complex<double> as_c128() const { return {as_f64(), imaginary}; }
    /// Writes the number as element `i` of the memory at `to`, converted by the rules of casts.
    void write(DType dtype, void* to, std::int64_t i = 0) const {
        if (is_complex())
            runtime::write_c128(dtype, to, i, as_c128());
        else if (kind == Kind::floating)
            runtime::write_f64(dtype, to, i, f);
        else
            runtime::write_i64(dtype, to, i, data());
    }
    /// An array without axes with the number as its element, converted by the rules of casts.
    Array array(DType to, const std::shared_ptr<runtime::Allocator>& allocator = {}) const {
        Array made = Array::empty(to, {}, allocator);
        write(to, made.mutable_data());
        return made;
    }
    /// The number as f64. For a complex number this is the real part, so callers must call is_complex first.
    double as_f64() const {
        if (kind == Kind::floating || kind == Kind::complex) return f;
        return dtype == DType::u64 ? static_cast<double>(static_cast<std::uint64_t>(i)) : static_cast<double>(data());
    }
    /// The dtype of the number in an operation without typed operands.
    DType default_dtype() const;
    bool weak() const { return !dtype; }
    /// The number marked as a computed number, and as wide if `is_wide` is true. A bool or a number with a dtype does
    /// not change. A number for which `stays_known` is true is not marked as a computed number.
    Number as_computed(bool is_wide) const;
    /// The number marked as a literal.
    Number as_written() const;
    /// Sets the marks of this number, which was computed from `a` and `b`. It is a computed number if `a` or `b` is a
    /// computed number. It is specialised if each of `a` and `b` that is a computed number is specialised.
    void computed_from(const Number& a, const Number& b);
    void computed_from(const Number& a) { computed_from(a, a); }
    /// A copy of the number. `specialised` is true in the copy if the number is a computed number and `is` is true.
    Number specialised_if(bool is) const {
        Number made = *this;
        made.specialised = made.computed && is;
        return made;
    }
    /// Compares the bits: -0 differs from 0, and a NaN equals itself.
    bool same_as(const Number& other) const;
    /// True for a bool, because programs use known bools as options and not as data. Also true for a weak integer that
    /// does not fit into an i32 parameter.
    bool stays_known() const {
        return kind == Kind::boolean || (kind == Kind::integer && weak() && i != static_cast<std::int32_t>(i));
    }
};

/// A value of the IR: `value` of the block that is under construction in `context`.
struct Staged {
    std::shared_ptr<Context> context;
    ir::Value value;
    Type type;
    bool weak = false; ///< true if the value is a number without a dtype
};

/// A string of any length. The memory of the string counts towards the engine's memory limit.
struct Text {
    std::string text;
    runtime::Charge paid;
    std::shared_ptr<const Template> computed; ///< used instead of `text` if the string contains staged values
};
struct Tuple {
    std::vector<Value> items;
};
/// A record. The fields are in source order, but the leaves are numbered in the order of the sorted names.
struct Record {
    using Fields = std::vector<std::pair<std::string, Value>>;
    Fields fields;
    /// Null if the record has no such field.
    const Value* find(const std::string& name) const;
    Value* find(const std::string& name) {
        index_.cover(fields);
        return const_cast<Value*>(std::as_const(*this).find(name));
    }
    /// Appends a field with a name that the record does not have.
    void append(std::string name, Value value);

    /// Finds the fields of a large record. Only changes of the record make and extend the index, so several threads may
    /// read a record. A copy of a record has no index.
    class Index {
      public:
        Index() = default;
        Index(const Index&) {}
        Index& operator=(const Index&) {
            places_.reset();
            return *this;
        }
        Index(Index&&) noexcept = default;
        Index& operator=(Index&&) noexcept = default;
        ~Index() = default;
        /// The place of the field with this name. `fields.size()` if there is none.
        std::size_t find(const Fields& fields, const std::string& name) const;
        /// Extends the index to all fields, if there are many.
        void cover(const Fields& fields);

      private:
        using Entry = std::pair<const std::uint64_t, std::uint32_t>;
        using Places = std::unordered_map<std::uint64_t, std::uint32_t, std::hash<std::uint64_t>,
                                          std::equal_to<std::uint64_t>, Counted<Entry>>;
        std::unique_ptr<Places> places_; ///< by the hash of a name: the place of the first field with this hash
        std::size_t covered_ = 0;        ///< the number of fields in places_
    };
    Index index_ = {};
};
/// An iterable that is no array, tuple, string or record, such as a range or the result of zip.
struct Range;
struct ModuleValue {
    std::shared_ptr<ModuleScope> scope;
};

/// The array of a Value, in memory that the copies of the value share. The charge includes the memory of the array's
/// shape, which is allocated separately.
inline std::shared_ptr<const Array> shared_array(Array a) {
    return std::allocate_shared<Array>(Counted<Array, 2 * sizeof(void*)>(), std::move(a));
}

/// Any value of the language. A value is immutable. A copy of a value shares the content.
struct Value {
    using Node =
        std::variant<None, Number, std::shared_ptr<const Text>, DType, std::shared_ptr<const Array>,
                     std::shared_ptr<const Staged>, std::shared_ptr<const Tuple>, std::shared_ptr<const Record>,
                     std::shared_ptr<const Function>, std::shared_ptr<const Range>, ModuleValue>;
    // The C++ standard library copies and destroys a variant of up to 11 alternatives by a switch. For more
    // alternatives it uses function pointers.
    static_assert(std::variant_size_v<Node> <= 11);
    [[no_unique_address]] Node node; // the flags below are in its padding
    /// For an array: true if the array's dtype yields to other dtypes in promotion. An example is the product of an
    /// integer array and 0.5.
    bool weak = false;
    /// For a tuple or record: true if a loop over the value runs along axis 0 of its arrays and not over its items. The
    /// library function `each` sets `by_rows`.
    bool by_rows = false;

    Value() = default;
    Value(None) {}
    Value(Number n) : node(n) {}
    Value(std::string text);
    /// `paid` is the charge for the memory of `text`.
    Value(std::string text, runtime::Charge paid);
    Value(runtime::ChargedText text);
    Value(DType d) : node(d) {}
    Value(Array a) : node(shared_array(std::move(a))) {}
    Value(Array a, bool gives_way) : node(shared_array(std::move(a))), weak(gives_way) {}
    Value(std::shared_ptr<const Staged> s) : node(std::move(s)) {}
    Value(std::shared_ptr<const Function> f) : node(std::move(f)) {}
    Value(std::shared_ptr<const Range> r) : node(std::move(r)) {}
    Value(Template text);
    Value(ModuleValue m) : node(std::move(m)) {}
    static Value boolean(bool b) { return Number::of(b); }
    static Value integer(std::int64_t i) { return Number::of(i); }
    static Value floating(double f) { return Number::of(f); }
    static Value tuple(std::vector<Value> items, bool by_rows = false);
    static Value record(std::vector<std::pair<std::string, Value>> fields, bool by_rows = false);
    static Value of_record(Record record, bool by_rows = false);
    static Value staged(std::shared_ptr<Context> context, ir::Value value, Type type, bool weak = false);

    bool is_none() const { return std::holds_alternative<None>(node); }
    const Number* number() const { return std::get_if<Number>(&node); }
    const std::string* text() const {
        const Text* t = pointer<Text>();
        return t && !t->computed ? &t->text : nullptr;
    }
    const DType* dtype() const { return std::get_if<DType>(&node); }
    const Array* array() const { return pointer<Array>(); }
    /// The array, for changes in place. Null if the value is no array, or if another value or array shares its memory.
    Array* own_array() {
        const auto* held = std::get_if<std::shared_ptr<const Array>>(&node);
        if (!held || !*held || held->use_count() != 1 || !(*held)->unique()) return nullptr;
        return const_cast<Array*>(held->get()); // shared_array creates a non-const object
    }
    /// True if the value is an array, and no other value or array shares its memory.
    bool owns_array() const { return const_cast<Value*>(this)->own_array() != nullptr; }
    const Staged* staged() const { return pointer<Staged>(); }
    const Tuple* tuple() const { return pointer<Tuple>(); }
    const Record* record() const { return pointer<Record>(); }
    const Function* function() const { return pointer<Function>(); }
    const Range* range() const { return pointer<Range>(); }
    const Template* text_template() const {
        const Text* t = pointer<Text>();
        return t ? t->computed.get() : nullptr;
    }
    const ModuleValue* module() const { return std::get_if<ModuleValue>(&node); }
    /// If the value is a number that is neither complex nor a computed number, this number. Null otherwise.
    const Number* real_number() const {
        const Number* n = number();
        return n && !n->is_complex() && !n->computed ? n : nullptr;
    }
    /// Whether the value is a number, an array or a staged value.
    bool is_numeric() const { return number() || array() || staged(); }

  private:
    template <class T>
    const T* pointer() const {
        const auto* p = std::get_if<std::shared_ptr<const T>>(&node);
        return p ? p->get() : nullptr;
    }
};

static_assert(sizeof(Value) == 40); // a long tuple has many values, so a value must be small

struct Range {
    enum class Kind : std::uint8_t { range, zip, enumerate, reversed, progress };
    Kind kind = Kind::range;
    std::vector<Value> parts; ///< for `range`: first, last, step (first and last may be staged); for `progress`: the
                              ///< iterable, the label; for other kinds: the operands
};

struct Template {
    struct Piece {
        std::string text;
        Value value; ///< a numeric value; used only if has_value is true
        std::string format;
        bool has_value = false;
    };
    std::vector<Piece> pieces;
    runtime::Charge paid = charged(0); ///< the charge for the memory of the pieces
};

enum class Transformation : std::uint8_t {
    jit,
    grad,
    value_and_grad,
    vmap,
    pmap,
    checkpoint,
    custom_jvp,
    custom_vjp,
    linear_call,
};
/// The name of the transformation's native function.
std::string_view name(Transformation kind);
std::optional<Transformation> transformation_named(std::string_view text);

/// A function that a transformation returns: grad(f), vmap(f), custom_jvp(f, rule) ...
struct Transformed {
    Transformation kind{};
    std::vector<Value> functions;                         ///< the transformed function, then its custom rules
    std::vector<std::pair<std::string, Value>> options{}; ///< the named arguments that the program passes
    std::vector<Span> option_spans{};                     ///< positions of the values of the options
    Span span{};

    const Value& function() const { return functions.front(); }
};

/// The linear function that vjp or linearize returns. A pullback, which vjp returns, is a function of cotangents. The
/// result of linearize is a function of tangents.
struct LinearMap {
    bool reverse = false; ///< true for a pullback
    ir::BlockPtr block;   ///< the block's parameters are the residuals, then the (co)tangents
    std::vector<Value> residuals;
    Value arguments; ///< a tuple of the arguments of the original function. `none` replaces leaves that are not
                     ///< floating or complex. The other leaves are replaced by stand_in values, which have only a type
    Value result;    ///< the result of the original function; its leaves are stand_in values
    /// Per leaf of `result`: the index of the leaf's tangent among the results of the block. For a pullback, it is the
    /// index of the leaf's cotangent among the cotangents that the block takes. It is -1 if the block has no
    /// (co)tangent for the leaf.
    std::vector<std::int64_t> places;
};

/// A function that is written in the language.
struct Closure {
    std::shared_ptr<const syntax::Module> module; ///< contains the source text of the function
    syntax::FunctionId id;
    std::shared_ptr<ModuleScope> globals;
    std::vector<std::pair<std::string, Value>> captured; ///< values at the definition of the function
    bool local = false; ///< true if the function is defined within a function or block; its body can refer to the
                        ///< function by name

    const syntax::Function& text() const { return (*module)[id]; }
    /// The name of a parameter. Empty if the parameter is a pattern of several names.
    std::string parameter_name(const syntax::Parameter& parameter) const {
        const auto* name = std::get_if<syntax::NamePattern>(&(*module)[parameter.pattern].node);
        return name ? name->text : "";
    }
};

struct Function {
    std::string name; ///< for messages
    std::variant<Closure, const Native*, Transformed, LinearMap> kind;

    // Each of these returns null if the function is of another kind.
    const Closure* closure() const { return std::get_if<Closure>(&kind); }
    const Native* native() const {
        const auto* n = std::get_if<const Native*>(&kind);
        return n ? *n : nullptr;
    }
    const Transformed* transformed() const { return std::get_if<Transformed>(&kind); }
    const LinearMap* linear() const { return std::get_if<LinearMap>(&kind); }
    /// Whether the function is a transformed function or a linear map.
    bool is_derived() const { return transformed() || linear(); }
};

/// The tuple or record of `v`. If `v` is its only owner, the content is moved out and not copied. Each part then still
/// has a single owner.
template <class T>
T taken_from(Value& v) {
    auto& held = std::get<std::shared_ptr<const T>>(v.node);
    // Value::tuple and Value::record create non-const objects, so the cast is valid.
    if (held.use_count() == 1) return std::move(const_cast<T&>(*held));
    return *held;
}
/// The items of a tuple or the fields of a record, as taken_from.
template <class T, class Parts>
Parts parts_of(Value& v, Parts T::* parts) {
    return std::move(taken_from<T>(v).*parts);
}

/// The type of a numeric value: dtype, shape, and whether it is weak.
struct NumericType {
    Type type;
    bool weak = false;
};
NumericType numeric_type(const Value& v);

/// The description of a value in messages: "f32[3, 4]", "an integer", "a tuple of 2", "the function `f`" ...
std::string describe(const Value& v);
/// The name of a native function, or of the transformation of a derived function.
std::string_view builtin_name(const Function& f);
/// The name of a function in messages. It is `fn` if the function has no name.
std::string name_of(const Value& function);
/// The kind of the value: "array", "number", "str", "tuple", "record", "function", "none", "dtype", "module", "range",
/// "zip" ...
std::string kind_name(const Value& v);

} // namespace pm::stage
