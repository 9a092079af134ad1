#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "format/native_line.h"
#include "format/recording_journal.h"
#include "format/recording_live.h"
#include "history/history_builder.h"
#include "stream/input_counts.h"
#include "stream/recording_position.h"
#include "stream/spool.h"
#include "stream/wake.h"

namespace isolde::stream {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookAtRecordingEvery{20};
constexpr std::size_t kLeastShare = std::size_t{16} << 10;  // bytes of a journal at a look

struct Followed {
  explicit Followed(JournalTail journal) : tail(std::move(journal)) {}
  JournalTail tail;
  std::int64_t bound = kNoTime;  // no transaction of its session that is still to come begins before
};

class RecordingInput final : public Input {
 public:
  RecordingInput(std::string folder, std::function<std::int64_t()> clock, const InputOptions& options)
      : folder_(std::move(folder)),
        clock_(std::move(clock)),
        piece_bytes_(std::max<std::size_t>(std::min(options.piece_bytes, options.max_held), 1)),
        max_held_(options.max_held),
        clock_of_watching_(options.clock) {}

  [[nodiscard]] Result<void> start(const InputOptions& options) {
    RecordingPosition position;
    if (!options.resume.empty()) {
      if (!position.parse(options.resume)) return Error{"the checkpoint's position is not one in a recording", folder_};
      header_given_ = true;
    }
    if (!options.spool_folder.empty()) {
      auto spool = Spool::open(options.spool_folder, position.spool);
      if (!spool) return std::move(spool).error();
      spool_ = *std::move(spool);
    }
    if (auto good = read_header(); !good) return good.error();
    for (const auto& [name, place] : position.journals) {
      if (auto good = follow(name, place); !good) return good.error();
    }
    return find_journals();
  }

  Result<Next> next(milliseconds wait) override {
    if (wrong_) return *wrong_;
    auto found = look_until(steady_clock::now() + wait);
    if (!found) wrong_ = found.error();
    return found;
  }

  void covered(const std::string& position) override {
    if (RecordingPosition at; spool_ && at.parse(position)) spool_->covered(at.spool);
  }
  void stop() override { wake_.stop(); }
  [[nodiscard]] InputCounts counts() const override { return counts_.now(); }

 private:
  using Cuts = std::map<std::string, std::size_t>;  // how many bytes of each journal are used next

  // Clients do not wait for whoever reads their journals, so all time counts. With the piece of a look to the end of
  // all journals everything is given that had arrived when it began.
  void stamp(Next& out) const {
    out.came = came_;
    out.drained = drained_;
  }

  Result<Next> look_until(steady_clock::time_point until) {
    Next out;
    for (;;) {
      if (over_ || wake_.stopped()) {
        out.over = true;
        return out;
      }
      if (spool_ && !read_back_) {
        auto again = repeat(out);
        if (!again) return std::move(again).error();
        if (out.piece) return out;
        continue;
      }
      if (behind_ || steady_clock::now() >= next_look_ || steady_clock::now() >= until) {
        if (auto looked = look(out); !looked) return looked.error();
        next_look_ = steady_clock::now() + kLookAtRecordingEvery;
        if (out.piece || over_) {
          out.over = over_ && !out.piece;
          return out;
        }
      }
      if (steady_clock::now() >= until) {
        stamp(out);
        return out;
      }
      wake_.wait(std::chrono::ceil<milliseconds>(std::min(until, next_look_) - steady_clock::now()));
    }
  }

  [[nodiscard]] Result<void> read_header() {
    const std::string path = (fs::path(folder_) / "header.jsonl").string();
    std::ifstream in(path, std::ios::binary);
    if (!in) return Error{"expected a recording: it has no header.jsonl", folder_};
    std::getline(in, header_);
    if (auto wrong = wrong_recording_header(path, header_)) return *std::move(wrong);
    HistoryBuilder scratch;
    if (auto wrong = NativeLine(scratch, NativeLine::Keys::kStillToCome).add(header_, true)) {
      wrong->file = path;
      wrong->line = 1;
      return *std::move(wrong);
    }
    return {};
  }

