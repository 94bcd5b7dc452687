#pragma once
/// GradBench's protocol, the tool's side: one message in, one answer out.

#include "values.hpp"

#include <map>
#include <optional>

namespace gradbench {

/// Answers the messages of an eval. A module NAME is the program NAME.pm; its functions take the input of a message as
/// one value:
///   FUNCTION(input)         what is asked for and timed
///   prepare(input)          if there: makes of the input what FUNCTION takes; not timed
///   report_FUNCTION(result) if there: makes of the result what is sent; not timed
class Session {
  public:
    /// `programs` is the folder they are in; one thread computes, or as many as there are cores.
    static pm::Result<Session> create(std::string programs, bool multithreaded);

    /// One line of JSON for one of the eval's. Whatever goes wrong is told in the answer.
    std::string answer(const std::string& line);

  private:
    Session(pm::Engine engine, std::string programs) : engine_(std::move(engine)), programs_(std::move(programs)) {}
    Json respond(Json& message);
    Json define(const Json& message);
    Json evaluate(Json& message) const;

    pm::Engine engine_;
    std::string programs_;
    std::map<std::string, pm::Module> modules_;
};

} // namespace gradbench
