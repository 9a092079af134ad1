// Addresses, batches, shares and statuses; the rest is in simulation_test.cc.
#include <gtest/gtest.h>

#include <regex>

#include "base/rng.h"
#include "cluster/address.h"
#include "cluster/batch.h"
#include "cluster/memory_broker_testing.h"
#include "cluster/packed.h"
#include "cluster/partition_checker.h"
#include "cluster/state_store.h"
#include "cluster/trace_sender.h"
#include "format/native_chunks.h"
#include "format/native_write.h"
#include "tests/support/history_text.h"

namespace isolde::cluster {
namespace cluster_test {

std::string text(const Result<Address>& address) { return address ? address->shown() : address.error().text; }

StoredMessage message(std::uint64_t sequence, std::int64_t seconds, const BatchHead& head, std::string_view lines) {
  return {sequence, seconds * 1'000'000'000, "s.p.0." + head.from, batch_text(head, lines)};
}

ClusterPlan one_partition(std::uint32_t producers) {
  ClusterPlan plan;
  plan.keys = 1;
  plan.producers = producers;
  plan.deadline = 10;
  plan.silence = 60;
  return plan;
}

std::unique_ptr<PartitionChecker> checker(const ClusterPlan& plan) {
  auto made = PartitionChecker::make(plan, 0);
  EXPECT_TRUE(made);
  return *std::move(made);
}

std::string write_of(int id, int value, int start, int commit) {
  return fmt::format(R"({{"id":{},"session":{},"start_ts":{},"commit_ts":{},"ops":[["w","x",{}]]}})"
                     "\n",
                     id, id, start, commit, value);
}
std::string read_of(int id, int value, int start) {
  return fmt::format(R"({{"id":{},"session":{},"start_ts":{},"commit_ts":{},"ops":[["r","x",{}]]}})"
                     "\n",
                     id, id, start, start, value);
}

// What a share says, as lines.
std::string lines_of(Share& share) {
  bool packed = false;
  const std::string body = share.take(packed);
  const std::string message = batch_text({.from = "a", .number = 1, .packed = packed}, body);
  const auto batch = read_batch(message);
  EXPECT_TRUE(batch);
  std::string all;
  if (!batch) return all;
  for (const BatchSection& section : batch->sections)
    all += section.packed > 0 ? unpacked_lines(section.bytes, section.packed).value_or("damaged")
                              : std::string(section.bytes);
  return all;
}

}  // namespace cluster_test

using namespace cluster_test;

TEST(ClusterAddress, ShowsWhereItLeadsWithoutThePassword) {
  EXPECT_EQ(text(parse_address("nats://localhost/shop")), "nats://localhost:4222/shop");
  EXPECT_EQ(text(parse_address("nats://me:secret@10.0.0.1:5000,10.0.0.2/shop")),
            "nats://me:***@10.0.0.1:5000,10.0.0.2:4222/shop");
  EXPECT_EQ(text(parse_address("nats://h/shop?ca=/tmp/ca.pem")), "tls://h:4222/shop");
  const auto address = parse_address("tls://u:p%40ss@h/shop?cert=c.pem&key=k.pem&host=db.example&replicas=3");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->password, "p@ss");
  EXPECT_EQ(address->expected_host, "db.example");
  EXPECT_EQ(address->replicas, 3U);
}

TEST(ClusterAddress, SaysWhatIsWrong) {
  EXPECT_EQ(text(parse_address("nats://localhost")), "the stream's name is missing: nats://HOST[:PORT][,HOST…]/STREAM");
  EXPECT_EQ(text(parse_address("nats://localhost/a.b")),
            "\"a.b\" cannot be a stream's name: letters, digits, - and _ only, at most 64");
  EXPECT_EQ(text(parse_address("nats://localhost:x/a")), "\"x\" is no port");
  EXPECT_EQ(text(parse_address("nats://localhost/a?cert=c")), "cert and key are given together, or not at all");
  EXPECT_EQ(text(parse_address("nats://localhost/a?replicas=9")), "replicas is a number from 1 to 5");
  EXPECT_FALSE(parse_address("nats://localhost/a?foo=1"));
}

TEST(ClusterBatch, IsReadAsItWasWritten) {
  const std::string text = batch_text({.from = "a", .number = 3, .unjudged = 2, .split = 1, .bye = true}, "{}\n");
  const auto read = read_batch(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->head.from, "a");
  EXPECT_EQ(read->head.number, 3U);
  EXPECT_EQ(read->head.unjudged, 2U);
  EXPECT_EQ(read->head.split, 1U);
  EXPECT_TRUE(read->head.bye);
  ASSERT_EQ(read->sections.size(), 1U);
  EXPECT_EQ(read->sections[0].bytes, "{}\n");
}

TEST(ClusterBatch, OneThatIsNoBatchIsRefused) {
  for (const char* text : {"", "{}", "{}\n", "[]\n",
                           R"({"from":"a"})"
                           "\n",
                           R"({"from":"a b","batch":1})"
                           "\n",
                           R"({"from":"a","batch":-1})"
                           "\n",
                           R"({"from":"a","batch":1,"foo":1})"
                           "\n",
                           R"({"from":"a","batch":1})"
                           "\n{}"}) {
    EXPECT_FALSE(read_batch(text)) << text;
  }
}

// What a sender in any language must reproduce: CRC-32 of the key's JSON, modulo the number of partitions.
TEST(ClusterShare, KeysBelongWhereTheirChecksumSays) {
  EXPECT_EQ(partition_of("\"x\"", 16), 6U);  // zlib.crc32(b'"x"') % 16
  EXPECT_EQ(partition_of("17", 7), 2U);
}

TEST(ClusterShare, EachPartitionGetsTheOperationsOnItsKeys) {
  const History h = hist("T1: w x1 w y2 r z0");
  const Layout layout{.keys = 5, .order = true};
  std::vector<Share> shares(layout.count());
  Dealer dealer(h, layout);
  dealer.deal(TxnId{0}, shares);
  std::vector<std::string> lines;
  std::string all;
  for (std::uint32_t p = 0; p < layout.count(); ++p) {
    const bool has_some = shares[p].transactions > 0;
    lines.push_back(lines_of(shares[p]));
    EXPECT_EQ(lines[p].empty(), !has_some);
    if (!layout.is_order(p)) all += lines[p];
  }
  for (const char* key : {"\"x\"", "\"y\"", "\"z\""}) {
    EXPECT_NE(lines[partition_of(key, layout.keys)].find(key), std::string::npos) << key;
    EXPECT_EQ(all.find(key), all.rfind(key)) << key << " is in two partitions";
  }
  EXPECT_EQ(lines[layout.keys].find("\"x\""), std::string::npos) << lines[layout.keys];
}

// One that writes stands elsewhere among those of its time than one that reads: every share must say which it is.
TEST(ClusterShare, AShareWithoutTheWritesOfAWriterSaysThatItWrites) {
  ChunkReader reader("a test");
  const auto chunk = reader.read(
      "{\"id\":1,\"session\":1,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k0\",null],[\"w\",\"k1\",1]]}\n"
      "{\"id\":2,\"session\":1,\"start_ts\":5,\"commit_ts\":6,\"ops\":[[\"r\",\"k0\",null],[\"w\",\"k1\",1]]}\n"
      "{\"id\":3,\"session\":1,\"start_ts\":5,\"ops\":[[\"r\",\"k0\",null],[\"w\",\"k1\",1]]}\n");
  ASSERT_TRUE(chunk);
  const std::uint32_t reads = partition_of("\"k0\"", 2);
  ASSERT_NE(reads, partition_of("\"k1\"", 2));
  const bool marked[] = {true, false, true};
  for (std::uint32_t t = 0; t < 3; ++t) {
    std::vector<Share> shares(2);
    Dealer dealer((*chunk)->history, {.keys = 2, .order = false, .serial = false});
    dealer.deal(TxnId{t}, shares);
    EXPECT_EQ(shares[0].split + shares[1].split, t == 2 ? 1U : 0U);
    EXPECT_EQ(lines_of(shares[reads]).find("isolde:elsewhere") != std::string::npos, marked[t]) << t;
    EXPECT_EQ(lines_of(shares[1 - reads]).find("isolde:elsewhere"), std::string::npos) << t;
  }
}

// Packed or not, a share says the same: each transaction is what its line would be.
TEST(ClusterShare, PackedTransactionsSayWhatTheirLinesSay) {
  const char* const kLines =
      R"({"id":1,"session":"s","status":"unknown","begin":-5,"end":7,"start_ts":1000,"commit_ts":9007199254740993,"ops":[["w","x",-3],["r",-17,null]]}
{"id":"b","session":3,"start_ts":4,"commit_ts":5,"ops":[["append","x","text \" \n"],["inc",9007199254740993,-8]]}
{"id":3,"session":3,"status":"aborted","ops":[]}
{"id":4,"session":3,"order":7,"ops":[["r","x",[1,2]]]}
{"id":5,"session":3,"ops":[["scan","true",[["x",1]]],["w","y",4]]}
{"id":6,"session":3,"ops":[["r","x",1,{"lock":"update"}],["w","y",0.5]]}
{"id":7,"session":4,"commit":[3,4],"ops":[["w","x",1,{"at":[1,2]}]]}
{"id":8,"session":4,"ops":[["w","x",1]]}
)";
  ChunkReader reader("a test");
  const auto chunk = reader.read(kLines);
  ASSERT_TRUE(chunk) << chunk.error().message();
  const History& h = (*chunk)->history;
  const Layout layout{.keys = 3, .order = true};
  std::vector<Share> shares(layout.count());
  std::vector<std::string> expected(layout.count());
  Dealer dealer(h, layout);
  std::uint64_t packed = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    std::vector<std::uint64_t> before;
    for (const Share& share : shares) before.push_back(share.transactions);
    dealer.deal(TxnId{t}, shares);
    std::vector<std::uint32_t> owner;
    for (const ValueId name : h.columns().key_name) owner.push_back(partition_of(h.value_text(name), layout.keys));
    for (std::uint32_t p = 0; p < layout.count(); ++p) {
      if (shares[p].transactions == before[p]) continue;
      append_native_share(h, TxnId{t}, owner, p, expected[p]);
      expected[p] += '\n';
    }
    packed += can_be_packed(h, TxnId{t}) ? 1 : 0;
  }
  EXPECT_EQ(packed, 4U);
  const std::regex marks(R"re(,?\["w","isolde:elsewhere:[0-9]+",1\])re");
  for (std::uint32_t p = 0; p < layout.count(); ++p)
    EXPECT_EQ(std::regex_replace(lines_of(shares[p]), marks, ""), expected[p]);
}

