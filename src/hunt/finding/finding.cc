#include "hunt/finding/finding.h"

namespace isolde::hunt {
namespace {

struct WrongRow {
  Wrong wrong;
  std::string_view name, about;
};

constexpr WrongRow kRows[] = {
    {Wrong::kResult, "result", "a SELECT gave other rows in its transaction than alone, on the same data"},
    {Wrong::kCount, "count", "a statement reported another number of changed rows than alone, on the same data"},
    {Wrong::kContents, "contents", "the tables ended with other rows than the same statements leave when run alone"},
    {Wrong::kError, "error",
     "a statement failed in its transaction and not alone on the same data, or the other way round"},
    {Wrong::kPredicate, "predicate",
     "an UPDATE or DELETE changed other rows than a SELECT with its predicate found right before"},
    {Wrong::kOwnWrites, "own-writes",
     "a transaction did not see, right after a statement, what the statement had reported"},
    {Wrong::kRolledBack, "rolled-back", "a transaction that did not commit left something behind or was seen"},
    {Wrong::kIsolation, "isolation", "the versions that were read and written break the level"},
    {Wrong::kRerun, "rerun", "the same statements in the same order gave something else the second time"},
    {Wrong::kPlan, "plan", "the same statements, each alone, gave something else by another plan"},
    {Wrong::kAgainst, "against", "the same statements, each alone, gave something else on another server"},
    {Wrong::kHang, "hang", "a statement waited though nobody held a lock, or took far longer than alone"},
    {Wrong::kCrash, "crash", "the server crashed or an assertion of its own failed"},
};

}  // namespace

std::string_view name(Wrong wrong) {
  for (const WrongRow& row : kRows)
    if (row.wrong == wrong) return row.name;
  return "";
}

std::optional<Wrong> wrong_named(std::string_view name) {
  for (const WrongRow& row : kRows)
    if (row.name == name) return row.wrong;
  return std::nullopt;
}

std::string_view about(Wrong wrong) {
  for (const WrongRow& row : kRows)
    if (row.wrong == wrong) return row.about;
  return "";
}

}  // namespace isolde::hunt
