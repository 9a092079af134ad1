#include "stream/seen_transactions.h"

#include <gtest/gtest.h>

#include "format/native_chunks.h"

namespace isolde::stream {
namespace seen_transactions_test {

using Seen = SeenTransactions::Seen;

std::shared_ptr<const Chunk> chunk(const std::string& text) {
  auto read = ChunkReader("test").read(text);
  EXPECT_TRUE(read);
  return read ? *read : nullptr;
}

TEST(SeenTransactions, KnowsWhatCameBefore) {
  SeenTransactions seen(100);
  EXPECT_EQ(seen.note(Fingerprint{7}, 1, 0), Seen::kNew);
  EXPECT_EQ(seen.note(Fingerprint{7}, 1, 0), Seen::kSame);
  EXPECT_EQ(seen.note(Fingerprint{7}, 2, 1), Seen::kOther);
  EXPECT_EQ(seen.note(Fingerprint{8}, 2, 1), Seen::kNew);
}

TEST(SeenTransactions, RemembersAtLeastSoManyAndForgetsAtLast) {
  SeenTransactions seen(1000);
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(seen.note(Fingerprint{i}, i, i), Seen::kNew);
  for (std::uint64_t i = 9'000; i < 10'000; ++i) EXPECT_EQ(seen.note(Fingerprint{i}, i, i), Seen::kSame);
  EXPECT_EQ(seen.note(Fingerprint{5'000}, 0, 0), Seen::kNew);
}

TEST(SeenTransactions, ARestartForgetsWhatIsReadAgain) {
  SeenTransactions seen(1000);
  for (std::uint64_t i = 0; i < 10; ++i) (void)seen.note(Fingerprint{i}, i, i);
  StateWriter out;
  seen.save(out, 5);
  SeenTransactions again(1000);
  StateReader in(out.bytes());
  ASSERT_TRUE(again.load(in));
  EXPECT_EQ(again.note(Fingerprint{4}, 4, 5), Seen::kSame);
  EXPECT_EQ(again.note(Fingerprint{5}, 5, 5), Seen::kNew);
}

TEST(SeenTransactions, ContentIsAllThatATransactionSaysWhateverStandsAroundIt) {
  const std::string first = R"({"id":1,"session":1,"start_ts":1,"commit_ts":2,"ops":[["w","x",1],["r","y",null]]})";
  const std::string other = R"({"id":9,"session":4,"ops":[["w","z","a"],["w","y","b"]]})";
  const auto alone = chunk(first + "\n");
  const auto behind = chunk(other + "\n" + first + "\n");
  EXPECT_EQ(content_of(*alone, TxnId{0}), content_of(*behind, TxnId{1}));
  for (const char* changed :
       {R"({"id":1,"session":2,"start_ts":1,"commit_ts":2,"ops":[["w","x",1],["r","y",null]]})",
        R"({"id":1,"session":1,"start_ts":1,"commit_ts":3,"ops":[["w","x",1],["r","y",null]]})",
        R"({"id":1,"session":1,"commit":[1,2],"start_ts":1,"commit_ts":2,"ops":[["w","x",1],["r","y",null]]})",
        R"({"id":1,"session":1,"start_ts":1,"commit_ts":2,"ops":[["w","x",2],["r","y",null]]})",
        R"({"id":1,"session":1,"start_ts":1,"commit_ts":2,"ops":[["r","y",null],["w","x",1]]})"})
    EXPECT_NE(content_of(*alone, TxnId{0}), content_of(*chunk(std::string(changed) + "\n"), TxnId{0})) << changed;
}

}  // namespace seen_transactions_test
}  // namespace isolde::stream