TEST(ClusterShare, DamagedSectionsAreRefused) {
  const History h = hist("T1: w x1 w y2 r z0 | T2: r x1 r y2");
  std::vector<Share> shares(2);
  Dealer dealer(h, {.keys = 2, .order = false});
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) dealer.deal(TxnId{t}, shares);
  bool packed = false;
  const std::string good = batch_text({.from = "a", .number = 1, .packed = true}, shares[0].take(packed));
  Rng rng(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    const std::size_t at = good.find('\n') + 1 + rng.below(good.size() - good.find('\n') - 1);
    if (rng.chance(0.3)) {
      bad.resize(at);
    } else {
      bad[at] = static_cast<char>(rng.below(256));
    }
    const auto c = checker(one_partition(1));
    c->take({1, 1, "s.p.0.a", bad});  // never reads beyond the end, never crashes
  }
  const auto c = checker(one_partition(1));
  c->take({1, 1, "s.p.0.a", good.substr(0, good.size() - 1)});
  EXPECT_EQ(c->status().refused, 1U);
}

TEST(ClusterPartition, ABatchThatComesTwiceCountsOnceAndOneThatIsAheadWaits) {
  const auto c = checker(one_partition(1));
  c->take(message(1, 1, {.from = "a", .number = 2}, read_of(2, 1, 20)));  // before the first
  EXPECT_EQ(c->status().transactions, 0U);
  EXPECT_EQ(c->covered().at("a"), 0U);
  c->take(message(2, 1, {.from = "a", .number = 1}, write_of(1, 1, 5, 10)));
  EXPECT_EQ(c->status().transactions, 2U);
  c->take(message(3, 1, {.from = "a", .number = 1}, write_of(1, 1, 5, 10)));
  c->take(message(4, 1, {.from = "a", .number = 2}, read_of(2, 1, 20)));
  c->take(message(5, 1, {.from = "a", .number = 3, .bye = true}, ""));
  EXPECT_TRUE(c->over());
  EXPECT_EQ(c->status().transactions, 2U);
  EXPECT_TRUE(c->take_findings().empty());
}

