#pragma once
#include "tests/repl/screen.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace pm::test {

/// The folder of one test, removed at the end. The session stores its files there.
class Folder {
  public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string path() const { return path_.string(); }
    void write(const std::string& name, std::string_view text) const;
    std::string read(const std::string& name) const;

  private:
    std::filesystem::path path_;
};

/// `pm repl` in a pseudo-terminal. The folder is its current folder and its home.
class Session {
  public:
    struct Options {
        std::vector<std::string> arguments = {};
        std::string term = "xterm-256color";
        int columns = 80;
        int rows = 24;
    };
    explicit Session(const Folder& folder) : Session(folder, Options{}) {}
    Session(const Folder& folder, const Options& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void send(std::string_view keys);
    /// Sends an entry and Enter, and waits for the next prompt. Returns the output in between.
    std::string enter(std::string_view entry);
    /// Waits until the editor asks for an entry again. Returns the output since the last entry was sent. Fails the test
    /// after half a minute.
    std::string prompt();
    /// Waits until the sent entry is running.
    void running();
    /// Waits until the screen shows the text.
    void see(std::string_view text);
    void resize(int columns, int rows);
    /// Waits for the end of the program. Returns its exit code, or minus the signal that ended it.
    int ended();
    const Screen& screen() const { return screen_; }
    /// The output of the program, with escape sequences.
    const std::string& received() const { return received_; }
    /// The time since the last `send`.
    double seconds() const;
    /// The resident memory of the program in kilobytes.
    long resident() const;
    /// The thread of the program with the most processor time.
    pid_t busiest_thread() const;

  private:
    bool pump(int milliseconds);
    template <class Done>
    void wait(Done done, std::string_view what);

    pid_t child_ = -1;
    int terminal_ = -1;
    Screen screen_;
    std::string received_;
    std::size_t prompts_ = 0; ///< end of the part of `received_` that was searched for prompts
    double sent_ = 0;
    bool closed_ = false;
};

/// Stops a thread of a session by ptrace, as if in a system call that does not return.
class Held {
  public:
    explicit Held(pid_t thread);
    ~Held() { release(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    /// Lets the thread continue.
    void release();
    /// Waits for the end of the thread, which needs the end of its process.
    void ended();

  private:
    pid_t thread_;
};

/// `pm repl` with its input from a pipe.
struct Piped {
    int code;
    std::string output;
    std::string errors;
};
Piped run_piped(const Folder& folder, std::string_view input);

} // namespace pm::test
