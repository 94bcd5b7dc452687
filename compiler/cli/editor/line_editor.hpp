#pragma once
#include "compiler/cli/editor/buffer.hpp"
#include "compiler/cli/editor/bytes.hpp"
#include "compiler/cli/editor/history.hpp"
#include "compiler/cli/editor/keys.hpp"
#include "compiler/cli/editor/render.hpp"
#include "compiler/cli/editor/terminal.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pm::cli::editor {

/// What can stand in place of the bytes from `begin` to the cursor. `shown` is what a list calls each.
struct Completion {
    std::size_t begin = 0;
    struct Candidate {
        std::string text;
        std::string shown;
    };
    std::vector<Candidate> candidates = {};
};

/// What the editor asks about the text.
struct Language {
    /// The text ends inside something open: Enter makes another line.
    std::function<bool(const std::string&)> incomplete;
    std::function<Completion(const std::string& text, std::size_t cursor)> complete;
    std::function<std::vector<Style>(std::string_view)> highlight; ///< none: no colours
};

/// Edits entries of several lines in a terminal.
class LineEditor {
  public:
    LineEditor(Language language, std::string history_file);

    struct Entry {
        enum class End { entered, interrupted, closed } end;
        std::string text;
    };
    /// One entry; the terminal is as it was found when this returns.
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

    /// Looking through the history for a text.
    struct Search {
        std::string wanted;
        std::string draft;                ///< what stood there before
        std::optional<std::size_t> found; ///< the entry
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
    std::string draft_;                ///< what was typed before the history was looked at
    std::optional<std::size_t> place_; ///< in the history; none: the draft
    std::optional<Search> search_;
};

/// What was pasted as it is edited: line ends as `\n`, no control characters, none at the end. When it is a transcript
/// of a session - its first line begins with the prompt - only what was entered, without prompts.
std::string cleaned_paste(std::string_view text, std::string_view prompt, std::string_view other_prompt);

} // namespace pm::cli::editor
