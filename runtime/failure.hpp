#pragma once
#include <cstdint>
#include <exception>
#include <string>

namespace pm::runtime {

enum class FailureKind : std::uint8_t {
    file_missing,     ///< no such file
    file_unreadable,  ///< the file exists, but cannot be opened or read
    file_unwritable,  ///< the file cannot be created or written
    file_malformed,   ///< the content violates the file format
    file_truncated,   ///< the content ends too early
    file_unsupported, ///< the file is well formed, but the runtime does not read files of this kind
    out_of_memory,    ///< the system has no more memory
    memory_limit,     ///< the limit set by the host is reached
    bad_argument,     ///< sizes or types that do not fit together
    no_device,        ///< there is no GPU, or no driver for it
    device_failed,    ///< the GPU or its driver failed
};

/// An error of the runtime that concerns files, memory, arguments or a device. It has no source location: the caller
/// adds the location and builds a diagnostic. `message` is one line that can be understood alone and names the file.
class Failure : public std::exception {
  public:
    Failure(FailureKind kind, std::string message, std::string help = {})
        : kind_(kind), message_(std::move(message)), help_(std::move(help)) {}

    FailureKind kind() const { return kind_; }
    bool of_memory() const { return kind_ == FailureKind::out_of_memory || kind_ == FailureKind::memory_limit; }
    const std::string& message() const { return message_; }
    const std::string& help() const { return help_; } ///< a concrete repair; empty if there is none
    const char* what() const noexcept override { return message_.c_str(); }

    /// Position in a text file, from 1; 0 if there is none.
    std::int64_t line = 0;
    std::int64_t column = 0;

  private:
    FailureKind kind_;
    std::string message_;
    std::string help_;
};

} // namespace pm::runtime
