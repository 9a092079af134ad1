// format/jepsen_op.h: one line of a Jepsen history: its type, process, function and value.
//
// In, out: a form, read from EDN or from JSON -> JepsenOp, whose fields point into the form's tree.
// Always:  a form that is no operation gives a fault with the place of what is wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "format/edn.h"

namespace isolde {

// The operations of one file, one after another.
class JepsenOps {
 public:
  virtual ~JepsenOps() = default;
  using Got = EdnReader::Got;
  virtual Got next(EdnTree& tree) = 0;
  [[nodiscard]] virtual const EdnFault& fault() const = 0;
  [[nodiscard]] virtual std::uint64_t offset() const = 0;
};

enum class JepsenSyntax : std::uint8_t { kEdn, kJson };
[[nodiscard]] std::unique_ptr<JepsenOps> open_ops(JepsenSyntax syntax, std::string_view bytes);

enum class JepsenType : std::uint8_t { kInvoke, kOk, kFail, kInfo };
enum class JepsenProcess : std::uint8_t { kNone, kClient, kOther };  // kOther: the nemesis

struct JepsenOp {
  JepsenType type = JepsenType::kInvoke;
  JepsenProcess process_kind = JepsenProcess::kNone;
  std::int64_t process = 0;  // of a kClient
  EdnRef process_form;       // of a kOther
  EdnRef f;                  // false where the operation has none; likewise `value`
  EdnRef value;
  std::optional<std::int64_t> index;
  std::uint64_t offset = 0;

  [[nodiscard]] bool is(std::string_view function) const { return f && f.is_named(function); }
  [[nodiscard]] bool has_value() const { return value && !value.is_nil(); }
};

// What a form is, for a message: `:x`, `[…]`.
[[nodiscard]] std::string shown_form(EdnRef form);

// Reads the form as an operation; a fault if it is none.
[[nodiscard]] std::optional<EdnFault> read_op(EdnRef form, JepsenOp& op);

}  // namespace isolde
