#include "format/jepsen_nemesis.h"

namespace isolde {
namespace {

ValueId detail_of(const JepsenOp& op, ValueInterner& values) {
  if (!op.has_value()) return kNullValue;
  if (op.value.kind() == EdnKind::kString) return values.string(op.value.text());
  std::string text;
  append_edn(op.value, text);
  return values.string(text);
}

// Whether the text is one form of EDN that is read back as this text, other than a string.
bool is_form(std::string_view text) {
  EdnReader reader(text);
  EdnTree tree;
  // A vector around everything would be stepped into, form by form.
  const bool sequence = text.starts_with('[') || text.starts_with('(');
  const std::string wrapped = sequence ? "[" + std::string(text) + "]" : std::string();
  if (sequence) reader = EdnReader(wrapped);
  if (reader.next(tree) != EdnReader::Got::kForm || tree.root().kind() == EdnKind::kString || tree.root().is_nil())
    return false;
  std::string again;
  append_edn(tree.root(), again);
  return again == text && reader.next(tree) == EdnReader::Got::kEnd;
}

}  // namespace

void JepsenNemesis::take(const JepsenOp& op, std::int64_t place) {
  std::string process;
  const std::string f = op.f && op.f.is_name() ? std::string(op.f.text()) : std::string("nemesis");
  append_edn(op.process_form, process);
  ValueInterner& values = builder_.values();
  const ValueId detail = detail_of(op, values);
  const auto [begun, fresh] = begun_.try_emplace({process, f}, Begun{place, builder_.fault_count()});
  if (!fresh) {
    builder_.end_fault(begun->second.fault, place == begun->second.place ? kNoTime : place, detail);
    begun_.erase(begun);
    return;
  }
  builder_.fault(place, kNoTime, values.string(f), detail);
}

void append_nemesis_op(const History& history, const FaultMark& fault, bool with_detail, std::string& out) {
  const std::string_view name = history.values().string(fault.name);
  out += "{:type :info, :process :nemesis, :f ";
  if (is_simple_name(name)) {
    out += ':';
    out += name;
  } else {
    append_edn_string(name, out);
  }
  out += ", :value ";
  if (!with_detail || fault.detail == kNullValue) {
    out += "nil";
  } else if (const std::string_view detail = history.values().string(fault.detail); is_form(detail)) {
    out += detail;
  } else {
    append_edn_string(detail, out);
  }
  out += "}\n";
}

}  // namespace isolde