TEST(ClusterPartition, TimeWaitsForEveryProducer) {
  const auto c = checker(one_partition(2));
  c->take(message(1, 1, {.from = "a", .number = 1}, read_of(2, 1, 20)));  // of b's write, which b has yet to send
  c->take(message(2, 2, {.from = "b", .beat = true}, ""));
  for (int t = 3; t < 40; ++t)
    c->take(message(static_cast<std::uint64_t>(t), t, {.from = "a", .number = 1, .beat = true}, ""));
  EXPECT_TRUE(c->take_findings().empty()) << "b has said nothing for 38 seconds, and may still explain the read";
  c->take(message(50, 40, {.from = "b", .number = 1}, write_of(1, 1, 5, 10)));
  c->take(message(51, 41, {.from = "b", .number = 2, .bye = true}, ""));
  c->take(message(52, 41, {.from = "a", .number = 2, .bye = true}, ""));
  EXPECT_TRUE(c->over());
  EXPECT_TRUE(c->take_findings().empty());
}

TEST(ClusterPartition, AReadThatNobodyExplainsIsReportedWhenAllHaveBeenHeard) {
  const auto c = checker(one_partition(2));
  c->take(message(1, 1, {.from = "a", .number = 1}, read_of(2, 1, 20)));
  c->take(message(2, 2, {.from = "b", .beat = true}, ""));
  c->take(message(3, 12, {.from = "b", .beat = true}, ""));
  EXPECT_TRUE(c->take_findings().empty());
  c->take(message(4, 13, {.from = "a", .number = 1, .beat = true}, ""));
  EXPECT_EQ(c->take_findings().size(), 1U);
}

