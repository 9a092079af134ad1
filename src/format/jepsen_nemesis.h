// format/jepsen_nemesis.h: operations of a Jepsen nemesis <-> the faults of a history.
//
// In, out: operations of processes that are no clients, in file order, with their places among those of clients ->
// fault
//          marks; a mark -> operations of :process :nemesis.
// Always:  a nemesis logs an operation before it is carried out and again afterwards, both as :info; so of one process,
//          the first and the second with the same :f are one fault with a begin and an end, the third and the fourth
//          the next. One without a second, or with both at the same place, is a moment. The detail is the later :value
//          that is not nil, as EDN text (of a string: the string).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "format/jepsen_op.h"
#include "history/history_builder.h"

namespace isolde {

class JepsenNemesis {
 public:
  explicit JepsenNemesis(HistoryBuilder& builder) : builder_(builder) {}
  // `place`: of the client's operation that comes next.
  void take(const JepsenOp& op, std::int64_t place);

 private:
  struct Begun {
    std::int64_t place;
    std::size_t fault;
  };
  HistoryBuilder& builder_;
  std::map<std::pair<std::string, std::string>, Begun> begun_;  // by process and :f
};

// Appends the operation, and a newline.
void append_nemesis_op(const History& history, const FaultMark& fault, bool with_detail, std::string& out);

}  // namespace isolde
