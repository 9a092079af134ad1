#include "stream/intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stream/good_lines.h"
#include "stream/position.h"

namespace isolde::stream {
namespace {

constexpr std::string_view kSpoolKind = "spool", kLiveKind = "live";

// What a header says, as a number: 0 if it is nothing but the defaults.
std::uint64_t print_of_header(const Chunk& chunk) {
  const History& h = chunk.history;
  std::uint64_t sum = raw64(chunk.value(h.default_initial()));
  const HistoryColumns& c = h.columns();
  const Fingerprint usual = chunk.value(h.default_initial());
  for (std::uint32_t k = 0; k < c.key_name.size(); ++k) {
    const Fingerprint initial = chunk.value(h.initial(KeyId{k}));
    if (initial != usual) sum += mix64(mix64(raw64(chunk.key(KeyId{k}))) + raw64(initial));
  }
  if (chunk.columns) sum += mix64(1);
  if (h.has_flag(kSerialByCommitTs)) sum += mix64(2);
  return sum;
}

}  // namespace

Result<std::unique_ptr<Intake>> Intake::open(const InputOptions& options) {
  std::unique_ptr<Intake> intake(new Intake());
  if (options.lenient) intake->unknown_ = UnknownFields::Stance::kIgnore;
  if (options.spool_folder.empty()) {
    intake->read_back_ = true;
    if (options.resume.empty()) return intake;
    const auto numbers = numbers_of(options.resume, kLiveKind, 3);
    if (!numbers) return Error{"the checkpoint's position is not one of this input without a spool"};
    intake->own_.txns = (*numbers)[0];
    intake->own_.started = (*numbers)[1] != 0;
    intake->own_.header = (*numbers)[2];
    return intake;
  }
  std::uint64_t from = 0;
  if (!options.resume.empty()) {
    const auto numbers = numbers_of(options.resume, kSpoolKind, 1);
    if (!numbers) return Error{"the checkpoint's position is not one in a spool", options.spool_folder};
    from = (*numbers)[0];
  }
  auto spool = Spool::open(options.spool_folder, from);
  if (!spool) return std::move(spool).error();
  intake->spool_ = *std::move(spool);
  intake->place_ = from;
  return intake;
}

std::string Intake::position() const {
  if (spool_) return make_position(kSpoolKind, {place_});
  return make_position(kLiveKind, {own_.txns, std::uint64_t{own_.started ? 1U : 0U}, own_.header});
}

Result<Intake::Again> Intake::again() {
  Again out;
  while (!read_back_) {
    auto record = spool_->read_next();
    if (!record) return std::move(record).error();
    if (!*record) {
      read_back_ = true;
      break;
    }
    SpoolRecord& found = **record;
    place_ = found.end;
    if (found.kind == SpoolRecord::Kind::kGone) {
      out.gone.resize(found.payload.size() / sizeof(Fingerprint));
      if (!out.gone.empty()) std::memcpy(out.gone.data(), found.payload.data(), out.gone.size() * sizeof(Fingerprint));
      return out;
    }
    if (found.kind != SpoolRecord::Kind::kLines) return Error{"this spool belongs to another kind of input"};
    ChunkReader reader("the spool", UnknownFields::Stance::kIgnore,
                       ChunkReader::Repeats::kLeaveOut);  // what is there was taken once
    reader.resume_at({found.first_line - 1, found.first_txn, found.past_header});
    GoodLines good = read_good_lines(reader, found.payload);
    if (good.wrong) return *std::move(good.wrong);  // it could be read when it was spooled
    if (!good.chunk) continue;
    const auto chunk = std::const_pointer_cast<Chunk>(good.chunk);
    chunk->has_header = chunk->has_header && found.streams_header;
    out.piece = Piece{chunk, position()};
    return out;
  }
  out.done = true;
  return out;
}

std::optional<Error> Intake::keep(const SpoolRecord& record) {
  if (!spool_) {
    own_.apply(record);
    return std::nullopt;
  }
  auto end = spool_->append(record);
  if (!end) return std::move(end).error();
  place_ = *end;
  return std::nullopt;
}

Intake::Taken Intake::take(Sender& sender, std::string_view lines, const std::string& name) {
  Taken out;
  const SpoolState& known = state();
  ChunkReader reader(name, unknown_, ChunkReader::Repeats::kLeaveOut);
  const ChunkReader::Place before{sender.lines, known.txns, sender.past_header};
  reader.resume_at(before);
  GoodLines good = read_good_lines(reader, lines);
  out.wrong = std::move(good.wrong);
  duplicates_ += reader.repeated();
  if (good.lines == 0) return out;
  SpoolRecord record;
  record.past_header = sender.past_header;
  record.parts = {{sender.number, good.lines}};
  record.first_line = sender.lines + 1;
  record.first_txn = known.txns;
  record.txns = reader.place().transactions - known.txns;
  record.said_something = reader.place().past_header;
  if (good.chunk && good.chunk->has_header) {
    record.header = print_of_header(*good.chunk);
    record.streams_header = !known.started;
    if (known.started && record.header != known.header) {
      // The header is the first line that says something, so nothing before it matters.
      out.wrong = Error{"this header says something else than the stream's: every sender must give the same one", name,
                        sender.lines + 1, 1};
      return out;
    }
    std::const_pointer_cast<Chunk>(good.chunk)->has_header = record.streams_header;
  }
  if (spool_) record.payload = lines.substr(0, good.bytes);
  if ((out.broken = keep(record))) return out;
  heard_of(sender.number);
  sender.lines += good.lines;
  sender.past_header = reader.place().past_header;
  if (good.chunk) out.piece = Piece{std::move(good.chunk), position()};
  return out;
}

std::string Intake::note_taken(Sender& sender, std::uint64_t transactions) {
  own_.txns += transactions;
  own_.started = true;
  sender.lines += transactions;
  sender.past_header = true;
  return position();
}

void Intake::take_apart(std::span<Part> parts, TakenTogether& out) {
  for (Part& part : parts) {
    Taken taken = take(*part.sender, part.lines, *part.name);
    part.wrong = std::move(taken.wrong);
    out.broken = std::move(taken.broken);
    if (out.broken) return;
    if (!taken.piece) continue;
    const Chunk& chunk = *taken.piece->chunk;
    part.sessions = chunk.session_fingerprint;
    for (const Heartbeat& beat : chunk.heartbeats) part.sessions.push_back(beat.session);
    out.pieces.push_back(*std::move(taken.piece));
  }
}

// False: something is wrong with one of them, or between them, and nothing was done.
bool Intake::take_at_once(std::span<Part> parts, TakenTogether& out) {
  std::string text;
  std::vector<std::uint64_t> ends;  // of each part, in lines
  for (const Part& part : parts) {
    text += part.lines;
    const auto count = std::count(part.lines.begin(), part.lines.end(), '\n');
    ends.push_back((ends.empty() ? 0 : ends.back()) + static_cast<std::uint64_t>(count));
  }
  const SpoolState& known = state();
  ChunkReader reader("a stream", unknown_, ChunkReader::Repeats::kLeaveOut);
  reader.resume_at({1, known.txns, true});
  auto read = reader.read(text);
  if (!read) return false;
  duplicates_ += reader.repeated();
  const Chunk& chunk = **read;
  const auto note = [&](const std::vector<std::uint32_t>& lines, auto&& session_of) {
    std::size_t part = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      while (lines[i] > ends[part]) ++part;
      std::vector<Fingerprint>& sessions = parts[part].sessions;
      const Fingerprint session = session_of(i);
      if (sessions.empty() || sessions.back() != session) sessions.push_back(session);
    }
  };
  note(reader.transaction_lines(), [&](std::size_t i) { return chunk.session(TxnId{static_cast<std::uint32_t>(i)}); });
  note(reader.heartbeat_lines(), [&](std::size_t i) { return chunk.heartbeats[i].session; });
  SpoolRecord record;
  record.past_header = true;
  record.said_something = true;
  record.first_txn = known.txns;
  record.txns = chunk.history.txn_count();
  record.first_line = 2;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    record.parts.push_back({parts[i].sender->number, ends[i] - (i == 0 ? 0 : ends[i - 1])});
  }
  if (spool_) record.payload = std::move(text);
  if ((out.broken = keep(record))) return true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    heard_of(parts[i].sender->number);
    parts[i].sender->lines += record.parts[i].lines;
  }
  if (chunk.history.txn_count() > 0 || !chunk.heartbeats.empty()) out.pieces.push_back({*std::move(read), position()});
  return true;
}

