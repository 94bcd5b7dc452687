#pragma once
#include "tests/repl/screen.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace pm::test {

/// A folder of a test's own, which goes with it; what a session keeps is kept there.
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

/// `pm repl` in a terminal of its own, with the folder as current one and as home.
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
    /// Sends an entry and Enter, and waits for the next prompt: what was printed in between.
    std::string enter(std::string_view entry);
    /// Waits until the editor asks for an entry again; what was printed since the last one was sent. Fails the test
    /// after half a minute.
    std::string prompt();
    /// Waits until what was sent is being run.
    void running();
    /// Waits until the screen shows the text.
    void see(std::string_view text);
    void resize(int columns, int rows);
    /// Waits for the end of the program: its exit code, or minus the signal that ended it.
    int ended();
    const Screen& screen() const { return screen_; }
    /// All that it has written, escape sequences included.
    const std::string& received() const { return received_; }
    /// The time since the last `send`.
    double seconds() const;
    /// Kilobytes of memory that it has now.
    long resident() const;
    /// Its thread that has used the processor most.
    pid_t busiest_thread() const;

  private:
    bool pump(int milliseconds);
    template <class Done>
    void wait(Done done, std::string_view what);

    pid_t child_ = -1;
    int terminal_ = -1;
    Screen screen_;
    std::string received_;
    std::size_t prompts_ = 0; ///< how far `received_` has been looked through for prompts
    double sent_ = 0;
    bool closed_ = false;
};

/// A thread of a session that is held by ptrace, as by a system call that does not return.
class Held {
  public:
    explicit Held(pid_t thread);
    ~Held() { release(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    /// Lets it go on.
    void release();
    /// Waits for its end, which only the end of its process brings.
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
