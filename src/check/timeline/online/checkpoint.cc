#include <algorithm>
#include <utility>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {
namespace {

constexpr std::uint64_t kTimelineMagic = 0x37'656e'696c'6d69'74ULL;  // timline7

void save_chunk(const Chunk& chunk, StateWriter& out) {
  for_each_column(
      [&](int, const char*, const auto& column) {
        out.put_text({reinterpret_cast<const char*>(column.data()), column.size_bytes()});
      },
      chunk.history.columns());
}

std::shared_ptr<const Chunk> load_chunk(StateReader& in) {
  const auto kept = std::make_shared<std::deque<std::vector<char>>>();
  HistoryColumns columns;
  bool whole = true;
  for_each_column(
      [&](int, const char*, auto& column) {
        using T = typename std::remove_cvref_t<decltype(column)>::value_type;
        const std::vector<char>& bytes = kept->emplace_back(in.get_all<char>());
        whole = whole && bytes.size() % sizeof(T) == 0;
        column = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
      },
      columns);
  if (!whole || !in.good() || !defect_of(columns).empty()) return nullptr;
  return std::make_shared<const Chunk>(History(columns, kept));
}

}  // namespace

void Online::save(StateWriter& out) const {
  out.put(kTimelineMagic);
  out.put(options_.level);
  out.put(spill_ != nullptr);
  out.put(head_ != nullptr);
  if (head_ != nullptr) save_chunk(*head_chunk_, out);
  out.put(time_.now);
  out.put(counts_);
  out.put(window_.first());
  out.put(judged_);
  out.put(applied_);
  out.put(staged_since_);
  out.put(settled_);
  out.put(sweep_);
  out.put(open_since_);
  out.put(std::uint64_t{open_count_});
  out.put(any_cloudy_rich_);
  out.put(asks_predicates_);
  out.put(released_any_);
  out.put(lost_values_);
  out.put(unasked_);
  out.put(next_asked_);
  rows_.save(out);
  header_keys_.save(out);
  out.put(next_room_);
  out.put(given_up_until_);
  given_up_.save(out);
  given_up_cloudy_.save(out);

  std::vector<TxnRecord> records;
  for (std::uint32_t t = window_.first(); t != window_.next(); ++t) records.push_back(window_.at(t));
  out.put_all(records);
  out.put(window_.first_chunk());
  std::uint64_t chunks = 0;
  window_.for_each_chunk([&](std::uint32_t, const Window::Held&) { ++chunks; });
  out.put(chunks);
  window_.for_each_chunk([&](std::uint32_t, const Window::Held& held) {
    out.put(held.chunk != nullptr);
    if (held.chunk != nullptr) save_chunk(*held.chunk, out);
  });

  keys_.save(out);
  out.put_all(open_keys_);
  out.put_all(std::vector<std::uint64_t>(told_order_.begin(), told_order_.end()));
  std::vector<std::uint64_t> cloud(cloud_.begin(), cloud_.end());
  std::sort(cloud.begin(), cloud.end());
  out.put_all(cloud);
  shadows_.save(out);
  out.put(numbered_);
  out.put_all(sessions_);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> numbers;
  for (const auto& [fingerprint, number] : session_numbers_) numbers.emplace_back(number, fingerprint);
  std::sort(numbers.begin(), numbers.end());
  for (const auto& [number, fingerprint] : numbers) out.put(fingerprint);
  clock_.save(out);
  out.put(std::uint64_t{late_reads_.size()});
  for (const LateRead& late : late_reads_) {
    out.put(late.txn);
    out.put(late.key);
    out.put(late.value);
    out.put(late.on_own);
    late.top.save(out);
  }
  out.put_all(std::vector<Broken>(broken_.begin(), broken_.end()));
  out.put(std::uint64_t{postponed_.size()});
  for (const Postponed& later : postponed_) {
    out.put(later.read);
    out.put(later.key);
    out.put(later.due);
    out.put(later.on_own);
    later.top.save(out);
  }
  out.put(released_until_);
  out.put(released_open_);
  if (spill_ == nullptr) return;
  for (Spill* const spill : {spill_.get(), read_spill_.get(), start_spill_.get()}) {
    spill->keep();
    out.put_all(spill->runs());
  }
}

