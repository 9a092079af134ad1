#include "format/jepsen_op.h"

#include <fmt/format.h>

#include "format/jepsen_json.h"

namespace isolde {
namespace {

class EdnOps : public JepsenOps {
 public:
  explicit EdnOps(std::string_view bytes) : reader_(bytes) {}
  Got next(EdnTree& tree) override { return reader_.next(tree); }
  [[nodiscard]] const EdnFault& fault() const override { return reader_.fault(); }
  [[nodiscard]] std::uint64_t offset() const override { return reader_.offset(); }

 private:
  EdnReader reader_;
};

std::optional<JepsenType> type_of(EdnRef type) {
  if (type.is_named("invoke")) return JepsenType::kInvoke;
  if (type.is_named("ok")) return JepsenType::kOk;
  if (type.is_named("fail")) return JepsenType::kFail;
  if (type.is_named("info")) return JepsenType::kInfo;
  return std::nullopt;
}

}  // namespace

std::unique_ptr<JepsenOps> open_ops(JepsenSyntax syntax, std::string_view bytes) {
  if (syntax == JepsenSyntax::kJson) return open_json_ops(bytes);
  return std::make_unique<EdnOps>(bytes);
}

std::string shown_form(EdnRef form) {
  switch (form.kind()) {
    case EdnKind::kList:
      return "a list";
    case EdnKind::kVector:
      return "a vector";
    case EdnKind::kMap:
      return "a map";
    case EdnKind::kSet:
      return "a set";
    default: {
      std::string text;
      append_edn(form, text);
      if (text.size() <= 40) return text;
      std::size_t cut = 40;
      while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
      return text.substr(0, cut) + "…";
    }
  }
}

std::optional<EdnFault> read_op(EdnRef form, JepsenOp& op) {
  op = JepsenOp{};
  op.offset = form.offset();
  if (form.kind() != EdnKind::kMap) {
    return EdnFault{fmt::format("expected an operation, a map with :type, found {}", shown_form(form)), form.offset()};
  }
  EdnRef type;
  EdnRef process;
  EdnRef key;
  for (const EdnRef child : form.children()) {
    if (!key) {
      key = child;
      continue;
    }
    if (key.is_name()) {
      const std::string_view name = key.text();
      if (name == "type") {
        type = child;
      } else if (name == "process") {
        process = child;
      } else if (name == "f") {
        op.f = child;
      } else if (name == "value") {
        op.value = child;
      } else if (name == "index" && child.is_integer()) {
        op.index = child.integer();
      }
    }
    key = EdnRef();
  }
  if (op.f && op.f.is_nil()) op.f = EdnRef();
  if (process && process.is_integer()) {
    op.process_kind = JepsenProcess::kClient;
    op.process = process.integer();
  } else if (process && !process.is_nil()) {
    op.process_kind = JepsenProcess::kOther;
    op.process_form = process;
    return std::nullopt;
  }
  if (!type) return EdnFault{"expected :type in the operation", form.offset()};
  const auto known = type_of(type);
  if (!known) {
    return EdnFault{fmt::format("expected :invoke, :ok, :fail or :info as :type, found {}", shown_form(type)),
                    type.offset()};
  }
  op.type = *known;
  if (!op.f && !op.value) return EdnFault{"expected :value or :f in the operation", form.offset()};
  if (op.f && !op.f.is_name()) {
    return EdnFault{fmt::format("expected a name as :f, found {}", shown_form(op.f)), op.f.offset()};
  }
  return std::nullopt;
}

}  // namespace isolde
