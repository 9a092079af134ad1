#include "db/connection.h"

namespace isolde::db {
namespace {

Result<Reply> carry_out(Connection& connection, const Request& request) {
  switch (request.kind) {
    case RequestKind::kBegin:
      return connection.begin();
    case RequestKind::kCommit:
      return connection.commit();
    case RequestKind::kRollBack:
      return connection.roll_back();
    case RequestKind::kPrepared:
      return connection.execute(request.sql, {});
    case RequestKind::kStatement:
      break;
  }
  return connection.run(request.sql);
}

}  // namespace

bool stops_after(const Result<Reply>& answer, OnFailure on_failure) {
  return on_failure == OnFailure::kStop ? !answer || !answer->done() : answer && answer->fate == Fate::kLost;
}

std::vector<Result<Reply>> Connection::run_all(std::span<const Request> requests, OnFailure on_failure) {
  std::vector<Result<Reply>> answers;
  for (const Request& request : requests) {
    answers.push_back(carry_out(*this, request));
    if (stops_after(answers.back(), on_failure)) break;
  }
  return answers;
}

}  // namespace isolde::db