bool Online::load(StateReader& in) {
  if (in.get<std::uint64_t>() != kTimelineMagic || in.get<Level>() != options_.level ||
      in.get<bool>() != (spill_ != nullptr))
    return false;
  if (in.get<bool>()) {
    const auto head = load_chunk(in);
    if (head == nullptr) return false;
    begin(*head);
    keys_ = KeyIndex();
    if (spill_ != nullptr) keys_.set_fold_sink(this);
    make_lanes();
  }
  time_.now = in.get<std::int64_t>();
  counts_ = in.get<OnlineCounts>();
  const auto first = in.get<std::uint32_t>();
  judged_ = in.get<std::uint32_t>();
  applied_ = in.get<std::uint32_t>();
  staged_since_ = in.get<std::int64_t>();
  settled_ = in.get<std::uint32_t>();
  sweep_ = in.get<std::uint32_t>();
  open_since_ = in.get<std::int64_t>();
  open_count_ = in.get<std::uint64_t>();
  any_cloudy_rich_ = in.get<bool>();
  asks_predicates_ = in.get<bool>();
  released_any_ = in.get<bool>();
  lost_values_ = in.get<bool>();
  unasked_ = in.get<std::uint64_t>();
  next_asked_ = in.get<std::uint32_t>();
  if (!rows_.load(in)) return false;
  header_keys_.load(in);
  next_room_ = in.get<std::uint64_t>();
  given_up_until_ = in.get<std::int64_t>();
  if (!given_up_.load(in) || !given_up_cloudy_.load(in)) return false;

  std::vector<TxnRecord> records = in.get_all<TxnRecord>();
  const auto first_chunk = in.get<std::uint32_t>();
  std::vector<std::shared_ptr<const Chunk>> chunks;
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.good(); --left) {
    chunks.push_back(in.get<bool>() ? load_chunk(in) : nullptr);
    if (chunks.back() != nullptr) names_.note(chunks.back());
  }
  for (const TxnRecord& r : records) {
    const std::uint32_t at = r.chunk - first_chunk;
    if (at >= chunks.size() || chunks[at] == nullptr || raw(r.txn) >= chunks[at]->history.txn_count()) return false;
  }
  if (applied_ - first > records.size() || arrived_before(applied_, judged_)) return false;
  window_.restore(first, std::move(records), first_chunk, std::move(chunks));
  if (!keys_.load(in)) return false;
  // What a chunk remembers of its keys is looked up again: judge() and settle() rely on it.
  for (std::uint32_t t = window_.first(); t != window_.next(); ++t) {
    Window::Held& held = window_.held(window_.at(t));
    for_each_access(held.chunk->history, window_.at(t).txn,
                    [&](const Access& a) { held.key[raw(a.key)] = keys_.find(held.chunk->key(a.key)); });
  }
  chains_.restore(window_);

  open_keys_ = in.get_all<std::uint32_t>();
  for (const std::uint32_t key : open_keys_) {
    if (key >= keys_.size()) return false;
  }
  for (const std::uint64_t identity : in.get_all<std::uint64_t>()) {
    told_.insert(identity);
    told_order_.push_back(identity);
  }
  for (const std::uint64_t pair : in.get_all<std::uint64_t>()) cloud_.insert(pair);
  shadows_.load(in);
  numbered_ = in.get<bool>();
  sessions_ = in.get_all<Latest>();
  for (std::uint32_t s = 0; s < sessions_.size(); ++s) session_numbers_.emplace(in.get<std::uint64_t>(), s);
  clock_.load(in);
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.good(); --left) {
    LateRead late{};
    late.txn = in.get<std::uint32_t>();
    late.key = in.get<std::uint32_t>();
    late.value = in.get<Fingerprint>();
    late.on_own = in.get<bool>();
    late.top = OwnTop::load(in);
    if (late.key >= keys_.size() || !window_.holds(late.txn)) return false;
    late_reads_.push_back(std::move(late));
  }
  for (const Broken& broken : in.get_all<Broken>()) {
    if (broken.key >= keys_.size() || !window_.holds(broken.by)) return false;
    broken_.push_back(broken);
  }
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.good(); --left) {
    Postponed later{};
    later.read = in.get<Broken>();
    later.key = in.get<Fingerprint>();
    later.due = in.get<std::int64_t>();
    later.on_own = in.get<bool>();
    later.top = OwnTop::load(in);
    postponed_bytes_ += later.bytes();
    postponed_.push_back(std::move(later));
  }
  released_until_ = in.get<std::int64_t>();
  released_open_ = in.get<std::int64_t>();
  if (spill_ == nullptr) return in.good();
  for (Spill* const spill : {spill_.get(), read_spill_.get(), start_spill_.get()}) {
    if (!spill->restore(in.get_all<Spill::RunName>())) return false;
  }
  return in.good();
}

}  // namespace isolde::timeline
