#include "check/read_rules/write_index.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "history/history_builder.h"

namespace isolde {
namespace write_index_test {

// One write a transaction: its key and value by number.
struct Write {
  int key;
  std::int64_t value;  // -1: a delete
};

void expect_all_found(int count, const std::function<Write(int)>& write) {
  HistoryBuilder b;
  std::set<std::pair<std::uint32_t, std::uint32_t>> written;
  for (int i = 0; i < count; ++i) {
    const auto [number, value] = write(i);
    const KeyId key = b.key(std::to_string(number));
    const ValueId id = value < 0 ? kNullValue : b.values().integer(value);
    b.begin_txn(b.session(0));
    b.write(key, id);
    b.end_txn();
    written.emplace(raw(key), raw(id));
  }
  const auto h = b.finish();
  ASSERT_TRUE(h);
  const WriteIndex index(*h);
  for (std::uint32_t t = 0; t < h->txn_count(); ++t) {
    const WriteIndex::Entry* const entry = index.find(h->op(t).key(), h->op_value(t));
    ASSERT_NE(entry, nullptr) << t;
    ASSERT_EQ(h->op(raw(entry->txn)).key(), h->op(t).key());
    ASSERT_EQ(h->op_value(raw(entry->txn)), h->op_value(t));
    // The same value of another key, and the next value of this one.
    const KeyId other{(raw(h->op(t).key()) + 1) % h->key_count()};
    ASSERT_EQ(index.find(other, h->op_value(t)) != nullptr, written.contains({raw(other), raw(h->op_value(t))}));
    const ValueId next{raw(h->op_value(t)) + 1};
    ASSERT_EQ(index.find(h->op(t).key(), next) != nullptr, written.contains({raw(h->op(t).key()), raw(next)}));
  }
  EXPECT_EQ(index.repeated(), 0U);
}

TEST(WriteIndex, FindsValuesThatCountUp) {
  expect_all_found(5000, [](int i) { return Write{i % 7, i}; });
  expect_all_found(5000, [](int i) { return Write{i % 7, 5000 - i}; });
  expect_all_found(5000, [](int i) { return Write{i % 7, std::int64_t{i} * 40'009}; });
}

TEST(WriteIndex, FindsValuesThatEachKeyCountsForItself) {
  expect_all_found(5000, [](int i) { return Write{i % 500, i / 500}; });
  // Nearly all are unlike, and then comes one value of a thousand keys.
  expect_all_found(6000, [](int i) { return i < 5000 ? Write{i % 7, i} : Write{1000 + i, 77}; });
}

TEST(WriteIndex, FindsLargeAndDeletedValues) {
  expect_all_found(5000, [](int i) { return Write{i, i % 3 == 0 ? -1 : (std::int64_t{1} << 40) + i}; });
  expect_all_found(5000, [](int i) { return Write{i % 7, (std::int64_t{i} * 2'654'435'761) % 0x7fffffff}; });
}

}  // namespace write_index_test
}  // namespace isolde
