#include "proxy/mysql/greeting.h"

#include "proxy/mysql/answers.h"
#include "proxy/mysql/numbers.h"

namespace isolde::proxy::mysql {
namespace {

constexpr std::size_t kTlsRequest = 32;  // the length of a request for TLS

void put_at(std::string& body, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) body[at + i] = static_cast<char>(value >> (8 * i) & 0xffU);
}

// By its number in the first packet, of which later collations do not fit.
bool is_utf8_collation(std::uint64_t number) {
  return number == 33 || number == 45 || number == 46 || number == 83 || (number >= 192 && number <= 215) ||
         number == 223 || (number >= 224 && number <= 247);
}

}  // namespace

std::uint64_t struck_capabilities() {
  return kCompress | kSsl | kZstd | kQueryAttributes | kOptionalMetadata | kComMulti | kCacheMetadata |
         kBulkUnitResults;
}

std::optional<std::uint64_t> strike_capabilities(std::string& body) {
  Reader reader(body);
  if (reader.integer(1) != 10) return std::nullopt;
  static_cast<void>(reader.until_zero());     // version
  static_cast<void>(reader.take(4 + 8 + 1));  // thread, the first part of the scramble, a zero
  const std::size_t low_at = body.size() - reader.rest().size();
  std::uint64_t capabilities = reader.integer(2);
  if (!reader.good()) return std::nullopt;
  const bool is_short = reader.rest().empty();  // as before protocol 4.1
  std::size_t high_at = 0, own_at = 0;
  if (!is_short) {
    static_cast<void>(reader.take(1 + 2));  // character set, status
    high_at = body.size() - reader.rest().size();
    capabilities |= reader.integer(2) << 16;
    static_cast<void>(reader.take(1 + 6));  // length of the scramble, zeros
    own_at = body.size() - reader.rest().size();
    const std::uint64_t own = reader.integer(4);
    if (!reader.good()) return std::nullopt;
    // MySQL has zeros here, and says by this bit that it is not MariaDB.
    if ((capabilities & kLongPassword) == 0) capabilities |= own << 32;
  }
  const std::uint64_t kept = capabilities & ~struck_capabilities();
  put_at(body, low_at, kept, 2);
  if (!is_short) {
    put_at(body, high_at, kept >> 16, 2);
    if ((capabilities & kLongPassword) == 0) put_at(body, own_at, kept >> 32, 4);
  }
  return kept;
}

std::optional<Login> login_of(std::string_view body) {
  Reader reader(body);
  Login login;
  login.capabilities = reader.integer(4);
  if ((login.capabilities & kProtocol41) == 0) return std::nullopt;
  static_cast<void>(reader.take(4));  // the longest packet
  login.utf8 = is_utf8_collation(reader.integer(1));
  static_cast<void>(reader.take(19));  // zeros
  const std::uint64_t own = reader.integer(4);
  if (!reader.good()) return std::nullopt;
  if ((login.capabilities & kLongPassword) == 0) login.capabilities |= own << 32;
  if (body.size() <= kTlsRequest) {
    login.asks_for_tls = (login.capabilities & kSsl) != 0;
    return login.asks_for_tls ? std::optional(login) : std::nullopt;
  }
  login.user = reader.until_zero();
  if ((login.capabilities & kLengthEncodedAuth) != 0) {
    static_cast<void>(reader.text());
  } else if ((login.capabilities & kSecureConnection) != 0) {
    static_cast<void>(reader.take(reader.integer(1)));
  } else {
    static_cast<void>(reader.until_zero());
  }
  if ((login.capabilities & kConnectWithDatabase) != 0) login.database = reader.until_zero();
  return reader.good() ? std::optional(login) : std::nullopt;
}

std::optional<Login> changed_user(std::string_view body, std::uint64_t capabilities) {
  Reader reader(body);
  static_cast<void>(reader.take(1));
  Login login;
  login.capabilities = capabilities;
  login.user = reader.until_zero();
  if ((capabilities & kSecureConnection) != 0) {
    static_cast<void>(reader.take(reader.integer(1)));
  } else {
    static_cast<void>(reader.until_zero());
  }
  login.database = reader.until_zero();
  return reader.good() ? std::optional(login) : std::nullopt;
}

}  // namespace isolde::proxy::mysql
