// format/unknown_fields.h: fields that a format does not have: refused with the nearest name, or counted.
//
// A misspelt field would otherwise be left out in silence, and what it said would change the verdict ("sttus":
// "aborted"). Fields that begin with `x-` are the writer's own and are never looked at.
// In, out: a field's name and those that may stand there -> what is wrong, or nothing; at the end a note of what was
//          ignored.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isolde {

class UnknownFields {
 public:
  enum class Stance { kRefuse, kIgnore };
  explicit UnknownFields(Stance stance) : stance_(stance) {}

  // Empty if the field may stand there or is ignored, else what is wrong with it. `where`: what has the field, e.g. "a
  // transaction".
  [[nodiscard]] std::string wrong_with(std::string_view name, std::string_view where,
                                       std::span<const std::string_view> known);
  // The same for a field that has a place elsewhere: `why` says where.
  [[nodiscard]] std::string misplaced(std::string_view name, std::string_view why);

  [[nodiscard]] std::uint64_t ignored() const { return count_; }
  // What was ignored, as a note; empty if nothing was.
  [[nodiscard]] std::string note() const;
  void add_note(std::vector<std::string>& notes) const;

 private:
  void ignore(std::string_view name);

  Stance stance_;
  std::map<std::string, std::uint64_t, std::less<>> ignored_;  // how often each; only the first names are kept
  std::uint64_t count_ = 0;
};

}  // namespace isolde