Intake::TakenTogether Intake::take_together(std::span<Part> parts) {
  TakenTogether out;
  // Whose first lines these are may give a header: each of them by itself.
  const auto middle =
      std::stable_partition(parts.begin(), parts.end(), [](const Part& part) { return !part.sender->past_header; });
  const std::span<Part> first(parts.begin(), middle);
  const std::span<Part> later(middle, parts.end());
  take_apart(first, out);
  if (out.broken || later.empty()) return out;
  if (later.size() == 1 || !take_at_once(later, out)) take_apart(later, out);
  return out;
}

// Of those that are not connected, whoever was heard of longest ago. Nothing happens if all are.
std::optional<Error> Intake::forget_one(const std::unordered_set<std::uint32_t>& connected) {
  const auto rank = [this](const SpoolState::Sender& s) {
    const auto at = last_heard_.find(s.number);
    return std::pair(at == last_heard_.end() ? 0 : at->second, s.number);
  };
  const auto& senders = state().senders;
  auto oldest = senders.end();
  for (auto at = senders.begin(); at != senders.end(); ++at) {
    if (connected.contains(at->second.number)) continue;
    if (oldest == senders.end() || rank(at->second) < rank(oldest->second)) oldest = at;
  }
  if (oldest == senders.end()) return std::nullopt;
  last_heard_.erase(oldest->second.number);
  return farewell(std::string(oldest->first));
}

