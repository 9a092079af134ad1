#include "audit/scope/users.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::array kOfOneUser = {"session", "sess",   "user",    "customer", "visitor", "guest",  "cart",
                                   "basket",  "member", "shopper", "login",    "token",   "cookie", "email"};

// The words of a name: id_cart, cartId and CART_ID are "cart" and "id".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out;
  bool upper_before = true;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (c == '_' || c == '-' || c == ' ') {
      out.emplace_back();
    } else {
      if (out.empty() || (upper && !upper_before)) out.emplace_back();
      out.back() += c;
    }
    upper_before = upper;
  }
  for (std::string& word : out) word = lower_case(word);
  std::erase_if(out, [](const std::string& word) { return word.empty() || word == "id"; });
  return out;
}

}  // namespace

// A key that says whose the row is: its last word (a cart is a user's, a cart rule is not), or, of a column that is
// just called id, its table's.
bool is_of_one_user(const Schema& schema, ColumnId column) {
  std::vector<std::string> words = words_of(schema.column(column).name);
  if (words.empty()) words = words_of(schema.table(schema.column(column).table).name);
  if (std::ranges::any_of(words, [](const std::string& word) { return word == "session" || word == "sessions"; }))
    return true;
  if (!words.empty() && words.back().size() > 1 && words.back().ends_with('s')) words.back().pop_back();
  return !words.empty() && std::ranges::find(kOfOneUser, words.back()) != kOfOneUser.end();
}

}  // namespace isolde::audit
