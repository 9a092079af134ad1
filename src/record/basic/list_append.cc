// record/basic/list_append.cc: appends of unique elements to lists, and reads of whole lists: what was read shows the
// order of the appends. A list is text ("1,2,3"), or an array or JSON where the dialect has such a column.
// Source: Elle, Jepsen (append).
#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kListAppendShape = {
    .name = "list-append", .keys = 20, .ops = 4, .reads = 0.5, .distribution = Distribution::kZipf};
constexpr Shape kListAppendArrayShape = {
    .name = "list-append-array", .keys = 20, .ops = 4, .reads = 0.5, .distribution = Distribution::kZipf};

constexpr std::uint64_t kMostAppends = 32;  // appends to a key before a fresh one takes its place
constexpr double kReadsOfRetired = 0.05;    // of the reads: how the list before it ended

class ListAppend final : public Workload {
 public:
  ListAppend(const Settings& settings, const db::Dialect& dialect, ValueStyle style)
      : settings_(settings), sampler_(settings.sampler(settings.keys)), appends_(settings.keys) {
    table_ = {.name = "lists", .key_columns = {"k"}, .value_columns = {"v"}, .style = style, .bare_key = true};
    const bool text = style == ValueStyle::kTextList;
    schema_ = fmt::format("create table lists (k bigint primary key, v {} not null){}",
                          text ? dialect.text_type : dialect.list_type, dialect.table_options);
    const bool on_conflict = dialect.upsert == db::Upsert::kOnConflict;
    std::string first = "?";
    std::string longer;
    if (text) {
      longer = db::concatenated(dialect, db::concatenated(dialect, on_conflict ? "lists.v" : "v", "','"),
                                on_conflict ? "excluded.v" : "values(v)");
    } else {
      const bool is_array = dialect.list_type.ends_with("[]");
      const std::string empty = is_array ? fmt::format("cast('{{}}' as {})", dialect.list_type) : "'[]'";
      first = fmt::format(fmt::runtime(dialect.list_append), empty);
      longer = fmt::format(fmt::runtime(dialect.list_append), on_conflict ? "lists.v" : "v");
    }
    append_ = fmt::format("insert into lists (k, v) values (?, {}) {} v = {}", first,
                          on_conflict ? "on conflict (k) do update set" : "on duplicate key update", longer);
  }

  std::vector<std::string> schema() const override { return {schema_}; }
  std::span<const TracedTable> tables() const override { return std::span(&table_, 1); }
  Result<void> load(db::Connection&) override { return {}; }
  std::string initial() const override { return "null"; }
  std::unique_ptr<WorkloadSession> session(std::uint32_t, Rng rng) override {
    return std::make_unique<SessionOf<ListAppend>>(*this, rng);
  }

  void transaction(Client& client, Rng& rng) {
    if (!client.begin()) return;
    for (const PlannedOp op : plan(settings_, sampler_, rng)) {
      if (!(op.writes ? append(client, op.key) : read(client, rng, op.key))) return;
    }
    client.commit();
  }

 private:
  // Which key stands at a place now: all clients agree, by the number of appends that were tried there.
  [[nodiscard]] std::int64_t key_at(std::uint32_t place, std::uint64_t appends) const {
    return static_cast<std::int64_t>(place + appends / kMostAppends * settings_.keys);
  }

  [[nodiscard]] bool read(Client& client, Rng& rng, std::uint32_t place) const {
    std::uint64_t appends = appends_[place].load(std::memory_order_relaxed);
    if (appends >= kMostAppends && rng.chance(kReadsOfRetired)) appends -= kMostAppends;
    const std::int64_t key = key_at(place, appends);
    if (!client.run("select v from lists where k = ?", {key})) return false;
    const db::Reply& reply = client.reply();
    client.saw(key_text(table_, {key}), reply.rows() == 0 ? "null" : value_text(table_, std::span(reply.cells)));
    return true;
  }

  [[nodiscard]] bool append(Client& client, std::uint32_t place) {
    const std::int64_t key = key_at(place, appends_[place].fetch_add(1, std::memory_order_relaxed));
    const std::int64_t element = client.unique();
    client.will_append(key_text(table_, {key}), std::to_string(element));
    if (table_.style == ValueStyle::kTextList) return client.run(append_, {key, std::to_string(element)});
    return client.run(append_, {key, element, element});
  }

  Settings settings_;
  KeySampler sampler_;
  std::vector<std::atomic<std::uint64_t>> appends_;  // tried at each place
  TracedTable table_;
  std::string schema_, append_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_list_append(const WorkloadOptions& options, const db::Dialect& dialect) {
  auto settings = settle(kListAppendShape, options, dialect);
  if (!settings) return std::move(settings).error();
  return std::unique_ptr<Workload>(std::make_unique<ListAppend>(*settings, dialect, ValueStyle::kTextList));
}

Result<std::unique_ptr<Workload>> make_list_append_array(const WorkloadOptions& options, const db::Dialect& dialect) {
  if (dialect.list_type.empty())
    return Error{fmt::format("{} has no column type for lists: use the workload list-append", dialect.name)};
  auto settings = settle(kListAppendArrayShape, options, dialect);
  if (!settings) return std::move(settings).error();
  return std::unique_ptr<Workload>(std::make_unique<ListAppend>(*settings, dialect, ValueStyle::kArray));
}

}  // namespace isolde::record
