// difference(): every kind of difference is found, and other ids alone are none.
#include <gtest/gtest.h>

#include <functional>

#include "history/history.h"
#include "history/history_builder.h"

namespace isolde {
namespace difference_test {

// A history of everything; `change(name)` says whether that part is to differ.
History history(std::string_view changed, bool other_ids = false) {
  const auto is = [&](std::string_view part) { return changed == part; };
  HistoryBuilder b;
  if (other_ids) {
    (void)b.key("unused");
    (void)b.values().string("filler");
    (void)b.key("y");
    (void)b.session(99);
    (void)b.values().list(std::vector{b.values().integer(-1)});
  }
  ValueInterner& v = b.values();
  const KeyId x = b.key("x");
  const KeyId y = b.key("y");
  b.set_about(is("about") ? "other" : "text");
  if (is("flags")) b.set_serial_by_commit_ts();
  b.set_default_initial(v.integer(is("default") ? 1 : 0));
  b.set_initial(y, v.integer(is("initial") ? 4 : 3));
  const Item rows[] = {{x, is("row") ? v.integer(2) : v.string("a")}};
  const Item versions[] = {{y, v.integer(is("vset") ? 7 : 8)}};
  const std::int64_t active[] = {1, is("active") ? 2 : 3};
  for (int t = 0; t < 2; ++t) {
    const bool here = t == 1;
    b.begin_txn(b.session(here && is("session") ? 8 : 5));
    if (here) b.set_id(v.string(is("id") ? "b" : "a"));
    b.set_begin(here && is("begin") ? 11 : 10);
    b.set_end(here && is("end") ? 21 : 20);
    b.set_commit(here && is("commit") ? 16 : 15, here && is("commit after") ? 18 : 17);
    b.set_start_ts(here && is("start_ts") ? 2 : 1);
    b.set_commit_ts(here && is("commit_ts") ? 5 : 4);
    if (!(here && is("order"))) b.set_order(t);
    b.set_sno(here && is("sno") ? 9 : t);
    if (here && is("status")) b.set_status(Status::kUnknown);
    if (here)
      b.set_snapshot(is("no xid") ? std::nullopt : std::optional<std::int64_t>(9), is("xmin") ? 2 : 1, 4, active);
    b.write(here && is("key") ? y : x, here && is("value") ? v.real(1.5) : v.list(std::vector{v.string("e")}));
    b.at(here && is("at") ? 12 : 11, 13);
    b.read(x, kNullValue, here && is("lock") ? Lock::kShare : Lock::kNone);
    if (here && is("kind")) {
      b.append(x, v.integer(1));
    } else {
      b.write(x, v.integer(1));
    }
    if (here && is("count")) b.read(x, kNullValue);
    b.scan(here && is("where") ? "false" : "true", rows);
    if (!(here && is("no vset"))) b.vset(versions);
    b.aggregate(here && is("aggregate") ? "min(v)" : "max(v)", "true", v.integer(1));
    b.end_txn();
  }
  if (is("txns")) {
    b.begin_txn(b.session(5));
    b.end_txn();
  }
  b.version_order(x, std::vector{v.integer(is("version") ? 1 : 2), v.string("e")}, !is("complete"));
  b.version_order_by_txn(is("order key") ? x : y, std::vector{v.integer(0)}, true);
  if (is("orders")) b.version_order(x, {}, true);
  b.fault(is("fault begin") ? 4 : 5, is("fault end") ? 7 : 6, v.string(is("fault") ? "crash" : "restart"),
          is("fault detail") ? v.string("hard") : kNullValue);
  if (is("faults")) b.fault(1, kNoTime, v.string("pause"), kNullValue);
  auto h = b.finish();
  EXPECT_TRUE(h) << (h ? "" : h.error().text);
  return *std::move(h);
}

TEST(Difference, NoneWhateverIdsTheyGave) {
  EXPECT_EQ(difference(history(""), history("")), "");
  EXPECT_EQ(difference(history(""), history("", true)), "");
  EXPECT_EQ(difference(history("", true), history("")), "");
}

TEST(Difference, EveryKindIsFound) {
  const std::pair<std::string_view, std::string_view> all[] = {
      {"about", "other text in `about`"},
      {"flags", "other flags in the header"},
      {"default", "other initial value"},
      {"initial", "transaction 0 (place 0): other version set"},
      {"txns", "2 transactions against 3"},
      {"id", "transaction a (place 1): other id"},
      {"session", "transaction a (place 1): other session"},
      {"status", "transaction a (place 1): other status"},
      {"begin", "transaction a (place 1): other begin or end"},
      {"end", "transaction a (place 1): other begin or end"},
      {"start_ts", "transaction a (place 1): other timestamps"},
      {"commit_ts", "transaction a (place 1): other timestamps"},
      {"order", "transaction a (place 1): other order"},
      {"sno", "transaction a (place 1): other sno"},
      {"commit", "transaction a (place 1): other interval of the commit"},
      {"commit after", "transaction a (place 1): other interval of the commit"},
      {"xmin", "transaction a (place 1): other snapshot"},
      {"no xid", "transaction a (place 1): other snapshot"},
      {"active", "transaction a (place 1): other snapshot"},
      {"count", "transaction a (place 1): other number of operations"},
      {"key", "transaction a (place 1): other key"},
      {"value", "transaction a (place 1): other value"},
      {"at", "transaction a (place 1): other interval of an operation"},
      {"lock", "transaction a (place 1): other kind of operation"},
      {"kind", "transaction a (place 1): other kind of operation"},
      {"where", "transaction a (place 1): other predicate"},
      {"aggregate", "transaction a (place 1): other predicate"},
      {"row", "transaction 0 (place 0): other predicate result"},
      {"vset", "transaction 0 (place 0): other version set"},
      {"no vset", "transaction a (place 1): other version set"},
      {"version", "other version order of key x"},
      {"complete", "other version order of key x"},
      {"order key", "other version order of key y"},
      {"orders", "2 version orders against 3"},
      {"fault", "other faults"},
      {"fault begin", "other faults"},
      {"fault end", "other faults"},
      {"fault detail", "other faults"},
      {"faults", "other faults"},
  };
  for (const auto& [part, says] : all) {
    EXPECT_EQ(difference(history(""), history(part)), says) << part;
    EXPECT_EQ(difference(history(""), history(part, true)), says) << part;
    EXPECT_NE(difference(history(part), history("")), "") << part;
  }
}

}  // namespace difference_test
}  // namespace isolde
