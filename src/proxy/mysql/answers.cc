#include "proxy/mysql/answers.h"

#include "proxy/mysql/numbers.h"

namespace isolde::proxy::mysql {
namespace {

constexpr unsigned char kOkMark = 0x00, kMoreAuthentication = 0x01, kFileMark = 0xfb, kEndMark = 0xfe,
                        kErrorMark = 0xff;
constexpr std::uint64_t kShortEnd = 9;       // an EOF packet is shorter
constexpr std::uint16_t kProgress = 0xffff;  // MariaDB's progress reports have the form of an error

// An empty packet has no mark, and nothing behind it.
std::string_view behind_mark(const Packet& packet) {
  return packet.body.empty() ? std::string_view() : packet.body.substr(1);
}
bool is_ok(const Packet& packet) { return packet.first() == kOkMark && packet.length > 0; }
bool is_error(const Packet& packet) { return packet.first() == kErrorMark && packet.length > 0; }
bool is_progress(const Packet& packet) {
  return packet.body.size() >= 3 && Reader(behind_mark(packet)).integer(2) == kProgress;
}

}  // namespace

Answers::FromClient Answers::client(const Packet& packet, std::uint64_t& number) {
  number = next_;
  if (!packet.first_of_command) {
    // Authentication, the data of a file, or what a progress report made a client say.
    return owed_.empty() ? FromClient::kUnknown : FromClient::kMore;
  }
  if (!logged_in_ || packet.length == 0) return FromClient::kUnknown;
  const auto command = static_cast<Command>(packet.first());
  switch (command) {
    case Command::kQuit:
    case Command::kLongData:
    case Command::kCloseStatement:
      ++next_;
      return FromClient::kCommand;
    case Command::kBinlogDump:
      return FromClient::kReplication;
    case Command::kLogin:
      return FromClient::kUnknown;
    default:
      break;
  }
  // COM_TABLE_DUMP, COM_REGISTER_SLAVE, COM_BINLOG_DUMP_GTID; COM_DAEMON; what later versions may bring.
  const unsigned char code = packet.first();
  if (code == 0x13 || code == 0x15 || code == 0x1e) return FromClient::kReplication;
  const bool known = code <= 0x0e || code == 0x11 || (code >= 0x16 && code <= 0x1c) || code == 0x1f || code == 0xfa;
  if (!known || owed_.size() >= kMostAhead) return FromClient::kUnknown;
  owed_.push_back({command, next_++});
  return FromClient::kCommand;
}

void Answers::finish(Answer& answer) {
  answer.finished = true;
  stage_ = Stage::kFirst;
  owed_.pop_front();
}

void Answers::read_ok(const Packet& packet, Answer& answer) const {
  Reader reader(behind_mark(packet));
  answer.changed = reader.length();
  answer.last_id = reader.length();
  answer.status = static_cast<std::uint16_t>(reader.integer(2));
  answer.warnings = static_cast<std::uint16_t>(reader.integer(2));
}

// The older form has warnings before the status; the newer one is that of OK.
void Answers::read_end(const Packet& packet, Answer& answer) const {
  if ((capabilities_ & kDeprecateEof) != 0) return read_ok(packet, answer);
  Reader reader(behind_mark(packet));
  static_cast<void>(reader.integer(2));
  answer.status = static_cast<std::uint16_t>(reader.integer(2));
}

bool Answers::is_end(const Packet& packet) const {
  if (packet.first() != kEndMark) return false;
  return packet.length < ((capabilities_ & kDeprecateEof) != 0 ? PacketCutter::kLongest : kShortEnd);
}

// Another result may follow.
void Answers::after_results(std::uint16_t status, Answer& answer) {
  stage_ = Stage::kFirst;
  if ((status & kMoreResults) == 0) finish(answer);
}

void Answers::authentication(const Packet& packet, Answer& answer) {
  answer.meaning = Meaning::kAuthentication;
  if (is_ok(packet)) {
    answer.meaning = Meaning::kOk;
    read_ok(packet, answer);
    logged_in_ = true;
    return finish(answer);
  }
  if (is_error(packet)) {
    answer.meaning = Meaning::kError;
    return finish(answer);
  }
  // Another plugin is asked for, or the plugin goes on: the client answers with a number of its own.
  answer.fits = packet.first() == kEndMark || packet.first() == kMoreAuthentication;
}

void Answers::prepared(const Packet& packet, Answer& answer) {
  answer.meaning = Meaning::kPrepared;
  Reader reader(behind_mark(packet));
  answer.count = reader.integer(4);  // the statement's number
  columns_after_ = reader.integer(2);
  left_ = reader.integer(2);
  answer.fits = is_ok(packet) && reader.good();
  if (!answer.fits) return;
  if (left_ > 0) {
    stage_ = Stage::kParameters;
  } else if (columns_after_ > 0) {
    left_ = columns_after_;
    stage_ = Stage::kColumns;
  } else {
    finish(answer);
  }
}

void Answers::first(const Packet& packet, Answer& answer) {
  const Command command = answer.command;
  if (command == Command::kLogin || command == Command::kChangeUser) return authentication(packet, answer);
  if (is_error(packet)) {
    answer.meaning = is_progress(packet) ? Meaning::kOther : Meaning::kError;
    if (answer.meaning == Meaning::kError) finish(answer);
    return;
  }
  switch (command) {
    case Command::kPrepare:
      return prepared(packet, answer);
    case Command::kStatistics:
      return finish(answer);
    case Command::kFieldList:
    case Command::kFetch:
      stage_ = Stage::kRows;
      return rows(packet, answer);
    default:
      break;
  }
  if (is_ok(packet)) {
    answer.meaning = Meaning::kOk;
    read_ok(packet, answer);
    return after_results(answer.status, answer);
  }
  const bool has_rows = command == Command::kQuery || command == Command::kExecute ||
                        command == Command::kBulkExecute || command == Command::kProcessInfo;
  if (!has_rows) {
    // COM_SET_OPTION and COM_DEBUG are answered with EOF.
    answer.fits = is_end(packet);
    if (!answer.fits) return;
    read_end(packet, answer);
    answer.meaning = Meaning::kOk;
    return finish(answer);
  }
  if (packet.first() == kFileMark) {
    answer.meaning = Meaning::kWantsFile;
    return;
  }
  Reader reader(packet.body);
  answer.meaning = Meaning::kColumnCount;
  answer.count = left_ = reader.length();
  answer.fits = reader.good() && left_ > 0 && reader.rest().empty();
  stage_ = Stage::kColumns;
}

void Answers::definitions(const Packet& packet, Answer& answer) {
  answer.meaning = stage_ == Stage::kParameters ? Meaning::kParameter : Meaning::kColumn;
  if (is_error(packet)) {
    answer.meaning = Meaning::kError;
    return finish(answer);
  }
  if (--left_ > 0) return;
  const bool has_end = (capabilities_ & kDeprecateEof) == 0;
  if (stage_ == Stage::kParameters) {
    left_ = columns_after_;
    if (has_end) {
      stage_ = Stage::kParametersEnd;
    } else if (left_ > 0) {
      stage_ = Stage::kColumns;
    } else {
      finish(answer);
    }
    return;
  }
  if (has_end) {
    stage_ = Stage::kColumnsEnd;
  } else if (answer.command == Command::kPrepare) {
    finish(answer);
  } else {
    stage_ = Stage::kRows;
  }
}

void Answers::rows(const Packet& packet, Answer& answer) {
  answer.meaning = Meaning::kRow;
  if (is_error(packet)) {
    answer.meaning = is_progress(packet) ? Meaning::kOther : Meaning::kError;
    if (answer.meaning == Meaning::kError) finish(answer);
    return;
  }
  if (!is_end(packet)) {
    if (answer.command == Command::kFieldList) answer.meaning = Meaning::kColumn;
    return;
  }
  answer.meaning = Meaning::kRowsEnd;
  read_end(packet, answer);
  after_results(answer.status, answer);
}

Answer Answers::server(const Packet& packet) {
  Answer answer{.fits = true};
  if (owed_.empty()) {
    // The server ends the connection (a timeout, a shutdown), with an error that nobody asked for.
    answer.meaning = Meaning::kError;
    answer.fits = is_error(packet);
    return answer;
  }
  answer.command = owed_.front().command;
  answer.number = owed_.front().number;
  switch (stage_) {
    case Stage::kFirst:
      first(packet, answer);
      break;
    case Stage::kParameters:
    case Stage::kColumns:
      definitions(packet, answer);
      break;
    case Stage::kParametersEnd:
      answer.meaning = Meaning::kOther;
      answer.fits = is_end(packet);
      if (left_ > 0) {
        stage_ = Stage::kColumns;
      } else {
        finish(answer);
      }
      break;
    case Stage::kColumnsEnd:
      answer.meaning = Meaning::kColumnsEnd;
      answer.fits = is_end(packet);
      read_end(packet, answer);
      if (answer.command == Command::kPrepare || (answer.status & kCursorExists) != 0) {
        // With a cursor the rows are fetched by further commands.
        finish(answer);
      } else {
        stage_ = Stage::kRows;
      }
      break;
    case Stage::kRows:
      rows(packet, answer);
      break;
  }
  return answer;
}

}  // namespace isolde::proxy::mysql
