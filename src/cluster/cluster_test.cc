// Addresses, batches, shares and statuses; the rest is in simulation_test.cc.
#include <gtest/gtest.h>

#include "cluster/address.h"
#include "cluster/batch.h"
#include "cluster/memory_broker_testing.h"
#include "cluster/partition_checker.h"
#include "cluster/state_store.h"
#include "cluster/trace_sender.h"
#include "format/native_chunks.h"
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
  EXPECT_EQ(read->lines, "{}\n");
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
  std::string all;
  for (std::uint32_t p = 0; p < layout.keys; ++p) {
    all += shares[p].lines;
    EXPECT_EQ(shares[p].lines.empty(), shares[p].transactions == 0);
  }
  for (const char* key : {"\"x\"", "\"y\"", "\"z\""}) {
    EXPECT_NE(shares[partition_of(key, layout.keys)].lines.find(key), std::string::npos) << key;
    EXPECT_EQ(all.find(key), all.rfind(key)) << key << " is in two partitions";
  }
  EXPECT_NE(shares[layout.keys].lines.find("\"ops\":[]"), std::string::npos) << shares[layout.keys].lines;
}

TEST(ClusterPartition, ABatchThatComesTwiceCountsOnceAndOneThatIsAheadWaits) {
  const auto c = checker(one_partition(1));
  c->take(message(1, 1, {.from = "a", .number = 2}, read_of(2, 1, 20)));  // before the first
  EXPECT_EQ(c->status().transactions, 0U);
  EXPECT_EQ(c->resume_at(), 1U);
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
  StateStore store(broker, names, "");
  const std::string large(1'000'000, 'x');
  ASSERT_EQ(*store.save(0, {.epoch = 5, .resume = 10, .bytes = large}), StateStore::Saved::kYes);
  ASSERT_EQ(*store.save(0, {.epoch = 7, .resume = 20, .bytes = "new"}), StateStore::Saved::kYes);
  EXPECT_EQ(*store.save(0, {.epoch = 5, .resume = 30, .bytes = "old"}), StateStore::Saved::kLost);
  const auto loaded = store.load(0);
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(*loaded);
  EXPECT_EQ((*loaded)->bytes, "new");
  EXPECT_EQ((*loaded)->resume, 20U);
  EXPECT_LE((*broker.facts(names.state()))->messages, 2U) << "the parts of earlier states are dropped";
}

}  // namespace isolde::cluster
