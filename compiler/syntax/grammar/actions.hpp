#pragma once
#include "compiler/syntax/grammar/rules.hpp"

/// Semantic actions in a few words.
namespace pm::syntax::grammar {

/// `to<&Parts::member>`: what was parsed becomes a member of the rule's value.
template <auto field>
constexpr auto to = [](auto& c) { x3::_val(c).*field = std::move(x3::_attr(c)); };

/// `onto<&Parts::list>`: what was parsed is put at the end of a list.
template <auto field>
constexpr auto onto = [](auto& c) { (x3::_val(c).*field).push_back(std::move(x3::_attr(c))); };

/// `flag<&Parts::comma>`: it was there.
template <auto field>
constexpr auto flag = [](auto& c) { x3::_val(c).*field = true; };

/// `made<&Builder::round>`: the rule's value is what the Builder makes of what was parsed.
template <auto method>
constexpr auto made = [](auto& c) { x3::_val(c) = (build(c).*method)(std::move(x3::_attr(c))); };

/// `grown<&Builder::call>`: the rule's value becomes a part of what the Builder makes of it and of what was
/// parsed.
template <auto method>
constexpr auto grown = [](auto& c) { x3::_val(c) = (build(c).*method)(x3::_val(c), std::move(x3::_attr(c))); };

/// The rule's value is what was parsed.
constexpr auto same = [](auto& c) { x3::_val(c) = std::move(x3::_attr(c)); };

/// `element, element, element` with or without a comma at the end.
template <class Element>
constexpr auto listed(const Element& element) {
    return element % token(TokenKind::comma) >> x3::omit[-token(TokenKind::comma)];
}

} // namespace pm::syntax::grammar
