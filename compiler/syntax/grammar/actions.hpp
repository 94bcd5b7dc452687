#pragma once
#include "compiler/syntax/grammar/common_rules.hpp"

/// Short forms of common semantic actions.
namespace pm::syntax::grammar {

/// `to<&Parts::member>`: assigns the parsed attribute to a member of the rule's value.
template <auto field>
constexpr auto to = [](auto& c) { x3::_val(c).*field = std::move(x3::_attr(c)); };

/// `onto<&Parts::list>`: appends the parsed attribute to a list.
template <auto field>
constexpr auto onto = [](auto& c) { (x3::_val(c).*field).push_back(std::move(x3::_attr(c))); };

/// `flag<&Parts::comma>`: sets a bool member of the rule's value to true.
template <auto field>
constexpr auto flag = [](auto& c) { x3::_val(c).*field = true; };

/// `made<&Builder::round>`: the rule's value is the result of a Builder function for the parsed attribute.
template <auto method>
constexpr auto made = [](auto& c) { x3::_val(c) = (build(c).*method)(std::move(x3::_attr(c))); };

/// `grown<&Builder::call>`: the new value of the rule is the result of a Builder function for its old value and the
/// parsed attribute.
template <auto method>
constexpr auto grown = [](auto& c) { x3::_val(c) = (build(c).*method)(x3::_val(c), std::move(x3::_attr(c))); };

/// The rule's value is the parsed attribute.
constexpr auto same = [](auto& c) { x3::_val(c) = std::move(x3::_attr(c)); };

/// `element, element, element` with or without a comma at the end.
template <class Element>
constexpr auto listed(const Element& element) {
    return element % token(TokenKind::comma) >> x3::omit[-token(TokenKind::comma)];
}

} // namespace pm::syntax::grammar
