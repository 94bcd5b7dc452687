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
/// The number that the text is, in f32. A number out of the range of f32 is infinite or 0.
std::optional<float> csv_number(std::string_view text);
/// A number with a decimal comma, rewritten with a point. Empty if the text is not such a number.
std::string with_point(std::string_view text);
/// The help for text that is not a number. Returns `otherwise` if the text does not show the mistake.
std::string help_for_number(std::string_view text, char delimiter, std::string otherwise);
/// Whether the field is a missing entry: it is not quoted, and one of `missing`.
bool is_missing(const CsvField& field, const std::vector<std::string>& missing);

/// Collects one column. A column whose type is guessed has integers while all entries are integers, then floats, or
/// texts.
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
    enum class Guess : std::uint8_t { nothing, whole, floating, text };

    void add_guessed(const CsvField& field, std::string_view text);
    void add_missing(const CsvField& field);
    void add_number(const CsvField& field, std::string_view text);
    void add_whole(const CsvField& field, std::string_view text);
    void add_category(const CsvField& field);
    void add_date(const CsvField& field, std::string_view text);
    void add_text(const CsvField& field);
    void become_floats();
    void require_exact(const CsvField& field, std::int32_t whole) const;
    void require_no_comma(const CsvField& field, std::string_view text) const;
    Array numbers(const std::shared_ptr<Allocator>& allocator) const;
    /// Sorts the names of the categories, and changes the codes accordingly.
    void sort_categories();
    [[noreturn]] void fail(const CsvField& field, const std::string& detail, std::string help) const;
    [[noreturn]] void fail_mixed(const CsvField& field, std::string_view text) const;

    std::string label_;
    const std::string& file_;
    const CsvOptions& options_;
    CsvType type_;
    Guess guess_ = Guess::nothing;
    bool has_missing_ = false;
    std::vector<std::string> leading_; ///< missing entries before the first entry that shows the type
    std::vector<std::int32_t> wholes_; ///< of a guessed column; codes of categories; days
    std::vector<float> floats_;        ///< of a guessed column
    std::vector<double> doubles_;      ///< of a column of a float dtype
    std::vector<std::int64_t> longs_;  ///< of a column of an integer dtype or of bools; for u64, the bits
    std::vector<std::string> texts_;   ///< the texts, or the names of the categories
    std::unordered_map<std::string, std::int32_t> codes_;
    std::size_t long_texts_ = 0; ///< heap bytes of texts_
};

} // namespace pm::runtime
