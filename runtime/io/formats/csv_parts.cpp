#include "runtime/io/formats/csv_parts.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats/csv_fields.hpp"
#include "runtime/io/gzip.hpp"

#include <fmt/format.h>

#include <optional>

namespace pm::runtime {
namespace {

/// The lines of a file. The file is read in pieces.
class FileLines {
  public:
    FileLines(const std::string& path, const CsvOptions& options, const std::shared_ptr<Allocator>& allocator)
        : path_(path), options_(options), charge_(allocator) {
        load();
        if (is_gzip(text_))
            throw Failure(FailureKind::file_unsupported, fmt::format("{} is packed, so it has no parts", path),
                          "unpack it first, or read it whole: read_csv(path)");
        while (options.skip > 0 && !tried([&] { lines_->skip(options.skip); })) grow();
        keep();
    }

    /// The offset of the next line in the file, and the number of that line.
    std::uint64_t place() const { return offset_ + place_; }
    std::int64_t line() const { return line_; }

    /// Takes the next line that is neither empty nor a comment. Returns false at the end of the file.
    bool next() {
        for (;;) {
            bool found = false;
            if (tried([&] { found = lines_->next(fields_); })) {
                keep();
                return found;
            }
            if (place_ == 0) {
                grow();
            } else {
                offset_ += place_;
                load();
            }
        }
    }

  private:
    /// Reads the piece from `offset_`.
    void load() {
        charge_.resize(0);
        text_ = {};
        charge_.resize(piece_ + 1);
        text_ = read_range(path_, offset_, piece_, options_.poll);
        is_last_ = text_.size() < piece_;
        lines_.emplace(text_, options_.delimiter, options_.comment, path_, options_.poll);
        lines_->continue_from(line_);
        place_ = 0;
    }
    /// Reads a longer piece from the same place.
    void grow() {
        piece_ *= 2;
        load();
    }
    void keep() {
        place_ = lines_->place();
        line_ = lines_->line();
    }
    /// Runs `work`, which takes lines. Returns false if the piece ends within the last taken line, or at its end. That
    /// line may then continue in the next piece.
    template <class Work>
    bool tried(const Work& work) {
        try {
            work();
        } catch (const Failure& f) {
            if (is_last_ || f.kind() != FailureKind::file_malformed || lines_->place() < text_.size()) throw;
            return false;
        }
        return is_last_ || lines_->place() < text_.size();
    }

    const std::string& path_;
    const CsvOptions& options_;
    Charge charge_;
    std::uint64_t piece_ = 4 << 20; ///< the length of the pieces, in bytes
    std::uint64_t offset_ = 0;      ///< the offset of the piece in the file
    std::string text_;
    bool is_last_ = false;
    std::optional<CsvLines> lines_;
    std::vector<CsvField> fields_;
    std::size_t place_ = 0; ///< the offset in the piece of the end of the last line that was taken
    std::int64_t line_ = 1;
};

} // namespace

std::vector<CsvPart> csv_parts(const std::string& path, std::int64_t rows, const CsvOptions& options,
                               const std::shared_ptr<Allocator>& allocator) {
    if (rows < 1) throw Failure(FailureKind::bad_argument, fmt::format("a part has at least one row, not {}", rows));
    FileLines lines(path, options, allocator);
    if (options.header && !lines.next()) fail_empty_csv(path);
    std::vector<CsvPart> parts;
    Charge charge(allocator);
    CsvPart part{lines.place(), lines.place(), lines.place(), lines.line()};
    for (std::int64_t taken = 0; lines.next();) {
        part.end = lines.place();
        if (++taken < rows) continue;
        parts.push_back(part);
        charge.cover(2 * parts.capacity() * sizeof(CsvPart));
        part = {part.header, lines.place(), lines.place(), lines.line()};
        taken = 0;
    }
    if (part.begin < part.end) parts.push_back(part);
    return parts;
}

std::vector<CsvColumn> read_csv_part(const std::string& path, const CsvPart& part, const CsvOptions& options,
                                     const std::shared_ptr<Allocator>& allocator) {
    const std::uint64_t size = part.end - part.begin;
    const Charge charge(allocator, 2 * (part.header + size));
    std::string text = read_range(path, 0, part.header, options.poll);
    const std::string rows = read_range(path, part.begin, size, options.poll);
    if (text.size() < part.header || rows.size() < size)
        throw Failure(FailureKind::file_malformed, fmt::format("{} has changed since it was divided into parts", path),
                      "divide it again");
    text += rows;
    return parse_csv(text, path, options, allocator, CsvRows{part.header, part.line});
}

} // namespace pm::runtime
