#include "compiler/cli/editor/keys.hpp"

#include "compiler/cli/editor/characters.hpp"

namespace pm::cli::editor {
namespace {

/// The time in milliseconds within which the rest of a sequence must arrive. If it does not arrive, the byte ESC means
/// the key Escape.
constexpr int sequence_time = 50;
/// The longest pause within a paste, in milliseconds. After a longer pause the paste ends, so that a lost end mark does
/// not block the editor.
constexpr int paste_time = 2000;

KeyPress by_letter(char letter, bool modified) {
    switch (letter) {
    case 'A': return {Key::up};
    case 'B': return {Key::down};
    case 'C': return {modified ? Key::word_right : Key::right};
    case 'D': return {modified ? Key::word_left : Key::left};
    case 'H': return {Key::home};
    case 'F': return {Key::end};
    case 'Z': return {Key::back_tab};
    default: return {Key::unknown};
    }
}

KeyPress by_number(int number) {
    switch (number) {
    case 1:
    case 7: return {Key::home};
    case 3: return {Key::remove};
    case 4:
    case 8: return {Key::end};
    case 5: return {Key::page_up};
    case 6: return {Key::page_down};
    default: return {Key::unknown};
    }
}

} // namespace

int Keys::soon() {
    const int byte = input_.next(sequence_time);
    if (byte < 0 && byte != Input::nothing) pushed_ = byte;
    return byte;
}

KeyPress Keys::read() {
    const int byte = pushed_ ? *pushed_ : input_.next(-1);
    pushed_.reset();
    switch (byte) {
    case Input::closed: return {Key::closed};
    case Input::resized: return {Key::resized};
    case Input::interrupted: return {Key::interrupt};
    case Input::nothing: return {Key::unknown};
    case '\r':
    case '\n': return {Key::enter};
    case '\t': return {Key::tab};
    case 0x7F:
    case 0x08: return {Key::backspace};
    case 0x1B: return escape_sequence();
    default: break;
    }
    if (byte < 0x20) {
        const int letter = byte | 0x40;
        return {Key::control, {static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter)}};
    }
    return character(byte);
}

KeyPress Keys::character(int first) {
    std::string text{static_cast<char>(first)};
    const std::size_t length = sequence_length(static_cast<unsigned char>(first));
    while (text.size() < length) {
        const int byte = soon();
        if (byte < 0) break;
        if ((byte & 0xC0) != 0x80) {
            pushed_ = byte;
            break;
        }
        text += static_cast<char>(byte);
    }
    // Incomplete characters and invalid bytes are dropped: texts of the language are UTF-8.
    if (text.size() != length) return {Key::unknown};
    return {Key::character, std::move(text)};
}

KeyPress Keys::escape_sequence() {
    const int byte = soon();
    if (byte < 0) return {Key::escape};
    switch (byte) {
    case '[': return control_sequence();
    case 'O': {
        const int letter = soon();
        return letter < 0 ? KeyPress{Key::alt, "O"} : by_letter(static_cast<char>(letter), false);
    }
    case '\r':
    case '\n': return {Key::alt_enter};
    case 0x7F:
    case 0x08: return {Key::control, "w"};
    case 0x03: // the byte of Ctrl-C is no part of a sequence
    case 0x1B: pushed_ = byte; return {Key::escape};
    default: break;
    }
    if (byte < 0x20) return {Key::unknown};
    KeyPress key = character(byte);
    if (key.key == Key::character) key.key = Key::alt;
    return key;
}

/// ESC [ numbers letter: `CSI 1;5C` is Ctrl-Right, `CSI 3~` is Delete, `CSI 200~` begins a paste.
KeyPress Keys::control_sequence() {
    int numbers[2] = {0, 0};
    int at = 0;
    for (int length = 0; length < 32; ++length) {
        const int byte = soon();
        if (byte < 0) return {Key::unknown};
        if (byte >= '0' && byte <= '9') {
            if (at < 2 && numbers[at] < 1000) numbers[at] = numbers[at] * 10 + (byte - '0');
        } else if (byte == ';') {
            ++at;
        } else if (byte >= 0x40 && byte <= 0x7E) {
            // The number of the modifiers is 1 + (1 for Shift) + (2 for Alt) + (4 for Control).
            const bool modified = numbers[1] > 1 && ((numbers[1] - 1) & 6) != 0;
            if (byte == '~' && numbers[0] == 200) return pasted();
            if (byte == '~' && numbers[0] == 13 && modified) return {Key::alt_enter};
            if (byte == 'u' && numbers[0] == 13) return {modified || numbers[1] == 2 ? Key::alt_enter : Key::enter};
            if (byte == '~') return by_number(numbers[0]);
            return by_letter(static_cast<char>(byte), modified);
        } else if (byte < 0x20) {
            pushed_ = byte;
            return {Key::unknown};
        }
    }
    return {Key::unknown};
}

KeyPress Keys::pasted() {
    static constexpr std::string_view end = "\x1B[201~";
    std::string text;
    for (;;) {
        const int byte = input_.next(paste_time);
        if (byte == Input::resized) {
            pushed_ = byte;
            continue;
        }
        if (byte < 0) {
            if (byte != Input::nothing) pushed_ = byte;
            break;
        }
        text += static_cast<char>(byte);
        if (text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0) {
            text.resize(text.size() - end.size());
            break;
        }
    }
    return {Key::paste, std::move(text)};
}

} // namespace pm::cli::editor
