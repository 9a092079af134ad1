// proxy/capture/capture.h: one connection's messages -> rewritten statements for the server, the client's own results
// for the client, and transactions for the trace.
//
// Always:  the client gets what it would have got without us: what was added to a statement is taken out of its
//          answers again, and the places of errors are moved back. A text is rewritten only if the server would run it
//          so for this user. What cannot be known for sure is passed on as it is, and counted.
// Source:  /docs/proxy.md says what is rewritten and how versions are identified.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/capture/plan.h"
#include "proxy/capture/server_facts.h"
#include "proxy/capture/sql_log.h"
#include "proxy/capture/trace_file.h"
#include "proxy/capture/transaction.h"
#include "proxy/postgres/conversation.h"

namespace isolde::proxy::capture {

class Capture : public postgres::Listener, private TransactionSink {
 public:
  // `log`: null if statements are not logged. `planner`: of the thread that serves the connection.
  Capture(ServerFacts& facts, TraceFile& trace, SqlLog* log, Planner& planner);

  void startup(std::string_view parameters) override;
  [[nodiscard]] bool wants_from_client(char type) const override;
  [[nodiscard]] bool wants_from_server(char type) const override;
  void client(char type, std::string_view body, const postgres::Sent& sent, ByteQueue& to_server) override;
  void server(char type, std::string_view body, const postgres::Answers::Fit& fit, ByteQueue& to_client) override;
  void at(std::int64_t time) override { now_ = time; }
  [[nodiscard]] bool lost_track() override;
  void closed() override;

 private:
  struct Prepared {
    std::shared_ptr<const Plan> plan;
    std::size_t from = 0, length = 0;                              // where the text was made longer, in characters
    bool binary = false;                                           // of a portal
    std::shared_ptr<const std::string> sql = {}, parameters = {};  // if they are logged
  };
  using Names = std::map<std::string, Prepared, std::less<>>;
  struct Undo {
    Names* names;
    std::string name;
    std::optional<Prepared> before;
  };
  struct Task {
    std::uint64_t number;
    char type;
    Prepared what;
    std::int64_t sent;
    std::size_t step = 0;  // of the text's statements, how many were answered
    bool cuts = false;     // the answer's rows have columns that were added
    bool borrows = false;  // ... because it runs another text's statement, which is not recorded here
    std::optional<Undo> undo = {};
  };

  [[nodiscard]] Prepared prepare(std::string_view sql, std::string& rewritten);
  void set_name(Names& names, std::string_view name, std::optional<Prepared> what, Task& task);
  void push(Task&& task);
  void pop_before(std::uint64_t number);
  void drop(std::uint64_t from, std::uint64_t to);
  void parse(std::string_view body, Task& task, ByteQueue& to_server);
  void bind(std::string_view body, Task& task, ByteQueue& to_server);
  void execute(std::string_view body, Task& task, ByteQueue& to_server);
  void query(std::string_view body, Task& task, ByteQueue& to_server);
  void describe_or_close(char type, std::string_view body, Task& task, ByteQueue& to_server);

  [[nodiscard]] const Step& step_of(const Task& task) const;
  [[nodiscard]] const Plan* borrowed(const Task& task) const;
  void describe(Task& task, std::string_view body, ByteQueue& to_client);
  void data_row(Task& task, std::string_view body, ByteQueue& to_client);
  void row_seen(const Task& task, const postgres::CutRow& row);
  void complete(Task& task, std::string_view body);
  void error(char type, Task* task, std::string_view body, const postgres::Answers::Fit& fit, ByteQueue& to_client);
  void parameter(std::string_view body);
  void count(const Task& task, const Step& step);
  void log(const Task& task, std::string_view error) const;

  void ended(Ended&& transaction) override { trace_.transaction(session_, transaction); }
  void left_out(std::string_view why) override { trace_.left_out(why); }

  ServerFacts& facts_;
  TraceFile& trace_;
  SqlLog* log_;
  Planner& planner_;
  std::int64_t session_ = 0;
  std::int64_t now_ = 0;
  std::string user_;
  bool records_ = false;    // the connection is to the database that is known
  bool path_known_ = true;  // names mean what they mean for everybody
  bool utf8_ = false, plain_strings_ = false;
  bool ever_rewritten_ = false;
  bool over_ = false;
  bool changed_tables_ = false;  // in the transaction at hand: others see that when it is over
  Names statements_, portals_;
  std::deque<Task> tasks_;
  std::size_t cutting_ = 0;  // tasks whose rows are cut
  Transactions transactions_;
};

}  // namespace isolde::proxy::capture
