#include <utility>

#include "audit/classes/classes.h"
#include "audit/facts/find_classes.h"

namespace isolde::audit {
namespace {

std::vector<Statement> understand_all(const TraceLog& log, const Schema& schema, Progress* progress) {
  const std::size_t count = log.shapes.size();
  std::vector<Statement> out;
  out.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (progress != nullptr && i % 256 == 0) progress->advance("understanding statements", i, count);
    out.push_back(understand(log.shapes.example(ShapeId{i}), log.shapes.dialect(), schema));
  }
  return out;
}

}  // namespace

Classes find_classes(const TraceLog& log, Schema schema, const ClassOptions& options) {
  learn_schema(log.shapes, schema);
  std::vector<Statement> statements = understand_all(log, schema, options.progress);
  return find_classes(log, std::move(schema), std::move(statements), options);
}

}  // namespace isolde::audit