TEST(ClusterPartition, ASilentProducerIsNamedAndThenNotWaitedFor) {
  const auto c = checker(one_partition(2));
  c->take(message(1, 1, {.from = "a", .number = 1}, write_of(1, 1, 5, 10)));
  c->take(message(2, 1, {.from = "b", .beat = true}, ""));
  c->take(message(3, 70, {.from = "a", .number = 1, .beat = true}, ""));
  EXPECT_EQ(c->status().silent, std::vector<std::string>{"b"});
  c->take(message(4, 71, {.from = "b", .beat = true}, ""));
  EXPECT_TRUE(c->status().silent.empty());
}

TEST(ClusterPartition, WhatIsMissingIsCountedWhenItsProducerIsGivenUp) {
  const auto c = checker(one_partition(2));
  c->take(message(1, 1, {.from = "b", .number = 3}, write_of(1, 1, 5, 10)));
  c->take(message(2, 70, {.from = "a", .beat = true}, ""));
  const PartitionStatus status = c->status();
  EXPECT_EQ(status.missing, 2U);
  EXPECT_EQ(status.first_fault, "batches 1 to 2 of b never came");
  EXPECT_EQ(status.transactions, 1U);
}

TEST(ClusterPartition, WhatAServerLeftOutIsReadAgain) {
  const auto c = checker(one_partition(2));
  c->take(message(1, 1, {.from = "a", .number = 1}, write_of(1, 1, 5, 10)));
  c->take(message(2, 1, {.from = "b", .number = 1}, write_of(2, 2, 15, 20)));
  EXPECT_FALSE(c->gap());
  // Message 3, batch 2 of a, is not shown.
  c->take(message(4, 1, {.from = "b", .number = 2, .bye = true}, ""));
  c->take(message(5, 2, {.from = "a", .number = 2, .beat = true}, ""));
  EXPECT_TRUE(c->gap());
  EXPECT_EQ(c->covered(), (std::map<std::string, std::uint64_t>{{"a", 1}, {"b", 4}}));
  c->read_again();
  c->take(message(3, 1, {.from = "a", .number = 2, .bye = true}, read_of(3, 2, 30)));
  EXPECT_FALSE(c->gap());
  EXPECT_TRUE(c->over());
  EXPECT_EQ(c->status().missing, 0U);
  EXPECT_TRUE(c->take_findings().empty());
}

