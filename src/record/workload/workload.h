// record/workload/workload.h: what clients do: a schema, first rows, and one transaction after the other; a table of
// all of them.
//
// Always: chance comes from the Rng that is passed in, so equal seeds ask the same of the database (what it answers,
// and
//         in which order, is its own).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "db/connection.h"
#include "db/dialect.h"
#include "gen/options.h"
#include "record/workload/client.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

struct WorkloadOptions {
  std::uint32_t clients = 8;
  std::optional<std::uint32_t> keys;  // none: what the workload takes (as its paper has it)
  std::optional<std::uint32_t> ops;   // operations a transaction
  std::optional<double> reads;        // share of reads
  std::optional<Distribution> distribution;
  double zipf_exponent = 0.99;
  bool repeated_values = false;  // values 1 to 10 again and again, where the workload can
  bool for_update = false;       // lock what is read to be written
  std::uint32_t scale = 1;       // of TPC-C (warehouses) and SmallBank (thousands of accounts)
  std::uint64_t seed = 1;
};

// One client's part: made in the client's thread, never shared.
class WorkloadSession {
 public:
  virtual ~WorkloadSession() = default;
  // One transaction from begin to commit, or as far as the client lets it.
  virtual void transaction(Client& client) = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;
  // SQL that makes its tables; each is dropped first by the caller (tables() names them).
  [[nodiscard]] virtual std::vector<std::string> schema() const = 0;
  [[nodiscard]] virtual std::span<const TracedTable> tables() const = 0;
  // First rows, through one connection. The caller has begun a transaction and commits it.
  [[nodiscard]] virtual Result<void> load(db::Connection& connection) = 0;
  // What keys hold after load(), as what follows `"initial":` in the header: null, a scalar, or an object {key: value}.
  // Integer keys that a predicate may ask for by name: `null,"initial_of":[[7,value],…]`, since a member of an object
  // is a string where no operation names the integer.
  [[nodiscard]] virtual std::string initial() const = 0;
  [[nodiscard]] virtual std::unique_ptr<WorkloadSession> session(std::uint32_t client, Rng rng) = 0;
};

struct WorkloadInfo {
  std::string_view name;
  std::string_view summary;  // one line for --help
  Result<std::unique_ptr<Workload>> (*make)(const WorkloadOptions& options, const db::Dialect& dialect);
};

[[nodiscard]] std::span<const WorkloadInfo> workloads();
[[nodiscard]] const WorkloadInfo* workload_named(std::string_view name);

}  // namespace isolde::record
