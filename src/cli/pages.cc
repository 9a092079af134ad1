#include "cli/pages.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <functional>

#include "cli/cut_json.h"
#include "hunt/bug_report.h"
#include "report/page/json_text.h"
#include "report/page/page.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

namespace dom = simdjson::dom;

// Of a hunt's finding, in letters and steps: nobody reads more of it on a page.
constexpr std::size_t kLongestFindingText = 20'000, kLongestSql = 4000, kMostFindingSteps = 200;
constexpr std::size_t kLongestError = 400;

std::string made() { return PageObject().text("version", ISOLDE_VERSION).done(); }

std::string whole(std::string_view kind, std::string_view member, std::string_view json) {
  return PageObject().text("kind", kind).raw("made", made()).raw(member, json).done();
}

std::size_t room_for(std::string_view rest) {
  constexpr std::size_t kSpare = 1000;  // for names, commas and counts
  const std::size_t taken = html_page_size(rest) + kSpare;
  return taken < kLargestPage ? kLargestPage - taken : 0;
}

std::string cut_whole(std::string_view kind, std::string_view member, dom::object object) {
  return whole(kind, member, cut_report(object, room_for(whole(kind, member, "{}"))));
}

std::string_view text_of(const simdjson::simdjson_result<dom::element>& element) {
  std::string_view text;
  return element.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

bool has(dom::object object, std::initializer_list<std::string_view> members) {
  return std::ranges::all_of(members,
                             [&](std::string_view member) { return object[member].error() == simdjson::SUCCESS; });
}

std::string indented_lines(const std::string& text) {
  return text.empty() ? "nothing" : words::shortened(text, kLongestFindingText);
}

std::string schema_text(const hunt::Schema& schema) {
  std::string out;
  for (const hunt::Table& table : schema.tables) {
    out += table.create + ";\n";
    for (const auto& row : table.rows)
      out += fmt::format("insert into {} ({}) values ({});\n", table.name, fmt::join(table.inserted, ", "),
                         fmt::join(row, ", "));
  }
  for (const std::string& more : schema.more) out += more + ";\n";
  for (const hunt::View& view : schema.views) out += view.create + ";\n";
  return out;
}

// The case as it ran; the statement that differed is marked.
std::string story_of(const hunt::Finding& finding) {
  const hunt::Case& test = finding.test;
  std::vector<std::string> members, steps;
  for (std::size_t t = 0; t < test.transactions.size(); ++t) members.push_back(json_string(fmt::format("T{}", t + 1)));
  std::vector<std::uint32_t> next(test.transactions.size(), 0);
  for (const std::uint32_t who : test.order) {
    if (who >= test.transactions.size()) continue;
    if (steps.size() == kMostFindingSteps) {
      steps.push_back(PageObject()
                          .number("who", who)
                          .text("sql", fmt::format("-- … and {} more steps", test.order.size() - steps.size()))
                          .done());
      break;
    }
    const hunt::Transaction& transaction = test.transactions[who];
    const std::uint32_t statement = next[who]++;
    const bool ends = statement >= transaction.statements.size();
    const bool guilty = !ends && !finding.actual.empty() && finding.where == hunt::Place{who, statement} &&
                        (finding.wrong == hunt::Wrong::kResult || finding.wrong == hunt::Wrong::kCount ||
                         finding.wrong == hunt::Wrong::kError || finding.wrong == hunt::Wrong::kPredicate);
    steps.push_back(PageObject()
                        .number("who", who)
                        .text("sql", !ends ? words::shortened(transaction.statements[statement].sql, kLongestSql)
                                     : transaction.commits ? std::string("commit")
                                                           : std::string("rollback"))
                        .truth("guilty", guilty)
                        .done());
  }
  return PageObject().raw("members", page_list(members)).raw("steps", page_list(steps)).done();
}

std::string finding_json(const hunt::Finding& f) {
  std::string diff = "[]";
  if (!f.expected.empty() || !f.actual.empty())
    diff = fmt::format("[{}]", PageObject()
                                   .text("place", f.where.transaction < f.test.transactions.size() ? name(f.where) : "")
                                   .text("expected", indented_lines(f.expected))
                                   .text("seen", indented_lines(f.actual))
                                   .done());
  return PageObject()
      .text("title", f.cause.empty() ? std::string(name(f.wrong)) : f.cause)
      .text("words", fmt::format("{} at {}: {}{}.", f.server, f.level, about(f.wrong),
                                 f.anomaly.empty() ? "" : fmt::format(" ({})", f.anomaly)))
      .text("schema", words::shortened(schema_text(f.test.schema), kLongestFindingText))
      .raw("story", story_of(f))
      .raw("diff", diff)
      .text("markdown", words::shortened(bug_report_text(f), kLongestFindingText))
      .done();
}

}  // namespace

