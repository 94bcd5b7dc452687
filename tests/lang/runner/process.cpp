#include "tests/lang/runner/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace pm::lang {
namespace {

void redirect(const std::string& path, int flags, int to) {
    const int file = open(path.c_str(), flags, 0600);
    if (file < 0 || dup2(file, to) < 0) _exit(127);
    close(file);
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& input, const std::string& folder) {
    redirect(input, O_RDONLY, STDIN_FILENO);
    redirect(folder + "/stdout", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(folder + "/stderr", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(127);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
}

} // namespace

std::string read_whole(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Finished run_process(const std::vector<std::string>& command, const std::string& input, const std::string& folder,
                     int seconds) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) become(command, input, folder);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    Finished f;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end && !f.late) {
            f.late = true;
            kill(child, SIGKILL);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    f.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    f.output = read_whole(folder + "/stdout");
    f.errors = read_whole(folder + "/stderr");
    return f;
}

} // namespace pm::lang
