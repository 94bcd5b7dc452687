#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <stdlib.h>

/// A directory for one test. The destructor removes the directory with its contents.
class Temporary {
  public:
    Temporary() {
        std::string name = (std::filesystem::temp_directory_path() / "pm_test_XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~Temporary() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string put(const std::string& name, std::string_view bytes) const {
        std::ofstream(*this / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return *this / name;
    }
    static std::string get(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::filesystem::path path_;
};
