// proxy/values/value_recorder.h: a recording by values of everything that a proxy passes on to a MariaDB or MySQL
// server.
//
// In, out: the server's URL and where the history goes -> a conversation for each connection; at the end the history.
// Always:  while it runs, and after a kill, what was recorded is in the file OUT.wire, which every verb reads.
#pragma once

#include <memory>
#include <string>

#include "db/url.h"
#include "format/format.h"
#include "proxy/capture/recorder.h"
#include "proxy/values/catalogue.h"
#include "proxy/values/value_trace.h"

namespace isolde::proxy::values {

class ValueRecorder final : public capture::AnyRecorder {
 public:
  // Requires: nothing is at `path` or `path`.wire yet.
  [[nodiscard]] static Result<std::unique_ptr<capture::AnyRecorder>> begin(const db::Url& server,
                                                                           const capture::RecorderOptions& options);
  [[nodiscard]] MakeConversation conversations() override;
  [[nodiscard]] Result<capture::Recorded> finish() override;

 private:
  ValueRecorder() = default;

  std::string path_, wire_;
  const FormatInfo* format_ = nullptr;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<ValueTrace> trace_;
};

}  // namespace isolde::proxy::values
