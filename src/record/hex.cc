#include "record/hex.h"

namespace isolde::record {
namespace {

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool unhex(std::string_view text, std::string& out) {
  out.clear();
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return false;
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const int high = nibble(text[i]);
    const int low = nibble(text[i + 1]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
  }
  return true;
}

}  // namespace isolde::record
