#pragma once
#include "compiler/cli/editor/buffer.hpp"
#include "compiler/cli/editor/history.hpp"
#include "compiler/cli/editor/input_bytes.hpp"
#include "compiler/cli/editor/keys.hpp"
#include "compiler/cli/editor/render.hpp"
#include "compiler/cli/editor/terminal.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pm::cli::editor {

/// The replacements for the bytes from `begin` to the cursor. `shown` is the text of a candidate in the list below the
/// line.
struct Completion {
    std::size_t begin = 0;
    struct Candidate {
        std::string text;
        std::string shown;
    };
    std::vector<Candidate> candidates = {};
};

/// The functions that the editor calls, for the language of the entries.
struct Language {
    /// True if the text is not complete; Enter then begins another line.
    std::function<bool(const std::string&)> incomplete;
    std::function<Completion(const std::string& text, std::size_t cursor)> complete;
    std::function<std::vector<Style>(std::string_view)> highlight; ///< empty: no colours
};

/// Edits entries of several lines in a terminal.
class LineEditor {
  public:
    LineEditor(Language language, std::string history_file);

    struct Entry {
        enum class End { entered, interrupted, closed } end;
        std::string text;
    };
    /// Reads one entry. When read() returns, the terminal has its earlier mode again.
    Entry read(const std::string& prompt);
    void set_highlight(std::function<std::vector<Style>(std::string_view)> highlight) {
        language_.highlight = std::move(highlight);
    }

  private:
    std::optional<Entry::End> press(const KeyPress& key);
    std::optional<Entry::End> press_control(char letter);
    void press_alt(const std::string& text);
    std::optional<Entry::End> enter();
    void newline();
    void type(const std::string& text);
    void paste(const std::string& text);
    void recall(bool older);
    void complete();
    void show_list(const Completion& found);
    void search();
    bool press_in_search(const KeyPress& key);
    void search_older(std::size_t below);
    void paint();

    /// A search in the history.
    struct Search {
        std::string wanted;
        std::string draft;                ///< the text before the search
        std::optional<std::size_t> found; ///< the number of the entry that was found
        bool failed = false;
    };

    Language language_;
    Terminal terminal_;
    Bytes bytes_;
    Keys keys_;
    History history_;
    Painter painter_;
    Buffer buffer_;
    std::string prompt_;
    std::string draft_;                ///< the text that was typed before an entry of the history was shown
    std::optional<std::size_t> place_; ///< the number of the shown entry of the history; nullopt: the draft is shown
    std::optional<Search> search_;
};

/// A pasted text, prepared for the editor. Each line end becomes `\n`. Other control characters except tabs are
/// removed. Line ends at the end of the text are removed too. If the first line begins with the prompt, the text is a
/// transcript of a session: only the entries remain, without their prompts.
std::string cleaned_paste(std::string_view text, std::string_view prompt, std::string_view other_prompt);

} // namespace pm::cli::editor
