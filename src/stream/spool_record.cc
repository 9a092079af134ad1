#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/state_file.h"
#include "stream/spool.h"

namespace isolde::stream {
namespace {

constexpr std::uint32_t kMagic = 0x6c707331;

struct Head {
  std::uint32_t magic = kMagic;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  std::uint16_t zero = 0;
  std::uint32_t sender = 0;
  std::uint32_t parts = 0;
  std::uint64_t first_line = 0, lines = 0, first_txn = 0, txns = 0, header = 0, size = 0;
  std::uint64_t head_sum = 0;     // of all before
  std::uint64_t payload_sum = 0;  // seeded with head_sum, so that a payload fits its head alone
};
struct PartText {
  std::uint64_t sender = 0, lines = 0;
};
static_assert(sizeof(Head) == 80 && std::is_trivially_copyable_v<Head>);

std::uint64_t sum_of(const Head& head) { return hash_bytes(&head, offsetof(Head, head_sum)); }

}  // namespace

std::string text_of(const SpoolRecord& record) {
  Head head;
  head.kind = static_cast<std::uint8_t>(record.kind);
  head.flags = static_cast<std::uint8_t>((record.past_header ? 1 : 0) | (record.streams_header ? 2 : 0) |
                                         (record.said_something ? 4 : 0) | (record.left ? 8 : 0));
  head.sender = record.sender;
  head.first_line = record.first_line;
  head.lines = record.lines;
  head.first_txn = record.first_txn;
  head.txns = record.txns;
  head.header = record.header;
  head.parts = static_cast<std::uint32_t>(record.parts.size());
  std::string text(sizeof head, '\0');
  text.reserve(sizeof head + record.parts.size() * sizeof(PartText) + record.payload.size());
  for (const SpoolPart& part : record.parts) {
    const PartText plain{part.sender, part.lines};
    text.append(reinterpret_cast<const char*>(&plain), sizeof plain);
  }
  text += record.payload;
  head.size = text.size() - sizeof head;
  head.head_sum = sum_of(head);
  head.payload_sum = hash_bytes(text.data() + sizeof head, head.size, head.head_sum);
  std::memcpy(text.data(), &head, sizeof head);
  return text;
}

RecordFound take_record(std::string_view& bytes, SpoolRecord& record) {
  Head head;
  if (bytes.size() < sizeof head) {
    // The first bytes of a head are always the same, so that what is no head at all is not taken for one cut off.
    const std::uint32_t magic = kMagic;
    const std::size_t seen = std::min(bytes.size(), sizeof magic);
    return std::memcmp(bytes.data(), &magic, seen) == 0 ? RecordFound::kCut : RecordFound::kDamaged;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != kMagic || head.head_sum != sum_of(head)) return RecordFound::kDamaged;
  if (head.kind < static_cast<std::uint8_t>(SpoolRecord::Kind::kState) ||
      head.kind > static_cast<std::uint8_t>(SpoolRecord::Kind::kCut)) {
    return RecordFound::kDamaged;
  }
  if (head.size > bytes.size() - sizeof head) return RecordFound::kCut;
  std::string_view payload = bytes.substr(sizeof head, head.size);
  if (hash_bytes(payload.data(), payload.size(), head.head_sum) != head.payload_sum) return RecordFound::kDamaged;
  if (head.parts > payload.size() / sizeof(PartText)) return RecordFound::kDamaged;
  record.parts.clear();
  for (std::uint32_t i = 0; i < head.parts; ++i) {
    PartText plain;
    std::memcpy(&plain, payload.data(), sizeof plain);
    payload.remove_prefix(sizeof plain);
    record.parts.push_back({static_cast<std::uint32_t>(plain.sender), plain.lines});
  }
  record.kind = static_cast<SpoolRecord::Kind>(head.kind);
  record.past_header = (head.flags & 1) != 0;
  record.streams_header = (head.flags & 2) != 0;
  record.said_something = (head.flags & 4) != 0;
  record.left = (head.flags & 8) != 0;
  record.sender = head.sender;
  record.first_line = head.first_line;
  record.lines = head.lines;
  record.first_txn = head.first_txn;
  record.txns = head.txns;
  record.header = head.header;
  record.payload = payload;
  bytes.remove_prefix(sizeof head + head.size);
  return RecordFound::kWhole;
}

bool SpoolState::has_room_for(std::string_view name) const {
  return senders.size() < kMostSenders || !left_.empty() || senders.contains(name);
}

void SpoolState::apply_sender(const SpoolRecord& record) {
  while (senders.size() >= kMostSenders && !left_.empty() && !senders.contains(record.payload)) {
    const std::uint32_t oldest = *left_.begin();
    left_.erase(left_.begin());
    if (const auto at = by_number_.find(oldest); at != by_number_.end()) {
      senders.erase(at->second);
      by_number_.erase(at);
    }
  }
  const auto at = senders.try_emplace(record.payload).first;
  Sender& sender = at->second;
  sender.number = record.sender;
  sender.lines = record.lines;
  sender.past_header = sender.past_header || record.past_header;
  sender.left = record.left;
  by_number_[record.sender] = at;
  if (record.left) {
    left_.insert(record.sender);
  } else {
    left_.erase(record.sender);
  }
  last_number = std::max(last_number, record.sender);
}

void SpoolState::nobody_is_connected() {
  for (auto& [name, sender] : senders) {
    if (sender.lines > 0 || sender.left) continue;
    sender.left = true;
    left_.insert(sender.number);
  }
}

void SpoolState::apply(const SpoolRecord& record) {
  if (record.kind == SpoolRecord::Kind::kSender) return apply_sender(record);
  if (record.kind != SpoolRecord::Kind::kLines) return;
  txns = record.first_txn + record.txns;
  if (record.streams_header) header = record.header;
  started = started || record.said_something;
  for (const SpoolPart& part : record.parts) {
    const auto at = by_number_.find(part.sender);
    if (at == by_number_.end()) continue;
    Sender& sender = at->second->second;
    sender.lines += part.lines;
    sender.past_header = sender.past_header || record.said_something;
  }
}

std::string SpoolState::text() const {
  StateWriter out;
  out.put(txns);
  out.put(std::uint8_t{started});
  out.put(header);
  out.put(std::uint64_t{senders.size()});
  for (const auto& [name, sender] : senders) {
    out.put_text(name);
    out.put(sender.number);
    out.put(sender.lines);
    out.put(static_cast<std::uint8_t>((sender.past_header ? 1 : 0) | (sender.left ? 2 : 0)));
  }
  return out.bytes();
}

bool SpoolState::parse(const std::string& text) {
  StateReader in(text);
  *this = SpoolState();
  txns = in.get<std::uint64_t>();
  started = in.get<std::uint8_t>() != 0;
  header = in.get<std::uint64_t>();
  for (auto count = in.get<std::uint64_t>(); in.good() && count > 0; --count) {
    SpoolRecord sender;
    sender.kind = SpoolRecord::Kind::kSender;
    sender.payload = in.get_text();
    sender.sender = in.get<std::uint32_t>();
    sender.lines = in.get<std::uint64_t>();
    const auto flags = in.get<std::uint8_t>();
    sender.past_header = (flags & 1) != 0;
    sender.left = (flags & 2) != 0;
    // One number belongs to one name.
    if (!in.good() || sender.sender == 0 || by_number_.contains(sender.sender) || senders.contains(sender.payload)) {
      return false;
    }
    apply_sender(sender);
  }
  return in.good() && in.at_end();
}

}  // namespace isolde::stream
