#include "format/native_chunks.h"

#include <gtest/gtest.h>

#include <map>

#include "history/recent_names.h"

namespace isolde {
namespace native_chunks_test {

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

TEST(NativeChunks, AHeartbeatHasALineOfItsOwn) {
  ChunkReader reader("stream");
  const auto both = reader.read("{\"session\":3,\"heartbeat\":1000,\"ops\":[[\"w\",\"x\",1]]}\n");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message(),
            "stream:1:14: a heartbeat is for a stream, on a line of its own: {\"session\": 3, \"heartbeat\": 1000}");
  EXPECT_FALSE(reader.read("{\"session\":3,\"heartbeat\":1000,\"sesion\":4}\n"));
  EXPECT_TRUE(reader.read("{\"session\":3,\"heartbeat\":1000,\"x-mine\":4}\n"));
  EXPECT_FALSE(reader.read("{\"session\":3,\"heartbeat\":1000} {\"session\":3,\"ops\":[]}\n"));
  EXPECT_FALSE(reader.read("{\"heartbeat\":1000}\n"));
}

TEST(NativeChunks, TheHeaderMaySayColumns) {
  for (const bool columns : {true, false}) {
    ChunkReader reader("stream");
    const auto chunk =
        reader.read(columns ? "{\"isolde\":1,\"columns\":true}\n" : "{\"isolde\":1,\"columns\":false}\n");
    ASSERT_TRUE(chunk);
    EXPECT_EQ((*chunk)->columns, columns);
    EXPECT_FALSE(reader.read("{\"isolde\":1}\n")) << "it may only be the first line";
  }
  EXPECT_FALSE(ChunkReader("stream").read("{\"isolde\":1,\"columns\":1}\n"));
  EXPECT_FALSE(ChunkReader("stream").read("{\"session\":1,\"columns\":true,\"ops\":[]}\n"));
}

TEST(NativeChunks, AFieldThatTheFormatDoesNotHaveIsRefusedAsInAFile) {
  const auto refused = ChunkReader("stream").read("{\"session\":1,\"ops\":[],\"sttus\":\"aborted\"}\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "stream:1:23: unknown field \"sttus\" in a transaction; did you mean status?");
}

TEST(NativeChunks, CompressedDataIsRefusedAsSuch) {
  const auto refused = ChunkReader("stream").read(std::string_view("\x1f\x8b\x08\0\n", 5));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "stream:1:1: this is gzip data, but a stream must be plain lines: gzip -dc FILE | isolde watch -");
}

TEST(NativeChunks, InitialValuesByNameAreOfTheStringAndOfTheIntegerKey) {
  ChunkReader reader("stream");
  const auto chunk = reader.read("{\"isolde\":1,\"initial\":{\"7\":5,\"x\":6,\"-0\":1}}\n");
  ASSERT_TRUE(chunk);
  const Chunk& c = **chunk;
  std::map<std::uint64_t, std::int64_t> initial;
  for (std::uint32_t k = 0; k < c.key_fingerprint.size(); ++k) {
    initial[raw64(c.key_fingerprint[k])] = integer_of(c.value(c.history.initial(KeyId{k})));
  }
  EXPECT_EQ(initial.size(), 4U);
  EXPECT_EQ(initial.at(raw64(*exact_fingerprint(7))), 5);
  ValueInterner values;
  const ValueId text = values.string("7");
  EXPECT_EQ(initial.at(raw64(fingerprint_of(values.table(), text))), 5);
}

TEST(NativeChunks, AByteOrderMarkIsNoPartOfTheFirstLine) {
  ChunkReader reader("stream");
  EXPECT_TRUE(reader.read("\xef\xbb\xbf{\"session\":1,\"ops\":[]}\n"));
  EXPECT_FALSE(reader.read("\xef\xbb\xbf{\"session\":1,\"ops\":[]}\n"));
}

TEST(NativeChunks, TheLinesOfTransactionsAndHeartbeatsAreTold) {
  ChunkReader reader("stream");
  reader.resume_at({100, 5, true});
  ASSERT_TRUE(
      reader.read("\n{\"session\":1,\"ops\":[]}\n{\"session\":1,\"heartbeat\":5}\n# x\n{\"session\":2,\"ops\":[]}\n"));
  EXPECT_EQ(reader.transaction_lines(), (std::vector<std::uint32_t>{2, 5}));
  EXPECT_EQ(reader.heartbeat_lines(), (std::vector<std::uint32_t>{3}));
}

TEST(NativeChunks, IntegersAreTheirOwnPrints) {
  EXPECT_EQ(integer_of(*exact_fingerprint(-5)), -5);
  EXPECT_EQ(integer_of(*exact_fingerprint((std::int64_t{1} << 61) - 1)), (std::int64_t{1} << 61) - 1);
  EXPECT_FALSE(exact_fingerprint(std::int64_t{1} << 61));
  EXPECT_NE(*exact_fingerprint(0), kNullFingerprint);
}

TEST(NativeChunks, ALineThatIsSentAgainIsLeftOutWhereThatIsAsked) {
  ChunkReader reader("test", UnknownFields::Stance::kRefuse, ChunkReader::Repeats::kLeaveOut);
  const std::string five = "{\"id\":5,\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n";
  const std::string six = "{\"id\":6,\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n";
  const auto read = reader.read(five + six + five + "\n" + five);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ((*read)->history.txn_count(), 2U);
  EXPECT_EQ(reader.repeated(), 2U);
  EXPECT_EQ(reader.place().lines, 5U) << "they are counted as lines";
  ASSERT_TRUE(reader.read(six));
  EXPECT_EQ(reader.repeated(), 0U);
  const auto other = reader.read(six + five + "{\"id\":6,\"session\":2,\"ops\":[[\"w\",\"x\",1]]}\n");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().line, 9U);
}

}  // namespace native_chunks_test
}  // namespace isolde