  [[nodiscard]] Result<void> follow(const std::string& name, const JournalTail::Place& place) {
    auto tail = JournalTail::open((fs::path(folder_) / name).string(), place);
    if (!tail) return std::move(tail).error();
    if (place.session) findings_.sessions[*place.session] = number_of(name);
    journals_.emplace(name, Followed(*std::move(tail)));
    return {};
  }

  // A number that stays: journals that come later may have names in between.
  std::uint32_t number_of(const std::string& name) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return static_cast<std::uint32_t>(at - names_.begin());
    names_.push_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  [[nodiscard]] Result<void> find_journals() {
    std::error_code error;
    std::set<std::string> fresh;
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (name.ends_with(".journal") && !journals_.contains(name)) fresh.insert(name);
    }
    if (error) return Error{fmt::format("cannot be read: {}", error.message()), folder_};
    for (const std::string& name : fresh) {
      if (name.find_first_of("; \t") != std::string::npos) {
        return Error{"expected a journal's name without blanks and semicolons", (fs::path(folder_) / name).string()};
      }
      if (auto good = follow(name, {}); !good) return good;
    }
    return {};
  }

  // One look at all journals -> one piece.
  [[nodiscard]] Result<void> look(Next& out) {
    // Before the journals are looked at: the run is over only if nobody had one by then, and the clock is behind
    // whatever a journal does not show yet.
    if (!began_) began_ = clock_of_watching_();
    const auto looked = clock_of_watching_() - *began_;
    if (auto good = find_journals(); !good) return good;
    const bool going_on = std::any_of(journals_.begin(), journals_.end(),
                                      [](const auto& entry) { return has_writer(entry.second.tail.path()); });
    const std::int64_t now = clock_ ? clock_() : kNoTime;
    if (auto good = read_on(); !good) return good;
    came_ = clock_of_watching_() - *began_;
    Cuts cuts;
    bool all_at_end = true;
    bool all_named = true;
    for (const auto& [name, followed] : journals_) {
      cuts[name] = followed.tail.finished().size();
      all_at_end = all_at_end && followed.tail.at_end();
      all_named = all_named && (followed.tail.place().session || !followed.tail.finished().empty());
    }
    behind_ = !all_at_end;
    if (all_at_end) drained_ = looked;
    const bool last = !going_on && all_at_end;
    if (last) {
      for (const auto& [name, followed] : journals_) {
        cuts[name] = followed.tail.records().size();
        auto damaged = followed.tail.is_damaged();
        if (!damaged) return std::move(damaged).error();
        if (*damaged) {
          return Error{"the file is damaged: there are records after a gap of zero bytes", followed.tail.path()};
        }
      }
    }
    over_ = last;
    return make_piece(cuts, last, all_named && !last ? now : kNoTime, out);
  }

  // Those that are furthest behind first, so that what was read of one journal need not wait long for the others.
  [[nodiscard]] Result<void> read_on() {
    const std::size_t share = std::max(piece_bytes_ / std::max<std::size_t>(journals_.size(), 1), kLeastShare);
    std::vector<std::int64_t> bounds;
    for (const auto& [name, followed] : journals_) bounds.push_back(followed.bound);
    if (bounds.empty()) return {};
    const auto middle = bounds.begin() + static_cast<std::ptrdiff_t>(bounds.size() / 2);
    std::nth_element(bounds.begin(), middle, bounds.end());
    std::uint64_t held = 0;
    for (auto& [name, followed] : journals_) {
      JournalTail& tail = followed.tail;
      if (tail.at_end() || followed.bound <= *middle) {
        const std::size_t before = tail.records().size();
        if (auto good = tail.read_on(share); !good) return good;
        counts_.bytes += tail.records().size() - before;
      }
      held += tail.held();
    }
    counts_.held_bytes = held;
    if (held <= max_held_ + 2 * piece_bytes_) return {};
    return Error{fmt::format("transactions that are not finished take more than {} bytes", max_held_), folder_};
  }