TEST(ClusterPartition, ABatchUnderAnotherProducersSubjectIsRefused) {
  const auto c = checker(one_partition(1));
  StoredMessage forged = message(1, 1, {.from = "a", .number = 1, .bye = true}, write_of(1, 1, 5, 10));
  forged.subject = "s.p.0.b";
  c->take(forged);
  EXPECT_FALSE(c->over());
  c->read_again();
  c->take(forged);
  EXPECT_EQ(c->status().refused, 1U) << "what is read again is counted once";
  EXPECT_EQ(c->status().first_fault, "message 1: it is from a, and not under its subject");
}

TEST(ClusterPartition, WhatNeverComesIsCountedWhenItIsGivenUp) {
  const auto c = checker(one_partition(1));
  c->take(message(1, 1, {.from = "a", .number = 2}, write_of(1, 1, 5, 10)));
  c->take(message(2, 1, {.from = "a", .number = 3, .bye = true}, ""));
  EXPECT_FALSE(c->over());
  EXPECT_TRUE(c->lacks_its_state());
  c->give_up_gaps();
  EXPECT_FALSE(c->lacks_its_state());
  EXPECT_TRUE(c->over());
  EXPECT_EQ(c->status().missing, 1U);
  EXPECT_EQ(c->status().first_fault, "batches 1 to 1 of a never came");
}

TEST(ClusterPartition, AStatusIsReadAsItWasWritten) {
  const auto c = checker(one_partition(1));
  c->take(message(1, 1, {.from = "a", .number = 1, .unjudged = 4}, write_of(1, 1, 5, 10) + "rubbish\n"));
  PartitionStatus status = c->status();
  status.epoch = 7;
  EXPECT_EQ(status.refused, 1U);
  const auto read = read_status(status_text(status));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, status);
}

TEST(ClusterState, IsReplacedOnlyByThoseWhoHoldThePartition) {
  MemoryBroker broker;
  const Names names("s");
  ASSERT_TRUE(set_up(broker, names, one_partition(1), {}));
  constexpr StateStore::Time kNow{0};
  StateStore store(broker, names, 0, 1);
  const auto save = [&](StateStore& by, std::uint64_t epoch, std::uint64_t resume, const std::string& bytes) {
    by.begin_save(epoch, resume, bytes);
    while (true) {
      const auto saved = by.save(kNow, true);
      EXPECT_TRUE(saved);
      if (*saved != StateStore::Saved::kPending) return *saved;
      broker.poll(std::chrono::milliseconds(1));
    }
  };
  const std::string large(1'000'000, 'x');
  ASSERT_EQ(save(store, 5, 10, large), StateStore::Saved::kYes);
  StateStore blind(broker, names, 0, 2);
  EXPECT_EQ(save(blind, 6, 50, "begun without the state"), StateStore::Saved::kLost);
  StateStore later(broker, names, 0, 3);
  while (!later.load(kNow)) broker.poll(std::chrono::milliseconds(1));
  ASSERT_EQ(save(later, 7, 20, "new"), StateStore::Saved::kYes);
  EXPECT_EQ(save(store, 5, 30, "old"), StateStore::Saved::kLost);
  StateStore reader(broker, names, 0, 4);
  std::optional<Result<LoadedState>> loaded;
  while (!(loaded = reader.load(kNow))) broker.poll(std::chrono::milliseconds(1));
  ASSERT_TRUE(*loaded);
  ASSERT_TRUE((*loaded)->state);
  EXPECT_EQ((*loaded)->state->bytes, "new");
  EXPECT_EQ((*loaded)->state->resume, 20U);
  for (std::uint64_t resume = 30; resume < 60; ++resume)
    ASSERT_EQ(save(reader, 8, resume, "newer"), StateStore::Saved::kYes);
  EXPECT_LE((*broker.facts(names.state()))->messages, 4U) << "the last two are there, with their manifests";
}

TEST(ClusterState, IsNotWrittenBeforeWhatItCoversIsStored) {
  MemoryBroker broker;
  const Names names("s");
  ASSERT_TRUE(set_up(broker, names, one_partition(1), {}));
  StateStore store(broker, names, 0, 1);
  store.begin_save(5, 10, "state");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(*store.save(StateStore::Time(0), false), StateStore::Saved::kPending);
    broker.poll(std::chrono::milliseconds(1));
  }
  const auto manifest = last_now(broker, names.state(), names.manifest(0));
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->sequence, 0U);
}

}  // namespace isolde::cluster
