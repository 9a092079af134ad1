// proxy/capture/server_facts.h: what the recorder asks the server itself, on connections of its own.
//
// In, out: the server's URL -> its tables, its next transaction id, and whether it would take a rewritten text.
// Always:  a connection waits for no lock longer than some milliseconds: nothing that a client holds can stop the
//          proxy. What cannot be asked is answered with "no": then nothing is rewritten.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/database.h"
#include "db/url.h"
#include "proxy/capture/tables.h"

namespace isolde::proxy::capture {

class ServerFacts {
 public:
  // `only`: tables to record, as keys show them; empty: all. An error if there is no such table.
  [[nodiscard]] static Result<std::unique_ptr<ServerFacts>> connect(const db::Url& url,
                                                                    const std::vector<std::string>& only = {});

  [[nodiscard]] const std::string& database() const { return database_name_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  // The isolation level of a user's sessions, as the server has it set ("unknown" if it cannot be asked).
  [[nodiscard]] std::string level_of(const std::string& user) const;
  // Every transaction that is older was over when this connected.
  [[nodiscard]] std::int64_t first_xid() const { return first_xid_; }
  // From any thread. Null: they are not known (any more), and nothing can be rewritten.
  [[nodiscard]] std::shared_ptr<const Tables> tables();
  // As they were first seen, by the names that keys have. Requires: no other thread uses this any more.
  [[nodiscard]] const std::map<std::string, Table>& tables_seen() const { return seen_; }
  [[nodiscard]] Result<std::shared_ptr<const Tables>> tables_now();
  // A statement changed them: they are read again when they are asked for. From any thread.
  void changed();
  // Whether `user` may run the text; otherwise what the server says against it, its SQLSTATE first (55P03: not now).
  // From any thread.
  [[nodiscard]] std::string objection(std::string_view sql, const std::string& user);

 private:
  ServerFacts() = default;
  [[nodiscard]] Result<void> look_around();
  [[nodiscard]] Result<std::shared_ptr<const Tables>> read_tables();
  [[nodiscard]] std::string run(const std::string& sql);
  [[nodiscard]] Result<void> open();
  // Opens the connection again if it was lost.
  [[nodiscard]] bool is_there();

  std::mutex mutex_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> connection_;
  std::string database_name_, own_user_, role_, version_;
  std::int64_t first_xid_ = 0;
  std::map<std::string, std::string> levels_;  // by user; empty: of all others
  std::shared_ptr<const Tables> tables_;
  std::map<std::string, std::uint32_t> first_oids_;
  std::map<std::string, Table> seen_;
  std::vector<std::string> only_;
  bool stale_ = false;
};

}  // namespace isolde::proxy::capture
