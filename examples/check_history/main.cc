// A test harness in a few lines: record what clients did, and check whether snapshot isolation held.
#include <isolde/isolde.h>

#include <iostream>

int main() {
  using namespace isolde::api;
  HistoryBuilder builder;
  builder.add(Transaction(1).named(1).write("x", 1).timestamps(10, 20));
  builder.add(Transaction(1).named(2).write("x", 2).timestamps(30, 40));
  // Its snapshot was taken at 50 and so contains x = 2, but the database returned the version before.
  builder.add(Transaction(2).named(3).read("x", 1).timestamps(50, 50));
  const LoadedHistory history = builder.finish();
  if (!history) {
    std::cerr << history.error << '\n';
    return 2;
  }
  const Verdict verdict = check(*history.history, "snapshot-isolation");
  if (!verdict.error.empty()) {
    std::cerr << verdict.error << '\n';
    return 2;
  }
  std::cout << to_json(verdict, "example") << '\n';
  for (const Anomaly& anomaly : verdict.anomalies) std::cout << anomaly.text << '\n';
  return verdict.outcome == Outcome::violated ? 0 : 1;
}
