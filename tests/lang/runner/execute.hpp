#pragma once
#include "tests/lang/runner/configs.hpp"

#include <string>
#include <vector>

namespace pm::lang {

/// A folder that is removed at the end.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// Whether slow programs run, or only slow ones.
enum class Slow { with, without, only };

/// The programs of one call of `run_programs`, and the results.
struct Runs {
    std::string pm; ///< path of the program `pm`
    Config config;
    Slow slow = Slow::with;
    bool verbose = false;
    int passed = 0;
    int failed = 0;
};

/// Runs a file on each number of devices that it names, and compares the output. Skips a file whose expectations
/// exclude the configuration, or whose `slow` does not match. When a configuration with several switches fails, the
/// report names each switch that fails alone.
void run_file(Runs& runs, const std::string& file);

/// Runs a file on each of these numbers of devices, with one worker and with two, which must print the same output.
void run_on(Runs& runs, const std::string& file, const std::vector<int>& devices);

/// Pipes a program into a session that defines a name before it and uses the name after it. An error of the program
/// must end only its entry. The exit code depends on errors alone.
void run_session(Runs& runs, const std::string& file);

/// Runs the programs in a document.
void run_document(Runs& runs, const std::string& file);

/// Prints expectations that describe the present output of a file.
void show(const Runs& runs, const std::string& file);

} // namespace pm::lang
