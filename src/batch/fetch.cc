#include "batch/fetch.h"

#include <algorithm>

#include "format/isl.h"
#include "history/cut.h"
#include "history/fingerprint.h"

namespace isolde::batch {
namespace {

class StringSink : public ByteSink {
 public:
  void write(std::string_view bytes) override { text.append(bytes); }
  std::string text;
};

std::string packed(const History& piece) {
  StringSink sink;
  write_isl_columns(piece.columns(), sink);
  return std::move(sink.text);
}

// Empty: nothing came.
Result<void> join_piece(const std::string& piece, HistoryJoiner& whole) {
  if (piece.empty()) return {};
  auto read = read_isl_columns({"what a rank sent", piece, nullptr});
  if (!read) return std::move(read).error();
  return whole.add(History(read->columns, read->storage));
}

// Part by part in the order of ranks, so that little is under way..
template <typename Cut>
Result<HistoryJoiner> fetch_parts(Ranks& ranks, Parts& parts, Cut&& cut) {
  const std::vector<std::uint64_t> of_rank = gathered(ranks, std::vector<std::uint64_t>{parts.count()});
  HistoryJoiner whole;
  Result<void> good;
  for (unsigned sender = 0; sender < ranks.size(); ++sender) {
    for (std::size_t i = 0; i < of_rank[sender]; ++i) {
      std::string own;
      if (sender == ranks.rank() && good) {
        auto piece = cut(i);
        if (piece) {
          own = *std::move(piece);
        } else {
          good = std::move(piece).error();
        }
      }
      const auto in = ranks.to_first(std::move(own));
      if (ranks.is_first() && good) good = join_piece(in[sender], whole);
    }
  }
  if (auto agreed = ranks.agree(good); !agreed) return std::move(agreed).error();
  return whole;
}

}  // namespace

KeysOfPart::KeysOfPart(const History& part, const std::vector<std::uint64_t>& keys) : part_(part) {
  for (const ValueId name : part.columns().key_name)
    marked_.push_back(std::binary_search(keys.begin(), keys.end(), raw64(fingerprint_of(part.values(), name))));
}

std::uint32_t KeysOfPart::operations(TxnId t) const {
  std::uint32_t count = 0;
  for (std::uint32_t i = part_.first_op(t); i < part_.end_op(t); ++i) {
    if (marked_[raw(part_.op(i).key())]) ++count;
  }
  return count;
}

Result<HistoryJoiner> fetch(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& places) {
  return fetch_parts(ranks, parts, [&](std::size_t i) -> Result<std::string> {
    const auto first = std::lower_bound(places.begin(), places.end(), parts.first_place(i));
    const auto end = std::lower_bound(first, places.end(), parts.end_place(i));
    if (first == end) return std::string();
    auto part = parts.load(i);
    if (!part) return std::move(part).error();
    std::vector<TxnId> txns;
    for (auto place = first; place != end; ++place)
      txns.push_back(TxnId{static_cast<std::uint32_t>(*place - parts.first_place(i))});
    return packed(HistoryCutter(**part).cut(txns));
  });
}

Result<HistoryJoiner> fetch_keys(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& keys) {
  return fetch_parts(ranks, parts, [&](std::size_t i) -> Result<std::string> {
    auto part = parts.load(i);
    if (!part) return std::move(part).error();
    const KeysOfPart wanted(**part, keys);
    std::vector<TxnId> txns;
    for (std::uint32_t t = 0; t < (*part)->txn_count(); ++t) {
      if (wanted.operations(TxnId{t}) > 0) txns.push_back(TxnId{t});
    }
    return txns.empty() ? std::string() : packed(HistoryCutter(**part).cut(txns, wanted.marked()));
  });
}

Result<HistoryJoiner> fetch_all(Ranks& ranks, Parts& parts) {
  auto whole = fetch_parts(ranks, parts, [&](std::size_t i) -> Result<std::string> {
    auto part = parts.load(i);
    if (!part) return std::move(part).error();
    return packed(**part);
  });
  if (!whole) return whole;
  Result<void> good;
  if (ranks.is_first()) {
    auto rest = parts.rest();
    if (!rest) {
      good = std::move(rest).error();
    } else if (*rest != nullptr) {
      good = whole->add(**rest);
    }
  }
  if (auto agreed = ranks.agree(good); !agreed) return std::move(agreed).error();
  return whole;
}

}  // namespace isolde::batch
