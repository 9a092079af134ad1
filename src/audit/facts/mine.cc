#include "audit/facts/mine.h"

#include "audit/facts/choices.h"
#include "audit/facts/co_inserts.h"
#include "audit/facts/constants.h"
#include "audit/facts/flows.h"
#include "audit/facts/lookups.h"
#include "audit/facts/next_numbers.h"
#include "audit/facts/projections.h"
#include "audit/facts/queues.h"
#include "audit/facts/vocabularies.h"
#include "audit/facts/written_values.h"

namespace isolde::audit {

void mine_facts(const TraceLog& log, const Forms& forms, const FactSwitches& switches, Classes& classes) {
  if (switches.on(FactKind::kChoice)) {
    std::vector<CoInsert> co_inserts;
    if (switches.on(FactKind::kCoInsert)) co_inserts = find_co_inserts(log, classes);
    find_choices(log, forms, switches, co_inserts, classes);
    if (switches.on(FactKind::kQueue)) find_queues(log, forms, classes);
  }
  if (switches.on(FactKind::kFunction)) find_lookups(log, classes);
  if (switches.on(FactKind::kConstant)) find_constants(log, forms, classes);
  if (switches.on(FactKind::kVocabulary)) find_vocabularies(log, forms, classes);
  const std::vector<WrittenColumn> written = find_written_values(log, forms, classes);
  if (switches.on(FactKind::kChoice) && switches.on(FactKind::kProjection)) find_projections(written, classes);
  if (switches.on(FactKind::kFlow)) {
    find_flows(log, forms, written, classes);
    find_next_numbers(log, classes);
  }
  classes.lost = lost_updates(log, classes, written);
  narrow_to_taken(classes);
}

}  // namespace isolde::audit
