#include "record/pgoutput.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/hex_lines.h"

namespace isolde::record::pgoutput {
namespace pgoutput_test {

using test::unhexed;

std::string fields(const Row& row) {
  std::string out;
  for (const Field& f : row)
    out += f.kind == FieldKind::kNull ? "null " : f.kind == FieldKind::kUnchanged ? "same " : std::string(f.text) + ' ';
  if (!out.empty()) out.pop_back();
  return out;
}

std::string shown(const std::string& bytes) {
  const auto m = decode(bytes);
  if (!m) return m.error().message();
  switch (m->kind) {
    case Message::Kind::kBegin:
      return fmt::format("begin {}", m->xid);
    case Message::Kind::kCommit:
      return "commit";
    case Message::Kind::kRelation: {
      std::string out = fmt::format("table {}.{}:", m->relation.schema, m->relation.name);
      for (const Column& c : m->relation.columns) out += fmt::format(" {}{} {}", c.in_key ? "*" : "", c.name, c.type);
      return out;
    }
    case Message::Kind::kChange:
      return fmt::format("{} -> {}", m->change.before ? fields(*m->change.before) : "",
                         m->change.after ? fields(*m->change.after) : "deleted");
    case Message::Kind::kTruncate:
      return fmt::format("truncate of {}", m->truncated.size());
    case Message::Kind::kOther:
      return "other";
  }
  return {};
}

TEST(Pgoutput, AnInsertHasItsColumns) {
  EXPECT_EQ(shown(unhexed("49000040054e00037400000001326e74000000023230")), " -> 2 null 20");
}

TEST(Pgoutput, AnUpdateSaysTheOldKeyOnlyIfItChanged) {
  EXPECT_EQ(shown(unhexed("55000040054e00037400000001317400000003616e6e74000000023131")), " -> 1 ann 11");
  EXPECT_EQ(shown(unhexed("55000040054b00037400000001326e6e4e00037400000001336e74000000023230")),
            "2 null null -> 3 null 20");
}

TEST(Pgoutput, ALongValueThatWasLeftAloneIsNotRepeated) {
  EXPECT_EQ(shown(unhexed("550000400c4b00037400000001317400000001786e4e000374000000013174000000017975")),
            "1 x null -> 1 y same");
}

TEST(Pgoutput, EveryMessageOfACaptureIsUnderstood) {
  std::vector<std::string> all;
  for (const std::string& message : test::hex_lines("tests/fixtures/pgoutput/accounts.hex")) {
    std::string text = shown(message);
    if (text.size() > 100) text = text.substr(0, 12) + "…";
    all.push_back(std::move(text));
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(all, "\n")), R"(begin 749
table public.accounts: *id 20 owner 25 balance 20
 -> 1 ann 10
 -> 2 null 20
 -> 1 ann 11
commit
begin 750
2 null null -> 3 null 20
1 null null -> deleted
commit
begin 752
table public.tags: *a 23 *b 25 note 25
 -> 1 x abca…
commit
begin 753
1 x null -> 1 y same
commit
begin 754
table public.tags: *a 23 *b 25 note 25
truncate of 1
commit)");
}

TEST(Pgoutput, WhatIsCutOffIsAnErrorAtEveryByte) {
  for (const std::string& message : test::hex_lines("tests/fixtures/pgoutput/accounts.hex")) {
    if (message.size() > 1000) continue;
    for (std::size_t size = 0; size < message.size(); ++size)
      EXPECT_NE(shown(message.substr(0, size)).find("expected"), std::string::npos) << size;
    EXPECT_NE(shown(message + 'x').find("expected the message's end"), std::string::npos);
  }
}

TEST(Pgoutput, HostileCountsAreRefusedWithoutMemory) {
  EXPECT_NE(shown(unhexed("49000040054effff")).find("expected a column"), std::string::npos);
  EXPECT_NE(shown(unhexed("49000040054e000174ffffffff")).find("expected a column's text"), std::string::npos);
  EXPECT_NE(shown(unhexed("54ffffffff00")).find("expected a table's oid"), std::string::npos);
  EXPECT_EQ(shown("?"), "a message of pgoutput, byte 0: expected a message of pgoutput");
  EXPECT_EQ(shown(unhexed("49000040054e000162")), "a message of pgoutput, byte 8: expected a column: n, u or t");
}

}  // namespace pgoutput_test
}  // namespace isolde::record::pgoutput
