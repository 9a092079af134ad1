#include "format/native_chunks.h"

#include <gtest/gtest.h>

#include "history/recent_names.h"

namespace isolde {
namespace {

TEST(NativeChunks, PrintsAreTheSameInEveryChunk) {
  ChunkReader reader("stream");
  const auto first = reader.read(
      R"({"isolde":1,"initial":0}
{"session":1,"ops":[["w","x","long text"],["w",7,{"a":1,"b":[2,3]}]]}
)");
  ASSERT_TRUE(first);
  const auto second = reader.read(
      R"({"session":"s","ops":[["r",7,{"b":[2,3],"a":1}],["r","x","long text"]]}
)");
  ASSERT_TRUE(second);
  const Chunk& a = **first;
  const Chunk& b = **second;
  EXPECT_TRUE(a.has_header);
  EXPECT_FALSE(b.has_header);
  EXPECT_EQ(a.value(a.history.op_value(0)), b.value(b.history.op_value(1)));
  EXPECT_EQ(a.value(a.history.op_value(1)), b.value(b.history.op_value(0)));
  EXPECT_EQ(a.key(a.history.op(0).key()), b.key(b.history.op(1).key()));
  EXPECT_EQ(a.history.txn_text(TxnId{0}), "0");
  EXPECT_EQ(b.history.txn_text(TxnId{0}), "1");
  RecentNames names;
  names.note(*first);
  EXPECT_EQ(names.text(b.value(b.history.op_value(1))), "\"long text\"");
}

TEST(NativeChunks, AListsPrintIsThatOfItsElementsAppended) {
  ChunkReader reader("stream");
  const auto chunk =
      reader.read("{\"session\":1,\"ops\":[[\"r\",\"x\",[1,2]],[\"append\",\"x\",3],[\"r\",\"x\",[1,2,3]]]}\n");
  ASSERT_TRUE(chunk);
  const Chunk& c = **chunk;
  EXPECT_EQ(appended(c.value(c.history.op_value(0)), c.value(c.history.op_value(1))), c.value(c.history.op_value(2)));
}

TEST(NativeChunks, AHeartbeatIsNoTransaction) {
  ChunkReader reader("stream");
  const auto chunk = reader.read("{\"session\":3,\"heartbeat\":1000}\n{\"session\":3,\"ops\":[]}\n");
  ASSERT_TRUE(chunk);
  ASSERT_EQ((*chunk)->heartbeats.size(), 1U);
  EXPECT_EQ((*chunk)->heartbeats[0].time, 1000);
  EXPECT_EQ((*chunk)->heartbeats[0].session, (*chunk)->session(TxnId{0}));
  EXPECT_EQ((*chunk)->history.txn_count(), 1U);
}

TEST(NativeChunks, AnErrorNamesTheLineOfTheStream) {
  ChunkReader reader("stream");
  ASSERT_TRUE(reader.read("{\"session\":1,\"ops\":[]}\n\n"));
  const auto bad = reader.read("{\"session\":1,\"ops\":[]}\n{\"session\":1,\"ops\":3}\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().file, "stream");
  EXPECT_EQ(bad.error().line, 4U);
  EXPECT_EQ(reader.place().lines, 2U);
  const auto twice = reader.read("{\"id\":5,\"session\":1,\"ops\":[]}\n{\"id\":5,\"session\":1,\"ops\":[]}\n");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().line, 4U);
}

TEST(NativeChunks, IntegersAreTheirOwnPrints) {
  EXPECT_EQ(integer_of(*exact_print(-5)), -5);
  EXPECT_EQ(integer_of(*exact_print((std::int64_t{1} << 61) - 1)), (std::int64_t{1} << 61) - 1);
  EXPECT_FALSE(exact_print(std::int64_t{1} << 61));
  EXPECT_NE(*exact_print(0), kNullPrint);
}

}  // namespace
}  // namespace isolde
