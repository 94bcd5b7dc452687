#include "compiler/cli/editor/line_editor.hpp"

#include "compiler/cli/editor/characters.hpp"

#include <algorithm>
#include <clocale>
#include <cstring>

namespace pm::cli::editor {
namespace {

constexpr std::string_view other_prompt = "... ";
constexpr std::string_view indent = "    ";

bool blank(std::string_view text) { return text.find_first_not_of(" \t\n") == std::string_view::npos; }

/// Whether the last two lines are empty. If so, the entry ends, even if it is incomplete.
bool given_up(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\n");
    if (last == std::string_view::npos) return true;
    return std::count(text.begin() + static_cast<std::ptrdiff_t>(last), text.end(), '\n') >= 2;
}

} // namespace

std::string cleaned_paste(std::string_view text, std::string_view prompt, std::string_view more_prompt) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (text[i] == '\r') {
            plain += '\n';
            if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
        } else if (text[i] == '\n' || text[i] == '\t' || (byte >= 0x20U && byte != 0x7FU)) {
            plain += text[i];
        }
    }
    while (!plain.empty() && plain.back() == '\n') plain.pop_back();
    if (plain.compare(0, prompt.size(), prompt) != 0) return plain;
    std::string entered;
    for (std::size_t at = 0; at <= plain.size();) {
        const std::size_t end = std::min(plain.find('\n', at), plain.size());
        const std::string_view line = std::string_view(plain).substr(at, end - at);
        for (const std::string_view p : {prompt, more_prompt})
            if (line.substr(0, p.size()) == p) {
                entered += std::string(line.substr(p.size())) + "\n";
                break;
            }
        at = end + 1;
    }
    if (!entered.empty()) entered.pop_back();
    return entered;
}

LineEditor::LineEditor(Language language, std::string history_file)
    : language_(std::move(language)), keys_({[this](int milliseconds) { return bytes_.next(milliseconds); }}),
      history_(std::move(history_file)) {
    // The width of characters depends on the locale. Texts are UTF-8, so a UTF-8 locale is needed.
    const char* locale = std::setlocale(LC_CTYPE, "");
    if (!locale || !std::strstr(locale, "UTF-8")) std::setlocale(LC_CTYPE, "C.UTF-8");
}

void LineEditor::paint() {
    const Terminal::Size size = terminal_.size();
    View view;
    view.first_prompt = prompt_;
    view.other_prompt = std::string(other_prompt);
    if (search_)
        view.first_prompt = std::string(search_->failed ? "nothing has" : "search") + " `" + search_->wanted + "`: ";
    view.text = buffer_.text();
    view.cursor = buffer_.cursor();
    if (language_.highlight) view.styles = language_.highlight(view.text);
    view.columns = size.columns;
    view.rows = size.rows;
    terminal_.write(painter_.paint(lay_out(view), size.columns));
}

LineEditor::Entry LineEditor::read(const std::string& prompt) {
    prompt_ = prompt;
    buffer_.set({});
    place_.reset();
    search_.reset();
    painter_.forget();
    Bytes::forget_signals();
    terminal_.edit();
    std::optional<Entry::End> end;
    while (!end) {
        // If more keys are already available, the editor paints only before the last of these keys.
        if (!bytes_.more()) paint();
        end = press(keys_.read());
    }
    if (*end == Entry::End::interrupted) {
        paint();
        terminal_.write("^C");
    } else {
        search_.reset();
        buffer_.text_end();
        paint();
    }
    terminal_.write(painter_.leave());
    terminal_.restore();
    Entry entry{*end, buffer_.text()};
    if (*end == Entry::End::entered) history_.add(entry.text);
    return entry;
}

// ---- keys

std::optional<LineEditor::Entry::End> LineEditor::press(const KeyPress& key) {
    if (search_ && press_in_search(key)) return {};
    switch (key.key) {
    case Key::character: type(key.text); break;
    case Key::paste: paste(key.text); break;
    case Key::control: return press_control(key.text[0]);
    case Key::alt: press_alt(key.text); break;
    case Key::enter: return enter();
    case Key::alt_enter: newline(); break;
    case Key::tab: complete(); break;
    case Key::back_tab: break;
    case Key::backspace: buffer_.erase_left(); break;
    case Key::remove: buffer_.erase_right(); break;
    case Key::left: buffer_.left(); break;
    case Key::right: buffer_.right(); break;
    case Key::up:
        if (!buffer_.up()) recall(true);
        break;
    case Key::down:
        if (!buffer_.down()) recall(false);
        break;
    case Key::word_left: buffer_.word_left(); break;
    case Key::word_right: buffer_.word_right(); break;
    case Key::home: buffer_.line_start(); break;
    case Key::end: buffer_.line_end(); break;
    case Key::page_up: buffer_.text_start(); break;
    case Key::page_down: buffer_.text_end(); break;
    case Key::interrupt: return Entry::End::interrupted;
    case Key::closed: return Entry::End::closed;
    case Key::escape:
    case Key::resized:
    case Key::unknown: break;
    }
    return {};
}

std::optional<LineEditor::Entry::End> LineEditor::press_control(char letter) {
    switch (letter) {
    case 'a': buffer_.line_start(); break;
    case 'b': buffer_.left(); break;
    case 'c': return Entry::End::interrupted;
    case 'd':
        if (buffer_.empty()) return Entry::End::closed;
        buffer_.erase_right();
        break;
    case 'e': buffer_.line_end(); break;
    case 'f': buffer_.right(); break;
    case 'k': buffer_.cut_line_end(); break;
    case 'l': terminal_.write(painter_.clear_screen()); break;
    case 'n': recall(false); break;
    case 'p': recall(true); break;
    case 'r': search(); break;
    case 't': buffer_.swap_characters(); break;
    case 'u': buffer_.cut_line_start(); break;
    case 'w': buffer_.cut_word_left(); break;
    case 'y': buffer_.yank(); break;
    case 'z':
        terminal_.write(painter_.leave());
        terminal_.suspend();
        break;
    case '_': buffer_.undo(); break;
    default: break;
    }
    return {};
}