Intake::Known Intake::sender_named(std::string_view name, std::uint64_t first,
                                   const std::unordered_set<std::uint32_t>& connected) {
  Known out;
  const SpoolState& known = state();
  if (!known.has_room_for(name) && (out.broken = forget_one(connected))) return out;
  if (!known.has_room_for(name)) return out;
  const auto at = known.senders.find(name);
  const bool is_new = at == known.senders.end();
  const std::uint64_t lines = is_new ? 0 : at->second.lines;
  if (first > lines + 1) out.missing = first - 1 - lines;
  SpoolRecord record;
  record.kind = SpoolRecord::Kind::kSender;
  record.payload = name;
  record.sender = is_new ? known.last_number + 1 : at->second.number;
  record.lines = lines + out.missing;
  // Whether what is missing was a header cannot be known, so another one may not come.
  record.past_header = (!is_new && at->second.past_header) || out.missing > 0;
  const bool changes = is_new || out.missing > 0 || at->second.left;
  if (changes && (out.broken = keep(record))) return out;
  out.sender = Sender{record.sender, record.lines, record.past_header};
  heard_of(record.sender);
  return out;
}

std::optional<Error> Intake::farewell(std::string_view name) {
  const SpoolState& known = state();
  const auto at = known.senders.find(name);
  if (at == known.senders.end() || at->second.left) return std::nullopt;
  SpoolRecord record;
  record.kind = SpoolRecord::Kind::kSender;
  record.payload = name;
  record.sender = at->second.number;
  record.lines = at->second.lines;
  record.past_header = at->second.past_header;
  record.left = true;
  return keep(record);
}

std::optional<Error> Intake::gone(const std::vector<Fingerprint>& sessions) {
  SpoolRecord record;
  record.kind = SpoolRecord::Kind::kGone;
  record.payload.assign(reinterpret_cast<const char*>(sessions.data()), sessions.size() * sizeof(Fingerprint));
  return keep(record);
}

void Intake::covered(const std::string& position) {
  if (!spool_) return;
  if (const auto numbers = numbers_of(position, kSpoolKind, 1)) spool_->covered((*numbers)[0]);
}

}  // namespace isolde::stream
