// The C API, used as a binding uses it.
#include "isolde/c.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace isolde {
namespace c_test {

struct Free {
  void operator()(isolde_history* h) const { isolde_history_free(h); }
  void operator()(isolde_verdict* v) const { isolde_verdict_free(v); }
  void operator()(char* text) const { isolde_free(text); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

constexpr const char* kLostUpdate =
    "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
    "{\"session\":2,\"ops\":[[\"r\",\"x\",null],[\"w\",\"x\",2]]}\n";

Owned<isolde_history> parsed(const char* text) {
  char* error = nullptr;
  Owned<isolde_history> history(isolde_parse(text, std::strlen(text), nullptr, &error));
  EXPECT_EQ(history == nullptr, error != nullptr);
  isolde_free(error);
  return history;
}

bool contains(const char* const* names, const std::string& wanted) {
  for (; *names != nullptr; ++names) {
    if (*names == wanted) return true;
  }
  return false;
}

TEST(CApi, AViolationIsNamedAndExplained) {
  const auto history = parsed(kLostUpdate);
  ASSERT_NE(history, nullptr);
  EXPECT_EQ(isolde_history_transactions(history.get()), 2U);
  EXPECT_EQ(isolde_history_operations(history.get()), 4U);
  const Owned<isolde_verdict> verdict(isolde_check(history.get(), "si", nullptr, nullptr));
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(isolde_verdict_outcome(verdict.get()), ISOLDE_VIOLATED);
  EXPECT_STREQ(isolde_verdict_level(verdict.get()), "snapshot-isolation");
  EXPECT_STREQ(isolde_verdict_reason(verdict.get()), "");
  EXPECT_EQ(isolde_verdict_anomalies(verdict.get()), 1U);
  ASSERT_EQ(isolde_verdict_anomalies_kept(verdict.get()), 1U);
  EXPECT_STREQ(isolde_verdict_anomaly_name(verdict.get(), 0), "lost-update");
  EXPECT_NE(std::strlen(isolde_verdict_anomaly_text(verdict.get(), 0)), 0U);
  EXPECT_EQ(isolde_verdict_anomaly_name(verdict.get(), 1), nullptr);
  EXPECT_NE(std::strstr(isolde_verdict_json(verdict.get()), "\"verdict\": \"violated\""), nullptr)
      << isolde_verdict_json(verdict.get());
}

TEST(CApi, AVerdictOutlivesItsHistoryAndOptionsAreHonoured) {
  auto history = parsed(kLostUpdate);
  isolde_options options;
  isolde_options_init(&options);
  options.method = "solver";
  options.prove = 1;
  const Owned<isolde_verdict> verdict(isolde_check(history.get(), "rc", &options, nullptr));
  ASSERT_EQ(verdict, nullptr) << "the solver does not judge this level";
  options.method = nullptr;
  const Owned<isolde_verdict> other(isolde_check(history.get(), "rc", &options, nullptr));
  history.reset();
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(isolde_verdict_outcome(other.get()), ISOLDE_SATISFIED) << isolde_verdict_json(other.get());
}

TEST(CApi, ACheckCanBeCancelled) {
  const auto history = parsed(
      R"({"session":1,"ops":[["w","x",1]]}
{"session":2,"ops":[["w","x",2]]}
{"session":3,"ops":[["r","x",1]]}
{"session":4,"ops":[["r","x",2]]}
)");
  isolde_cancel* const cancel = isolde_cancel_new();
  ASSERT_NE(cancel, nullptr);
  isolde_options options;
  isolde_options_init(&options);
  options.method = "solver";
  options.cancel = cancel;
  const Owned<isolde_verdict> before(isolde_check(history.get(), "ser", &options, nullptr));
  EXPECT_EQ(isolde_verdict_outcome(before.get()), ISOLDE_SATISFIED);
  isolde_cancel_set(cancel);
  const Owned<isolde_verdict> after(isolde_check(history.get(), "ser", &options, nullptr));
  EXPECT_EQ(isolde_verdict_outcome(after.get()), ISOLDE_UNDECIDED);
  EXPECT_STREQ(isolde_verdict_reason(after.get()), "it was cancelled");
  isolde_cancel_free(cancel);
}

TEST(CApi, OptionsOfAnEarlierVersionLackTheLastFields) {
  const auto history = parsed(kLostUpdate);
  isolde_options options;
  isolde_options_init(&options);
  options.progress = [](void*, const char*, std::uint64_t, std::uint64_t) {
    FAIL() << "this field is behind the size";
  };
  options.size = offsetof(isolde_options, progress);
  const Owned<isolde_verdict> verdict(isolde_check(history.get(), "ser", &options, nullptr));
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(isolde_verdict_outcome(verdict.get()), ISOLDE_VIOLATED);
}

TEST(CApi, ErrorsAreMessages) {
  char* error = nullptr;
  EXPECT_EQ(isolde_load("no-such-file", nullptr, &error), nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::strstr(error, "no-such-file"), nullptr) << error;
  isolde_free(error);
  error = nullptr;
  EXPECT_EQ(isolde_parse("{\"session\":1,\"ops\":[[\"r\"]]}", 27, "native", &error), nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(std::string(error).rfind("text:1:", 0), 0U) << error;
  isolde_free(error);
  EXPECT_EQ(isolde_load("no-such-file", nullptr, nullptr), nullptr);
  const auto history = parsed(kLostUpdate);
  error = nullptr;
  EXPECT_EQ(isolde_check(history.get(), "perfect", nullptr, &error), nullptr);
  EXPECT_STREQ(error, "unknown level \"perfect\"");
  isolde_free(error);
  isolde_history_free(nullptr);
  isolde_verdict_free(nullptr);
}

TEST(CApi, NamesAreLists) {
  EXPECT_TRUE(contains(isolde_level_names(), "snapshot-isolation"));
  EXPECT_TRUE(contains(isolde_method_names(), "timeline"));
  EXPECT_TRUE(contains(isolde_format_names(), "native"));
  EXPECT_NE(std::strlen(isolde_version()), 0U);
}

}  // namespace c_test
}  // namespace isolde
