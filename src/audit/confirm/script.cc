#include "audit/confirm/script.h"

#include <fmt/format.h>

#include "audit/confirm/reach.h"
#include "audit/confirm/wording.h"

namespace isolde::audit {
namespace {

class Rehearsal {
 public:
  Rehearsal(ScratchPlace& place, const Play& play) : place_(place), play_(play) {}

  Result<Script> run() {
    db::Connection& keeper = place_.keeper();
    if (auto begun = keeper.begin(); !begun) return std::move(begun).error();
    if (const std::string set = place_.after_begin(0); !set.empty()) static_cast<void>(keeper.run(set));
    Result<void> result;
    for (std::uint32_t m = 0; m < play_.members.size() && result; ++m) {
      script_.sent.emplace_back();
      script_.quotes_numbers.emplace_back();
      for (const Line& line : play_.members[m].lines) {
        result = say(keeper, m, line);
        if (!result) break;
      }
      for (const std::string& sql : play_.members[m].unknown)
        script_.left_out.push_back({m, sql, "left out: what it does is not known"});
    }
    static_cast<void>(keeper.roll_back());
    if (!result) return std::move(result).error();
    return std::move(script_);
  }

 private:
  void take(std::uint32_t member, bool is_sent, bool quotes_numbers) {
    script_.sent[member].push_back(is_sent);
    script_.quotes_numbers[member].push_back(quotes_numbers);
  }

  Result<void> say(db::Connection& keeper, std::uint32_t member, const Line& line) {
    if (names_another_place(play_, line))
      return Error{fmt::format("T{} may mean a table outside of the scratch place: {}", member + 1,
                               sql_text(play_, line, {place_.dialect(), false}))};
    std::string words = why_not_sent(play_, line);
    const bool is_sent = words.empty();
    for (const bool quotes_numbers : {false, true}) {
      if (!is_sent) break;
      const std::string sql = sql_text(play_, line, {place_.dialect(), quotes_numbers});
      static_cast<void>(keeper.run("savepoint isolde_line"));
      const auto reply = keeper.run(sql);
      if (reply && reply->fate == db::Fate::kLost) return Error{"the connection was lost: " + reply->failure.text};
      // What fails for its data (22: values, 23: keys) may go well in another order.
      const bool value = reply && !reply->done() && reply->failure.code.starts_with("22");
      if (reply && !value) {
        if (!reply->done()) static_cast<void>(keeper.run("rollback to savepoint isolde_line"));
        take(member, true, quotes_numbers);
        return {};
      }
      static_cast<void>(keeper.run("rollback to savepoint isolde_line"));
      if (words.empty()) words = reply ? reply->failure.text : server_words(reply.error().text);
    }
    const std::string sql = sql_text(play_, line, {place_.dialect(), false});
    if (line.reads_plainly() && !line.in_cycle) {
      script_.left_out.push_back({member, sql, "left out: " + words});
      take(member, false, false);
      return {};
    }
    return Error{fmt::format("T{}: {} (its statement {}: {})", member + 1, words, line.statement + 1, sql)};
  }

  ScratchPlace& place_;
  const Play& play_;
  Script script_;
};

}  // namespace

Script::Sql Script::sql(const Play& play, db::Family dialect) const {
  Sql out;
  for (std::size_t m = 0; m < play.members.size(); ++m) {
    out.emplace_back();
    for (std::size_t l = 0; l < play.members[m].lines.size(); ++l) {
      std::string text;
      if (sent[m][l]) text = sql_text(play, play.members[m].lines[l], {dialect, quotes_numbers[m][l]});
      out.back().push_back(std::move(text));
    }
  }
  return out;
}

Result<Script> rehearse(ScratchPlace& place, const Play& play, const std::vector<InitialRow>& rows) {
  if (auto made = place.make_tables(play); !made) return std::move(made).error();
  if (auto filled = place.fill(play, rows, ScratchPlace::RowOrder::kForward); !filled) return std::move(filled).error();
  return Rehearsal(place, play).run();
}

std::string server_words(std::string_view text) {
  constexpr std::string_view kOurs = "is not listed: ", kStatement = " (statement: ";
  if (const std::size_t at = text.find(kOurs); at != std::string_view::npos) text.remove_prefix(at + kOurs.size());
  text = text.substr(0, text.find(kStatement));
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace isolde::audit