void LineEditor::press_alt(const std::string& text) {
    if (text == "b") buffer_.word_left();
    if (text == "f") buffer_.word_right();
    if (text == "d") buffer_.cut_word_right();
    if (text == "<") buffer_.text_start();
    if (text == ">") buffer_.text_end();
}

std::optional<LineEditor::Entry::End> LineEditor::enter() {
    const std::string& text = buffer_.text();
    if (blank(text)) {
        // An empty entry: the next prompt follows.
        buffer_.set({});
        return Entry::End::entered;
    }
    const bool at_end = blank(std::string_view(text).substr(buffer_.cursor()));
    if (language_.incomplete(text) && !(at_end && given_up(text))) {
        newline();
        return {};
    }
    return Entry::End::entered;
}

namespace {

/// The indentation of the line after `line`: the indentation of `line`, plus one step if `line` ends in an open
/// bracket.
std::size_t indentation_after(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t last = line.find_last_not_of(" \t");
    return (begin == std::string_view::npos ? line.size() : begin) +
           (last != std::string_view::npos && std::strchr("{([", line[last]) ? indent.size() : 0);
}

} // namespace

void LineEditor::newline() { buffer_.insert("\n" + std::string(indentation_after(buffer_.before_cursor()), ' ')); }

/// A closing bracket at the beginning of a line removes one step of the automatic indentation.
void LineEditor::type(const std::string& text) {
    const std::string_view line = buffer_.before_cursor();
    const std::string_view above = std::string_view(buffer_.text()).substr(0, buffer_.cursor() - line.size());
    if ((text == "}" || text == ")" || text == "]") && !above.empty() && !line.empty() && blank(line)) {
        // 0 if there is no previous line
        const std::size_t from = above.substr(0, above.size() - 1).rfind('\n') + 1;
        if (line.size() == indentation_after(above.substr(from, above.size() - 1 - from))) buffer_.erase_left();
    }
    buffer_.insert(text);
}

void LineEditor::paste(const std::string& text) {
    buffer_.insert(cleaned_paste(text, buffer_.empty() ? prompt_ : std::string("\n"), other_prompt));
}

// ---- the history

void LineEditor::recall(bool older) {
    if (!place_) {
        if (!older) return;
        draft_ = buffer_.text();
    }
    const std::size_t from = place_.value_or(history_.entries().size());
    const auto found = older ? history_.older(from, draft_, false, buffer_.text())
                             : history_.newer(from, draft_, false, buffer_.text());
    if (!found && older) return;
    place_ = found;
    buffer_.set(found ? history_.entries()[*found] : draft_);
}

void LineEditor::search() {
    search_ = Search{};
    search_->draft = buffer_.text();
}

void LineEditor::search_older(std::size_t below) {
    const auto found = history_.older(below, search_->wanted, true);
    search_->failed = !found && !search_->wanted.empty();
    if (!found) return;
    search_->found = found;
    buffer_.set(history_.entries()[*found]);
}

/// Handles a key during a search. If the key is not part of the search, it ends the search, and the function returns
/// false. The caller must then give the key its usual effect.
bool LineEditor::press_in_search(const KeyPress& key) {
    const bool control = key.key == Key::control;
    if (key.key == Key::character) {
        search_->wanted += key.text;
        search_older(search_->found ? *search_->found + 1 : history_.entries().size());
        return true;
    }
    if (key.key == Key::backspace) {
        if (!search_->wanted.empty()) search_->wanted.resize(before_character(search_->wanted, search_->wanted.size()));
        buffer_.set(search_->draft);
        search_->found.reset();
        if (!search_->wanted.empty()) search_older(history_.entries().size());
        return true;
    }
    if (control && key.text == "r") {
        if (!search_->wanted.empty()) search_older(search_->found.value_or(history_.entries().size()));
        return true;
    }
    if (key.key == Key::resized || key.key == Key::unknown) return true;
    const bool cancelled = control && (key.text == "g" || key.text == "c");
    if (cancelled) buffer_.set(search_->draft);
    search_.reset();
    return cancelled || key.key == Key::escape;
}

// ---- completion

void LineEditor::complete() {
    if (blank(buffer_.before_cursor())) return buffer_.insert(indent);
    const Completion found = language_.complete(buffer_.text(), buffer_.cursor());
    if (found.candidates.empty()) return;
    std::string common = found.candidates.front().text;
    for (const auto& candidate : found.candidates) {
        std::size_t n = 0;
        while (n < common.size() && n < candidate.text.size() && common[n] == candidate.text[n]) ++n;
        common.resize(n);
    }
    // The common part must not end within a character.
    while (!common.empty() && after_character(common, before_character(common, common.size())) != common.size())
        common.pop_back();
    if (common.size() > buffer_.cursor() - found.begin) return buffer_.replace_before(found.begin, common);
    if (found.candidates.size() > 1) show_list(found);
}

void LineEditor::show_list(const Completion& found) {
    std::vector<std::string> names;
    for (const auto& candidate : found.candidates) names.push_back(candidate.shown);
    const Terminal::Size size = terminal_.size();
    const auto most = static_cast<std::size_t>(std::max(3, size.rows - 4));
    terminal_.write(painter_.leave() + in_columns(names, size.columns, most));
}

} // namespace pm::cli::editor
