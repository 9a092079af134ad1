// Every predicate and aggregate that a reader writes is one that the evaluator takes, and of the rows that a scan
// returned none is unknown to it.
#include <gtest/gtest.h>

#include <filesystem>

#include "format/format.h"
#include "history/predicate_aggregate.h"
#include "history/predicate_shapes.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace predicate_readers_test {

namespace fs = std::filesystem;

// How many predicates the history has; each must compile.
int compiled(const History& h, const std::string& name) {
  const ValueTable values = h.values();
  PredicateCompiler compiler(values);
  int count = 0;
  for (std::uint32_t i = 0; i < h.columns().predicates.size(); ++i) {
    const Predicate& p = h.predicate(PredicateId{i});
    const auto predicate = compiler.compile(values.string(p.where));
    EXPECT_TRUE(predicate.has_value()) << name << ": " << values.string(p.where);
    if (p.aggregate != kNullValue) {
      EXPECT_TRUE(CompiledAggregate::compile(values.string(p.aggregate), compiler.columns()).has_value()) << name;
    }
    ++count;
    if (!predicate || p.aggregate != kNullValue) continue;
    for (const Item& item : h.items(p)) {
      if (item.value == kNullValue) continue;
      EXPECT_NE(predicate->evaluate(values, h.columns().key_name[raw(item.key)], item.value).truth, Truth::kUnknown)
          << name << ": " << values.string(p.where) << " of " << values.json(item.value);
    }
  }
  return count;
}

TEST(PredicatesOfReaders, NativeScansAggregatesAndUpdatesCompile) {
  const std::string text = R"--({"isolde": 1}
{"session":1,"ops":[["scan","c1 > -1 AND key <> 'y'",[["x",{"c1":1,"c2":"it's"}]]],["agg","max(c1)","c2 = 'it''s'",1],["agg","count(*)","TRUE",2],["update","c1 = 1",[["x",{"c1":1}]]]]}
)--";
  const auto read = format_named("native")->read(testing::source_of(text), {});
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(compiled(read->history, "native"), 4);
}

TEST(PredicatesOfReaders, ClosedPredicatesOfElleCompile) {
  const std::string text =
      "{:process 0, :type :invoke, :f :txn, :value [[:rp :true nil] [:rp [:mod 2 0] nil] [:rp [:= -3] nil]], :index "
      "0}\n"
      "{:process 0, :type :ok, :f :txn, :value [[:rp :true {:x 1}] [:rp [:mod 2 0] {:y 4}] [:rp [:= -3] {:z -3}]], "
      ":index 1}\n";
  const auto read = format_named("jepsen-edn")->read(testing::source_of(text), {});
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(compiled(read->history, "edn"), 3);
}

TEST(PredicatesOfReaders, RangesOfViperCompile) {
  const std::map<std::string, std::string> files = {
      {"J0.log",
       "{\"value\":[[\"range\",1,5,[{\"id\":2,\"val\":7}],[{\"id\":3,\"val\":8}]],[\"range\",-9,-5,[],[]],"
       "[\"range\",\"nil\",5,[],[]],[\"range\",\"a'b\",\"nil\",[],[]],[\"range\",\"nil\",\"nil\",[],[]]]}\n"}};
  const auto read = format_named("viper")->read(testing::folder_of(files), {});
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(compiled(read->history, "viper"), 5);
}

TEST(PredicatesOfReaders, EveryPredicateOfTheSharedHistoriesCompiles) {
  const fs::path folder = ISOLDE_SOURCE_DIR "/../shared/histories/elle/closed_predicate";
  if (!fs::exists(folder)) GTEST_SKIP() << "no folder shared/histories/elle/closed_predicate beside the sources";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto read = load(entry.path().string(), nullptr, {});
    ASSERT_TRUE(read.has_value()) << read.error().message();
    count += compiled(read->history, entry.path().filename().string());
  }
  EXPECT_GT(count, 10);
}

}  // namespace predicate_readers_test
}  // namespace isolde
