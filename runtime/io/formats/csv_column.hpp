#pragma once
#include "runtime/io/formats/csv.hpp"
#include "runtime/io/formats/csv_fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pm::runtime {

std::string_view trimmed(std::string_view text);
/// The number that the text represents, as f32. If the number is out of the range of f32, the result is infinite or 0.
/// Returns nullopt if the text is not a number.
std::optional<float> csv_number(std::string_view text);
/// A number with a decimal comma, rewritten with a point. Returns an empty text if `text` is not such a number.
std::string with_point(std::string_view text);
/// The text of a field as a number with a decimal point, if options.decimal is a comma and the field is a number.
/// Otherwise the text of the field without blanks. `buffer` holds the text.
std::string_view number_text(const CsvField& field, const CsvOptions& options, std::string& buffer);
/// The bool of the text: true and false, True and False, or TRUE and FALSE.
std::optional<bool> csv_bool(std::string_view text);
/// The help for text that is not a number. If the text does not show what the mistake is, returns `otherwise`.
std::string help_for_number(std::string_view text, char delimiter, std::string otherwise);
/// Whether the field is a missing entry: it is not quoted, and its text is one of `missing`.
bool is_missing(const CsvField& field, const std::vector<std::string>& missing);

/// Collects one column. A guessed column is stored as integers while all entries are integers. From the first other
/// entry on, it is stored as floats or texts.
class CsvColumnReader {
  public:
    CsvColumnReader(std::string label, const std::string& file, const CsvOptions& options, CsvType type)
        : label_(std::move(label)), file_(file), options_(options), type_(type) {}

    void add(const CsvField& field);
    /// Bytes of the collected values, including spare capacity and the copies that exist while containers grow.
    std::size_t bytes() const;
    CsvColumn finish(const std::shared_ptr<Allocator>& allocator);

  private:
    /// The type of a guessed column, as far as its entries show it.
    enum class Guess : std::uint8_t { nothing, whole, wide_whole, floating, text };

    void add_guessed(const CsvField& field, std::string_view text);
    void add_missing(const CsvField& field);
    void add_number(const CsvField& field, std::string_view text);
    void add_whole(const CsvField& field, std::string_view text);
    void add_category(const CsvField& field);
    void add_date(const CsvField& field, std::string_view text);
    void add_text(const CsvField& field);
    void add_guessed_whole(std::int64_t value);
    void add_double(std::string_view text, double value);
    void become_floats(const CsvField& field);
    /// Turns a guessed column of text that has only bools into one of bools.
    void become_bools();
    void require_f64(const CsvField& field, std::int64_t whole) const;
    [[noreturn]] void fail_inexact(const CsvField& field, std::string_view whole) const;
    /// Raises for a number with a point in a file with decimal commas, where it may separate thousands.
    void require_no_point(const CsvField& field, std::string_view text) const;
    void require_no_comma(const CsvField& field, std::string_view text) const;
    Array numbers(const std::shared_ptr<Allocator>& allocator) const;
    /// Sorts the names of the categories, and changes the codes accordingly.
    void sort_categories();
    [[noreturn]] void fail(const CsvField& field, const std::string& detail, std::string help) const;
    /// The option `na` with this text among the texts of missing entries, for messages.
    std::string with_missing(std::string_view text) const;
    [[noreturn]] void fail_mixed(const CsvField& field, std::string_view text) const;

    std::string label_;
    const std::string& file_;
    const CsvOptions& options_;
    CsvType type_;
    Guess guess_ = Guess::nothing;
    std::vector<std::string> leading_; ///< missing entries before the first entry that shows the type
    std::vector<std::int32_t> wholes_; ///< whole numbers of a guessed column, codes of categories, or days
    std::vector<double> doubles_;      ///< numbers of a column of floats
    /// The numbers whose f64 in `doubles_` rounds to another f32 than their text.
    std::vector<std::pair<std::size_t, float>> corrections_;
    bool needs_f64_ = false; ///< true if a guessed column has a whole number that f32 cannot hold, or a greater number
    std::vector<std::int64_t> longs_; ///< numbers of a column of integers or bools; for u64, their bits
    std::vector<std::string> texts_;  ///< entries of a column of text, or names of categories
    std::unordered_map<std::string, std::int32_t> codes_;
    std::size_t long_texts_ = 0; ///< heap bytes of texts_
    bool only_bools_ = true;     ///< true if every entry of a column of text is a bool without quotes
};

} // namespace pm::runtime