  // The piece that the spool says came next.
  [[nodiscard]] Result<void> repeat(Next& out) {
    auto record = spool_->read_next();
    if (!record) return std::move(record).error();
    if (!*record) {
      read_back_ = true;
      return {};
    }
    RecordingPosition position;
    if ((*record)->kind != SpoolRecord::Kind::kCut || !position.parse_journals((*record)->payload)) {
      return Error{"this spool belongs to another kind of input", folder_};
    }
    spool_place_ = (*record)->end;
    if (auto good = find_journals(); !good) return good;
    Cuts cuts;
    for (const auto& [name, place] : position.journals) {
      const auto at = journals_.find(name);
      if (at == journals_.end())
        return Error{"a journal that was there before the restart is gone", folder_ + "/" + name};
      JournalTail& tail = at->second.tail;
      const auto wanted = static_cast<std::size_t>(place.offset - tail.place().offset);
      if (place.offset < tail.place().offset) return Error{"the spool does not fit the checkpoint", folder_};
      while (tail.records().size() < wanted) {
        const std::size_t had = tail.records().size();
        if (auto good = tail.read_on(wanted - had + kLeastShare); !good) return good;
        if (tail.records().size() == had) return Error{"has become shorter since the restart", tail.path()};
      }
      cuts[name] = wanted;
    }
    over_ = (*record)->left;
    repeating_ = true;
    auto made = make_piece(cuts, over_, kNoTime, out);
    repeating_ = false;
    return made;
  }

  // Reads `cuts` of each journal into one chunk. `last`: what is not finished was cut off.
  [[nodiscard]] Result<void> make_piece(const Cuts& cuts, bool last, std::int64_t now, Next& out) {
    HistoryBuilder builder;
    bool columns = false;
    if (!header_given_) {
      NativeLine native(builder, NativeLine::Keys::kStillToCome);
      if (native.add(header_, true)) return Error{"the header has changed", folder_};
      columns = native.columns();
    }
    std::vector<Heartbeat> beats;
    bool news = !header_given_;
    for (const auto& [name, count] : cuts) {
      Followed& followed = journals_.at(name);
      auto read = read_journal(followed, number_of(name), count, last, builder, out.gone);
      if (!read) return read.error();
      news = news || count > 0;
      // A heartbeat for every session, also for one with an open transaction: it is known from its first line on.
      std::int64_t bound = followed.bound;
      if (const auto since = followed.tail.open_since()) {
        bound = std::max(bound, *since);
      } else if (now != kNoTime && followed.tail.at_end() && !followed.tail.is_being_written()) {
        bound = std::max(bound, now);
      }
      if (followed.tail.place().session) {
        bound = std::max(bound, kNoTime + 1);  // nothing is known of it but that it is there, which others wait for
        news = news || bound > followed.bound;
        beats.push_back({fingerprint_of_session(*followed.tail.place().session), bound,
                         std::to_string(*followed.tail.place().session)});
      }
      followed.bound = bound;
    }
    if (!news && !last) return {};
    auto history = builder.finish();
    if (!history) return placed(std::move(history).error(), builder);
    findings_.origins.clear();
    findings_.places.clear();
    auto chunk = std::make_shared<Chunk>(*std::move(history));
    chunk->has_header = !header_given_;
    chunk->columns = columns;
    header_given_ = true;
    chunk->heartbeats = std::move(beats);
    if (last) note_cut_off(out);
    return give(std::move(chunk), last, out);
  }

  [[nodiscard]] Result<void> give(std::shared_ptr<const Chunk> chunk, bool last, Next& out) {
    RecordingPosition position;
    for (const auto& [name, followed] : journals_) position.journals[name] = followed.tail.place();
    if (spool_ && !repeating_) {
      SpoolRecord record;
      record.kind = SpoolRecord::Kind::kCut;
      record.left = last;
      record.payload = position.journals_text();
      auto kept = spool_->append(record);
      if (!kept) return std::move(kept).error();
      spool_place_ = *kept;
    }
    position.spool = spool_place_;
    counts_.give(*chunk);
    stamp(out);
    out.piece = Piece{std::move(chunk), position.text()};
    return {};
  }

