#include "runtime/io/formats/npy_header.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/formats.hpp"
#include "runtime/io/formats/bytes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace pm::runtime {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Parses the header, which is a literal of a Python dictionary with three entries. Accepts no other keys, and only
/// values that the format allows.
class HeaderReader {
  public:
    HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader read() {
        NpyHeader header;
        bool have_type = false;
        bool have_order = false;
        bool have_shape = false;
        expect('{');
        while (!take('}')) {
            const std::string_view key = quoted();
            expect(':');
            if (key == "descr" && !have_type) {
                have_type = true;
                type(header);
            } else if (key == "fortran_order" && !have_order) {
                have_order = true;
                header.fortran = truth();
            } else if (key == "shape" && !have_shape) {
                have_shape = true;
                header.shape = shape();
            } else {
                fail(fmt::format("an unknown or repeated entry '{}'", excerpt(key)));
            }
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        blanks();
        if (at_ != text_.size()) fail("there is something behind the dictionary");
        if (!have_type || !have_order || !have_shape) fail("descr, fortran_order or shape is missing");
        return header;
    }

  private:
    [[noreturn]] void fail(const std::string& detail) const {
        throw Failure(FailureKind::file_malformed, fmt::format("{} is no valid .npy file: {}", name_, detail),
                      "write it anew: save_npy(path, x), or numpy.save");
    }
    void blanks() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }
    bool take(char c) {
        blanks();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(fmt::format("'{}' is missing in its header", c));
    }
    std::string_view quoted() {
        blanks();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '\'' && quote != '"') fail("a quoted word is missing in its header");
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) fail("a quote is not closed in its header");
        const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return word;
    }
    bool truth() {
        blanks();
        for (const std::string_view word : {"True", "False"})
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return word == "True";
            }
        fail("fortran_order is neither True nor False");
    }
    std::int64_t size() {
        blanks();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc{} || value < 0) fail("a size in its shape is not a number from 0 to 2^63 - 1");
        at_ = static_cast<std::size_t>(end - text_.data());
        if (at_ < text_.size() && text_[at_] == 'L') ++at_; // Python 2 wrote sizes with an L
        return value;
    }
    Shape shape() {
        Shape sizes;
        expect('(');
        while (!take(')')) {
            if (sizes.size() == 64) fail("more than 64 axes");
            sizes.push_back(size());
            if (!take(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }
    void type(NpyHeader& header) {
        blanks();
        if (at_ < text_.size() && text_[at_] == '[') unsupported("records");
        const std::string_view word = quoted();
        if (word.size() < 2) fail(fmt::format("an unknown type '{}'", excerpt(word)));
        const bool has_order = std::string_view("<>|=").find(word[0]) != std::string_view::npos;
        header.swapped = word[0] == '>';
        const std::string_view kind = has_order ? word.substr(1) : word;
        struct Named {
            std::string_view code;
            DType dtype;
        };
        constexpr Named known[] = {{"b1", DType::b1},  {"?", DType::b1},   {"i1", DType::i8},    {"i2", DType::i16},
                                   {"i4", DType::i32}, {"i8", DType::i64}, {"u1", DType::u8},    {"u2", DType::u16},
                                   {"u4", DType::u32}, {"u8", DType::u64}, {"f2", DType::f16},   {"f4", DType::f32},
                                   {"f8", DType::f64}, {"c8", DType::c64}, {"c16", DType::c128}, {"V2", DType::bf16},
                                   {"V8", DType::key}};
        for (const Named& entry : known)
            if (entry.code == kind) {
                header.dtype = entry.dtype;
                return;
            }
        if (kind.starts_with("O")) unsupported("Python objects");
        if (kind.starts_with("U") || kind.starts_with("S") || kind.starts_with("a")) unsupported("text");
        unsupported(fmt::format("elements of type '{}'", excerpt(word)));
    }
    [[noreturn]] void unsupported(std::string_view what) const {
        throw Failure(FailureKind::file_unsupported, fmt::format("{} holds {}, not numbers", name_, what),
                      "save it from NumPy with a numeric dtype: x.astype('float32')");
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
};

std::string_view type_code(DType d) {
    constexpr std::string_view codes[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2",  "<u4",
                                          "<u8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16", "|V8"};
    return codes[static_cast<std::size_t>(d)];
}

} // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(magic); }

NpyHeader parse_npy_header(std::string_view bytes, const std::string& name) {
    const auto cut = [&] {
        throw Failure(FailureKind::file_truncated, fmt::format("{} is cut short within its header", name), fetch_again);
    };
    if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size()) || bytes.empty())
        throw Failure(FailureKind::file_malformed, fmt::format("{} is no .npy file", name), reader_of(bytes, name));
    if (bytes.size() < 10) cut();
    const int version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3)
        throw Failure(FailureKind::file_unsupported,
                      fmt::format("{} is an .npy file of version {}; 1 to 3 are read", name, version));
    if (version > 1 && bytes.size() < 12) cut();
    const std::size_t length = version == 1 ? little<std::uint16_t>(bytes, 8) : little<std::uint32_t>(bytes, 8);
    const std::size_t begin = version == 1 ? 10 : 12;
    if (bytes.size() - begin < length) cut();
    NpyHeader header = HeaderReader(bytes.substr(begin, length), name).read();
    header.begin = begin + length;
    return header;
}

std::string format_npy_header(DType dtype, const Shape& shape) {
    std::string sizes;
    for (const std::int64_t size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
    if (shape.size() == 1) sizes += ",";
    std::string text =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type_code(dtype), sizes);
    const bool small = text.size() < 60000;
    const std::size_t before = small ? 10 : 12;
    while ((before + text.size() + 1) % 64 != 0) text += ' ';
    text += '\n';
    std::string out(magic);
    out += small ? '\1' : '\2';
    out += '\0';
    if (small)
        put_little(out, static_cast<std::uint16_t>(text.size()));
    else
        put_little(out, static_cast<std::uint32_t>(text.size()));
    return out + text;
}

} // namespace pm::runtime
