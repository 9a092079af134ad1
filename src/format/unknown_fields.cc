#include "format/unknown_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"

namespace isolde {
namespace {

constexpr std::size_t kNamesKept = 64, kNamesShown = 5;
constexpr std::size_t kNameShown = 40;  // so many bytes of a name at most

// The name as a message shows it: short, and without what would break the line.
std::string shown_name(std::string_view name) {
  std::string out(name.substr(0, kNameShown));
  std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  while (!out.empty() && out.size() < name.size() && (static_cast<unsigned char>(name[out.size()]) & 0xc0) == 0x80) {
    out.pop_back();  // no half of a character
  }
  return name.size() > out.size() ? out + "…" : out;
}

}  // namespace

void UnknownFields::ignore(std::string_view name) {
  ++count_;
  const std::string shown = shown_name(name);
  if (const auto at = ignored_.find(shown); at != ignored_.end()) {
    ++at->second;
  } else if (ignored_.size() < kNamesKept) {
    ignored_.emplace(shown, 1);
  }
}

std::string UnknownFields::wrong_with(std::string_view name, std::string_view where,
                                      std::span<const std::string_view> known) {
  if (name.starts_with("x-") || std::find(known.begin(), known.end(), name) != known.end()) return {};
  if (stance_ == Stance::kIgnore) {
    ignore(name);
    return {};
  }
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = " (fields of your own begin with x-)";
  return fmt::format("unknown field \"{}\" in {}{}", shown_name(name), where, hint);
}

std::string UnknownFields::misplaced(std::string_view name, std::string_view why) {
  if (stance_ == Stance::kIgnore) {
    ignore(name);
    return {};
  }
  return std::string(why);
}

std::string UnknownFields::note() const {
  if (count_ == 0) return {};
  std::string names;
  std::size_t shown = 0;
  for (const auto& [name, times] : ignored_) {
    if (shown++ == kNamesShown) {
      names += ", …";
      break;
    }
    names += fmt::format("{}\"{}\" ({})", names.empty() ? "" : ", ", name, times);
  }
  return fmt::format("ignored {} field{} that the format does not have: {}", count_, count_ == 1 ? "" : "s", names);
}

void UnknownFields::add_note(std::vector<std::string>& notes) const {
  if (count_ > 0) notes.push_back(note());
}

}  // namespace isolde