std::string probe_page(std::span<const std::string> probes) {
  const CutProbes cut = cut_probes(probes, room_for(whole("probe", "probes", "[]")));
  PageObject out;
  out.text("kind", "probe").raw("made", made()).raw("probes", cut.json);
  return out.number("probes_left_out", cut.left_out).done();
}

std::string audit_page(std::string_view audit) {
  dom::parser parser;
  dom::object object;
  if (parser.parse(audit).get(object) != simdjson::SUCCESS) return whole("audit", "audit", "{}");
  return cut_whole("audit", "audit", object);
}

std::string hunt_page(std::string_view file, std::string_view title, std::span<const hunt::Finding> findings) {
  const std::string summary =
      findings.empty() ? std::string("Nothing found")
                       : fmt::format("{} {}", grouped(findings.size()), findings.size() == 1 ? "finding" : "findings");
  std::vector<std::string> facts;
  const auto fact = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      facts.push_back(
          PageObject().text("name", name).text("value", words::shortened(std::string(value), kLongestSql)).done());
  };
  fact("hunt", title);
  if (!findings.empty()) {
    fact("server", findings.front().server);
    fact("level", findings.front().level);
  }
  PageObject out;
  out.text("kind", "hunt").raw("made", made()).text("file", words::shortened(std::string(file), kLongestSql));
  out.text("summary", summary).raw("facts", page_list(facts));
  std::vector<std::string> kept;
  std::size_t room = room_for(out.done());
  for (const hunt::Finding& finding : findings) {
    std::string one = finding_json(finding);
    const std::size_t size = size_in_page(one) + 1;
    if (size > room) continue;
    room -= size;
    kept.push_back(std::move(one));
  }
  out.raw("findings", page_list(kept));
  return out.number("findings_left_out", findings.size() - kept.size()).done();
}

Result<std::optional<std::string>> page_of_json(std::string_view text, const std::string& file) {
  using Page = std::optional<std::string>;
  std::vector<std::string> probes;
  Page page;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    dom::parser parser;
    dom::object object;
    if (parser.parse(line).get(object) != simdjson::SUCCESS) return Page();
    if (has(object, {"database", "levels", "cases"})) {
      probes.push_back(std::string(line));
    } else if (has(object, {"file", "level", "verdict", "anomalies"})) {
      if (page) return Error{"has several reports, but a page shows only one", file};
      page = has(object, {"classes", "targets", "trace"}) ? cut_whole("audit", "audit", object)
                                                          : cut_whole("checked", "report", object);
    } else if (has(object, {"file", "error"})) {
      return Error{fmt::format("is the report on an input that could not be read: {}",
                               words::shortened(std::string(text_of(object["error"])), kLongestError)),
                   file};
    } else {
      return Page();
    }
  }
  if (page && !probes.empty()) return Error{"has reports of several kinds, but a page shows only one", file};
  if (!probes.empty()) page = probe_page(probes);
  if (page && html_page_size(*page) > kLargestPage)
    return Error{"cannot be cut to a page of 3 MB: it is not a report that Isolde printed", file};
  return page;
}

}  // namespace isolde::cli
