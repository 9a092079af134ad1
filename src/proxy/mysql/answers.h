// proxy/mysql/answers.h: what each packet of a MySQL or MariaDB server is, command by command.
//
// In, out: the packets of both directions after the greeting, each direction in its order -> what a packet is, and of
//          which command.
// Always:  one queue for all commands, as clients may send the next ones ahead. A packet that does not fit is an error:
//          from there on nothing is known of the connection.
// Cost:    constant per packet; memory grows with the commands that were sent ahead (kMostAhead bounds it).
// Source:  MariaDB's and MySQL's manuals of the client/server protocol; the servers' protocol.cc and net_serv.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "proxy/mysql/packets.h"

namespace isolde::proxy::mysql {

// Bits that both sides have agreed upon, as far as they change the form of packets.
inline constexpr std::uint64_t kLongPassword = 1, kCompress = 0x20, kConnectWithDatabase = 8, kSsl = 0x800,
                               kProtocol41 = 0x200, kSecureConnection = 0x8000, kPluginAuth = 1U << 19,
                               kLengthEncodedAuth = 1U << 21, kSessionTrack = 1U << 23, kDeprecateEof = 1U << 24,
                               kOptionalMetadata = 1U << 25, kZstd = 1U << 26, kQueryAttributes = 1U << 27;
// MariaDB's own, from bit 32 on.
inline constexpr std::uint64_t kComMulti = std::uint64_t{1} << 33, kExtendedMetadata = std::uint64_t{1} << 35,
                               kCacheMetadata = std::uint64_t{1} << 36, kBulkUnitResults = std::uint64_t{1} << 37;

inline constexpr std::uint16_t kInTransaction = 1, kAutocommit = 2, kMoreResults = 8, kCursorExists = 0x40;

enum class Command : std::uint8_t {
  kLogin = 0,  // no command: what comes before the first one (COM_SLEEP is never sent)
  kQuit = 1,
  kInitDb = 2,
  kQuery = 3,
  kFieldList = 4,
  kStatistics = 9,
  kProcessInfo = 0x0a,
  kChangeUser = 0x11,
  kBinlogDump = 0x12,
  kPrepare = 0x16,
  kExecute = 0x17,
  kLongData = 0x18,
  kCloseStatement = 0x19,
  kResetStatement = 0x1a,
  kSetOption = 0x1b,
  kFetch = 0x1c,
  kResetConnection = 0x1f,
  kBulkExecute = 0xfa,
};

enum class Meaning : std::uint8_t {
  kOk,           // the whole answer, or one of several results
  kError,        // likewise
  kColumnCount,  // a result with rows begins
  kColumn,       // a column's definition
  kColumnsEnd,   // EOF behind the columns, in the older form
  kRow,
  kRowsEnd,
  kPrepared,   // COM_STMT_PREPARE worked
  kParameter,  // a parameter's definition
  kWantsFile,  // LOAD DATA LOCAL: the client is to send it
  kAuthentication,
  kOther,  // a text, a progress report
};

struct Answer {
  bool fits = false;
  Meaning meaning = Meaning::kOther;
  bool finished = false;  // the command's answer is complete
  Command command = Command::kLogin;
  std::uint64_t number = 0;                           // of the command, counted over the connection
  std::uint16_t status = 0;                           // kOk, kRowsEnd: the server's status bits
  std::uint16_t warnings = 0;                         // kOk
  std::uint64_t changed = 0, last_id = 0, count = 0;  // kOk; kOk; kColumnCount
};

class Answers {
 public:
  static constexpr std::size_t kMostAhead = 1U << 16;

  // Of the client, from its answer to the greeting. Set before the first command.
  void set_capabilities(std::uint64_t capabilities) { capabilities_ = capabilities; }
  [[nodiscard]] std::uint64_t capabilities() const { return capabilities_; }

  enum class FromClient : std::uint8_t { kCommand, kMore, kUnknown, kReplication };
  // kMore: data of a command that came before. `number`: of the command.
  [[nodiscard]] FromClient client(const Packet& packet, std::uint64_t& number);
  [[nodiscard]] Answer server(const Packet& packet);

  [[nodiscard]] bool logged_in() const { return logged_in_; }
  [[nodiscard]] std::size_t owed() const { return owed_.size(); }

 private:
  enum class Stage : std::uint8_t { kFirst, kColumns, kColumnsEnd, kRows, kParameters, kParametersEnd };
  struct Owed {
    Command command;
    std::uint64_t number;
  };
  void finish(Answer& answer);
  void first(const Packet& packet, Answer& answer);
  void definitions(const Packet& packet, Answer& answer);
  void rows(const Packet& packet, Answer& answer);
  void authentication(const Packet& packet, Answer& answer);
  void prepared(const Packet& packet, Answer& answer);
  void after_results(std::uint16_t status, Answer& answer);
  [[nodiscard]] bool is_end(const Packet& packet) const;
  void read_ok(const Packet& packet, Answer& answer) const;
  void read_end(const Packet& packet, Answer& answer) const;

  std::uint64_t capabilities_ = kProtocol41;
  bool logged_in_ = false;
  std::deque<Owed> owed_ = {{Command::kLogin, 0}};
  std::uint64_t next_ = 1;
  Stage stage_ = Stage::kFirst;
  std::uint64_t left_ = 0;           // definitions
  std::uint64_t columns_after_ = 0;  // of a prepared statement, behind its parameters
};

}  // namespace isolde::proxy::mysql
