// format/jepsen_names.h: the keys and values of a Jepsen history as keys and values of ours.
//
// In, out: a form -> KeyId or ValueId. :x, x and "x" are all called x; what is no name and no integer is called by its
//          EDN text, e.g. [:anti 5]. Vectors, lists and sets become lists, maps become rows.
// Always:  two forms that differ never become one: where two of a history would, `keys_collide()` or `values_collide()`
//          is true, and a reading in which such names are EDN texts (":x", "x", "\"x\"") keeps them apart.
//          In JSON, where an object's keys are strings, a key that spells an integer is that integer.
#pragma once

#include <string>
#include <vector>

#include "format/edn.h"
#include "history/history_builder.h"

namespace isolde {

class JepsenNames {
 public:
  struct Style {
    bool json = false;
    bool text_keys = false;  // keys by their EDN text
    bool text_values = false;
  };
  JepsenNames(HistoryBuilder& builder, Style style) : builder_(builder), style_(style) {}

  KeyId key(EdnRef form);
  // A key of a map: {0 100}, in JSON {"0": 100}.
  KeyId map_key(EdnRef form);
  // A key that the workload has, whatever the file calls it.
  KeyId own_key(std::string_view name) { return builder_.key(name); }
  ValueId value(EdnRef form);

  [[nodiscard]] bool keys_collide() const { return keys_collide_; }
  [[nodiscard]] bool values_collide() const { return values_collide_; }

 private:
  KeyId noted(KeyId key, EdnKind kind);
  ValueId text_value(EdnRef form);
  ValueId row(EdnRef form);

  HistoryBuilder& builder_;
  Style style_;
  std::vector<std::uint16_t> key_kinds_;    // by KeyId: the kinds of forms that became this key, a bit each
  std::vector<std::uint16_t> value_kinds_;  // by place in the value table
  std::vector<ValueId> list_;               // the lists that are being made, one behind the other
  std::string scratch_;
  bool keys_collide_ = false, values_collide_ = false;
};

}  // namespace isolde
