// format/native_operations.h: the operations of one transaction of native JSON.
//
// In, out: the list `ops` -> the operations in the builder's open transaction, or what is wrong with one.
// Always:  an operation is added when all its parts are there, so that none is added by half.
#pragma once

#include <utility>
#include <vector>

#include "format/native_values.h"

namespace isolde {

class NativeOperations : protected NativeValues {
 protected:
  using NativeValues::NativeValues;

  // Requires: the builder has an open transaction.
  Fault operations(Json value);

 private:
  // The parts of one operation as they come; what they mean is settled when all are there.
  struct Parts {
    std::string name;
    int count = 0;  // parts before the details
    KeyId key{};
    ValueId value = kNullValue;
    std::string where, expression;
    std::vector<Item> rows;
    Lock lock = Lock::kNone;
    std::int64_t before = kNoTime, after = kNoTime;
    std::optional<std::vector<Item>> vset;
    std::vector<std::pair<std::size_t, std::string>> vset_names;  // of the entries that are named by text alone
  };

  Fault operation(Json value);
  Fault operation_part(Json part, Parts& parts, bool& has_details);
  Fault details(Json value, Parts& parts);
  Fault rows(Json value, std::vector<Item>& out);
};

}  // namespace isolde