  [[nodiscard]] Result<void> read_journal(Followed& followed, std::uint32_t number, std::size_t count, bool last,
                                          HistoryBuilder& builder, std::vector<Fingerprint>& gone) {
    JournalTail& tail = followed.tail;
    const auto before = tail.place().session;
    const std::uint32_t first = builder.txn_count();
    JournalReader reader(builder, findings_);
    const JournalView view{.name = tail.path(),
                           .records = tail.records().substr(0, count),
                           .file = number,
                           .going_on = !last,
                           .reads_until = static_cast<std::size_t>(-1),
                           .lines_before = tail.place().lines,
                           .session = before};
    if (auto wrong = reader.read(view)) return *std::move(wrong);
    // A client's next transaction begins after its last one has ended. (Of an unknown one nobody knows the end.)
    const OwnedColumns& c = builder.columns();
    for (std::uint32_t t = first; t < builder.txn_count(); ++t) {
      for (const auto* column : {&c.begin, &c.end}) {
        if (t < column->size() && (*column)[t] != kNoTime) followed.bound = std::max(followed.bound, (*column)[t]);
      }
    }
    const auto after = reader.last_session();
    for (const std::int64_t session : sessions_in(view)) {
      if (session == after) continue;
      gone.push_back(fingerprint_of_session(session));
      findings_.over.erase(session);
    }
    tail.take(count, after);
    return {};
  }

  static std::set<std::int64_t> sessions_in(const JournalView& view) {
    std::set<std::int64_t> out;
    if (view.session) out.insert(*view.session);
    for (std::size_t at = 0; at < view.records.size(); at = view.records.find('\n', at) + 1) {
      if (view.records[at] != 's') continue;
      std::int64_t session = 0;
      std::from_chars(view.records.data() + at + 2, view.records.data() + view.records.size(), session);
      out.insert(session);
    }
    return out;
  }

  static Fingerprint fingerprint_of_session(std::int64_t session) {
    ValueInterner values;
    const ValueId id = values.integer(session);
    return fingerprint_of(values.table(), id);
  }

  void note_cut_off(Next& out) const {
    const std::uint64_t cut = findings_.cut_unknown + findings_.cut_aborted;
    if (cut == 0) return;
    out.notices.push_back(
        fmt::format("the run was cut off: {} transactions have no end; {} had sent their commit and count as unknown, "
                    "{} had not and count as aborted",
                    cut, findings_.cut_unknown, findings_.cut_aborted));
  }

  Error placed(Error error, const HistoryBuilder& builder) const {
    error.file = folder_;
    if (const auto txn = builder.faulty_txn(); txn && raw(*txn) < findings_.origins.size()) {
      const JournalFindings::Origin& origin = findings_.origins[raw(*txn)];
      error.file = (fs::path(folder_) / names_[origin.file]).string();
      error.line = origin.line;
    }
    return error;
  }

  std::string folder_;
  std::function<std::int64_t()> clock_;
  std::size_t piece_bytes_, max_held_;
  std::string header_;
  bool header_given_ = false;
  std::map<std::string, Followed> journals_;  // by name: the order of a piece
  std::vector<std::string> names_;            // by number
  JournalFindings findings_;
  std::unique_ptr<Spool> spool_;
  std::uint64_t spool_place_ = 0;
  bool read_back_ = false;
  bool repeating_ = false;
  bool behind_ = true;  // there is more to read at once
  bool over_ = false;
  steady_clock::time_point next_look_{};
  std::optional<Error> wrong_;
  Wake wake_;
  LiveCounts counts_;
  const std::function<steady_clock::time_point()> clock_of_watching_;
  std::optional<steady_clock::time_point> began_;  // the first look
  std::chrono::nanoseconds came_{0}, drained_{0};
};

}  // namespace

Result<std::unique_ptr<Input>> follow_recording(const std::string& folder, std::function<std::int64_t()> clock,
                                                InputOptions options) {
  auto input = std::make_unique<RecordingInput>(folder, std::move(clock), options);
  if (auto good = input->start(options); !good) return good.error();
  return std::unique_ptr<Input>(std::move(input));
}

}  // namespace isolde::stream
