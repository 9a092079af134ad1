// cli/watch_picture.h: violations of a watched stream as pictures: who depends on whom, and by which operations.
//
// In, out: violations, and the recording where there is one -> steps and transactions as a page draws them (Step,
//          Transaction of web/src/data.ts).
// Always:  without the recording, a transaction shows only the operations that the violation itself names: an engine
//          in bounded memory has no others. A violation of more than 12 transactions has no picture.
// Cost:    linear in the recording, once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/online.h"
#include "history/history.h"
#include "report/page/check_page.h"
#include "report/page/shown_history.h"

namespace isolde::cli {

class WatchPictures {
 public:
  // Both outlive it. `recorded`: null: there is none.
  WatchPictures(std::span<const OnlineViolation> violations, const History* recorded);

  struct Picture {
    std::vector<std::uint32_t> transactions;  // places in transactions_json()
    std::string steps = "[]";
  };
  // Of one of the violations; no transactions: there is nothing to draw.
  [[nodiscard]] const Picture& of(std::size_t violation) const { return pictures_[violation]; }
  [[nodiscard]] std::string transactions_json();

 private:
  void draw_named(const OnlineViolation& violation, Picture& picture);
  void draw_recorded(std::span<const OnlineViolation> violations);

  std::vector<Picture> pictures_;
  std::vector<std::string> named_;  // transactions as JSON, without a recording
  const PageOptions options_;
  std::optional<ShownHistory> shown_;
};

}  // namespace isolde::cli
