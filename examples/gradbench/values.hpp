#pragma once
/// JSON as values of a program, and back.

#include <nlohmann/json.hpp>
#include <polymap/pm.hpp>

#include <stdexcept>

namespace gradbench {

using Json = nlohmann::ordered_json;

/// What a message asks for and cannot have; what() goes into the answer.
class Refused : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Objects are records and nested lists of numbers arrays of f64, which must be rectangular. A number written with a
/// point is an f64, one without an i64. Text, truth and null are themselves. `where` names the value in the Refused
/// that anything else gives.
pm::Value to_value(const Json& json, const std::string& where);

/// The other way; tuples are lists too. What is neither number, text, truth, none nor made of these is Refused. JSON
/// has no NaN and no infinity: they go out as null.
Json to_json(const pm::Value& value);

} // namespace gradbench
