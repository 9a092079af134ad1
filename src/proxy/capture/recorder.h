// proxy/capture/recorder.h: a recording of everything that a proxy passes on.
//
// In, out: the server's URL and where the history goes -> a conversation for each connection; at the end the history.
// Always:  while it runs, and after a kill, what was recorded is in the file OUT.wire, which every verb reads.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db/url.h"
#include "format/format.h"
#include "proxy/capture/plan.h"
#include "proxy/capture/server_facts.h"
#include "proxy/capture/sql_log.h"
#include "proxy/capture/trace_file.h"
#include "proxy/loop.h"

namespace isolde::proxy::capture {

struct RecorderOptions {
  std::string path;                      // of the history
  std::size_t loops = 1;                 // of the proxy
  std::string sql_log = {};              // empty: statements are not logged
  std::vector<std::string> tables = {};  // empty: all
  double sample = 1;                     // the share of the connections that are recorded
  bool hash_values = false;              // where values are recorded
};

struct Recorded {
  std::uint64_t transactions = 0;       // that touched rows
  std::uint64_t statements = 0;         // judged
  LeftOut left_out = {};                // statements, rows, transactions: why
  LeftOut levels = {};                  // transactions by isolation level
  std::vector<std::string> notes = {};  // of the history
  bool saved = false;
};

// A recording, however its rows are identified.
class AnyRecorder {
 public:
  virtual ~AnyRecorder() = default;
  // For the proxy. The recorder has to live longer than that.
  [[nodiscard]] virtual MakeConversation conversations() = 0;
  // Requires: the proxy was stopped. Writes the history and removes OUT.wire. An error: what was recorded is in
  // OUT.wire.
  [[nodiscard]] virtual Result<Recorded> finish() = 0;
};

// The format that a new file of that name gets. An error: there is none, or the file or its .wire is there already.
[[nodiscard]] Result<const FormatInfo*> format_to_record(const std::string& path);
// Reads the trace `wire`, writes it as a history to `path`, and removes it. Fills `notes` and `saved`.
[[nodiscard]] Result<void> save_recorded(const std::string& wire, const FormatInfo& format, const std::string& path,
                                         Recorded& recorded);

class Recorder final : public AnyRecorder {
 public:
  // Requires: nothing is at `path`, `path`.wire or `sql_log` yet.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> begin(const db::Url& server, const RecorderOptions& options);
  [[nodiscard]] MakeConversation conversations() override;
  [[nodiscard]] Result<Recorded> finish() override;

 private:
  Recorder() = default;

  std::string path_, wire_;
  const FormatInfo* format_ = nullptr;
  std::unique_ptr<ServerFacts> facts_;
  std::unique_ptr<TraceFile> trace_;
  std::unique_ptr<SqlLog> log_;
  double sample_ = 1;
  std::atomic<std::uint64_t> connections_ = 0, not_sampled_ = 0;
  std::vector<std::unique_ptr<Planner>> planners_;
};

}  // namespace isolde::proxy::capture
