#include "format/viper.h"

#include <gtest/gtest.h>

#include "tests/support/format_testing.h"

namespace isolde {
namespace viper_test {

using testing::folder_of;
using testing::shown;

std::string reading(const std::map<std::string, std::string>& files, bool lenient = false) {
  return shown(kViperFormat.read(folder_of(files), ReadOptions{.lenient = lenient}));
}
std::string reading(const std::string& line) { return reading({{"J0.log", line + "\n"}}); }

TEST(ViperReader, EachFileIsASessionAndEachLineATransaction) {
  EXPECT_EQ(reading({{"J10.log", "{\"value\":[[\"w\",1,5,true]]}\n"},
                     {"J2.log", "{\"value\":[[\"r\",1,5,false],[\"r\",2,0,true]]}\n{\"value\":[]}\n"},
                     {"J3.log", ""},
                     {"notes.txt", "?"}}),
            "0@2: r 1=5 r 2=0\n1@2:\n2@10: w 1=5\n");
}

TEST(ViperReader, ATombstoneIsAVersionOfItsOwn) {
  EXPECT_EQ(reading(R"({"value":[["d",1,9,5,false,true],["r",1,9,true]]})"),
            "0@0: r 1=5 w 1={\"dead\":9} r 1={\"dead\":9}\n");
  EXPECT_EQ(reading(R"({"value":[["i",1,10,9,true,true]]})"), "0@0: r 1={\"dead\":9} w 1=10\n");
}

TEST(ViperReader, AnOperationWithoutSuccessDidNotHappen) {
  EXPECT_EQ(reading(R"({"value":[["w",1,5,false],["i",1,6,0,false,false],["w",2,7,true]]})"), "0@0: w 2=7\n");
}

TEST(ViperReader, ARangeIsAScanOverLiveAndDeadVersions) {
  EXPECT_EQ(reading(R"({"value":[["range",1,5,[{"id":2,"val":7}],[{"id":3,"val":8}]]]})"),
            "0@0: scan(key BETWEEN 1 AND 5 AND dead IS NULL): 2=7 of 2=7 3={\"dead\":8}\n");
  EXPECT_EQ(
      reading(R"({"value":[["range","nil",5,[],[]],["range","a'b","nil",[],[]],["range","nil","nil",[],[]]]})"),
      "0@0: scan(key <= 5 AND dead IS NULL): of scan(key >= 'a''b' AND dead IS NULL): of scan(dead IS NULL): of\n");
}

TEST(ViperReader, TheInitialStateIsNoTransaction) {
  const std::map<std::string, std::string> files = {
      {"J0.log",
       "{\"value\":[[\"w\",1,5,true],[\"range\",\"nil\",\"nil\",[{\"id\":2,\"val\":6}],[{\"id\":3,\"val\":7}]]],"
       "\"isInitial\":true}\n"},
      {"J1.log", "{\"value\":[[\"r\",1,5,false],[\"r\",4,\"nil\",false]]}\n"}};
  const auto result = kViperFormat.read(folder_of(files), {});
  EXPECT_EQ(shown(result), "0@1: r 1=5 r 4=0\n");
  const History& h = result->history;
  std::string initial;
  for (std::uint32_t k = 0; k < h.key_count(); ++k)
    initial += h.key_text(KeyId{k}) + "=" + h.value_text(h.initial(KeyId{k})) + " ";
  EXPECT_EQ(initial, "1=5 2=6 3={\"dead\":7} 4=0 ");
}

// What each key holds at first, and how many notes there are.
std::string initial_of(const std::vector<std::string>& lines, const ReadOptions& options = {}) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const auto result = kViperFormat.read(folder_of({{"J0.log", text}}), options);
  if (!result) return result.error().message();
  std::string out;
  for (std::uint32_t k = 0; k < result->history.key_count(); ++k) {
    out +=
        result->history.key_text(KeyId{k}) + "=" + result->history.value_text(result->history.initial(KeyId{k})) + " ";
  }
  return out + "notes " + std::to_string(result->notes.size());
}

TEST(ViperReader, AValueThatNobodyWroteIsTheInitialOneWhereTheLoadPhaseIsNotLogged) {
  EXPECT_EQ(
      initial_of({R"({"value":[["r",1,77,false],["w",1,5,true]]})", R"({"value":[["r",1,5,false],["r",2,0,false]]})"}),
      "1=77 2=0 notes 1");
  EXPECT_EQ(initial_of({R"({"value":[["range","nil","nil",[{"id":3,"val":8}],[{"id":4,"val":9}]]]})"}),
            "3=8 4={\"dead\":9} notes 1");
  EXPECT_EQ(initial_of({R"({"value":[["i",1,5,0,false,true]]})"}), "1=0 notes 0") << "nothing is to be assumed";
}

TEST(ViperReader, AValueThatNobodyWroteIsNoneWhereTheFolderSaysWhatKeysHeld) {
  EXPECT_EQ(initial_of({R"({"value":[["w",2,6,true]],"isInitial":true})", R"({"value":[["r",1,77,false]]})"}),
            "2=6 1=0 notes 0");
  EXPECT_EQ(initial_of({R"({"value":[["r",1,77,false]]})", R"({"value":[["r",1,0,false]]})"}), "1=0 notes 0")
      << "the key was seen without it";
  EXPECT_EQ(initial_of({R"({"value":[["r",1,77,false]]})"}, {.initial = "0"}), "1=0 notes 0");
}

TEST(ViperReader, AnErrorNamesItsFileAndPlace) {
  EXPECT_EQ(reading({{"J0.log", "{\"value\":[]}\n{\"value\":[[\"r\",true,1]]}\n"}}),
            "mem/J0.log:2:16: expected the key, a 64-bit integer or a string");
  EXPECT_EQ(reading("{\"valu\":[]}"), "mem/J0.log:1:1: expected the field \"value\", an array of operations");
  EXPECT_EQ(reading("{\"value\":[[\"x\",1,1]]}").substr(0, 41), "mem/J0.log:1:11: expected an operation: [");
  EXPECT_EQ(reading("[1]"), "mem/J0.log:1:1: expected a transaction: {\"value\":[…]}");
}

TEST(ViperReader, ALastLineThatIsCutOffIsDroppedOnlyWhenAskedFor) {
  const std::map<std::string, std::string> files = {{"J0.log", "{\"value\":[[\"w\",1,5,true]]}\n{\"value\":[[\"r\""}};
  EXPECT_FALSE(kViperFormat.read(folder_of(files), {}).has_value());
  EXPECT_EQ(reading(files, true), "0@0: w 1=5\n");
}

}  // namespace viper_test
}  // namespace isolde
