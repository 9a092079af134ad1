#include "format/dbcop_json.h"

#include "format/json_document.h"
#include "format/unknown_fields.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

namespace od = simdjson::ondemand;
using Fault = std::optional<JsonFault>;

constexpr const char* kEventForm =
    R"(expected an event: {"Read":{"variable","version"}}, {"Write":{…}}, ["r",variable,version] or ["w",…])";

constexpr std::string_view kDbcopTxnFields[] = {"events", "committed"};
constexpr std::string_view kDbcopEventFields[] = {"variable", "version"};

std::string_view without_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

class DbcopJsonReader {
 public:
  DbcopJsonReader(const Source& source, const ReadOptions& options)
      : file_(source.files[0]),
        options_(options),
        json_(file_.name, 1),
        unknown_(options.lenient ? UnknownFields::Stance::kIgnore : UnknownFields::Stance::kRefuse) {
    builder_.set_default_initial(builder_.values().integer(0));
  }

  Result<ReadResult> run() {
    std::string_view text = file_.bytes;
    const bool wrapped = without_space(text).starts_with('{');
    std::vector<std::string> notes;
    std::optional<std::string> closed;
    if (options_.lenient) closed = close_cut_json(text, wrapped ? 3 : 2);
    if (closed) {
      text = *closed;
      notes.emplace_back("the file is cut off: dropped what follows its last whole transaction");
    }
    if (auto error = json_.start(text, 1)) return *std::move(error);
    if (auto fault = wrapped ? wrapper() : bare()) return json_.error(*fault);
    if (auto error = json_.expect_end()) return *std::move(error);
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    unknown_.add_note(notes);
    return ReadResult{*std::move(history), std::move(notes)};
  }

 private:
  Fault bare() {
    od::array array;
    if (const auto code = json_.doc().get_array().get(array)) {
      return json_.root_fault(code, "expected an array of sessions, or an object with \"data\"");
    }
    return sessions(array);
  }

  Fault wrapper() {
    od::object object;
    if (const auto code = json_.doc().get_object().get(object)) {
      return json_.root_fault(code, "expected an object with \"data\"");
    }
    bool has_data = false;
    for (auto field : object) {
      std::string_view name;
      od::value inner;
      if (const auto code = field.unescaped_key().get(name)) return json_.fault(code);
      const bool is_data = name == "data";
      const bool is_info = name == "info";
      if (const auto code = field.value().get(inner)) return json_.fault(code);
      if (is_info) {
        std::string_view text;
        if (!inner.get_string().get(text)) builder_.set_about(text);
      } else if (is_data && has_data) {
        return fault_at("expected \"data\" once", inner);
      } else if (is_data) {
        has_data = true;
        const auto wrong = fault_at("expected an array of sessions", inner);
        od::array array;
        if (inner.get_array().get(array)) return wrong;
        if (auto fault = sessions(array)) return fault;
      }
    }
    if (!has_data) return json_.fault("expected the field \"data\", an array of sessions");
    return std::nullopt;
  }

  Fault sessions(od::array array) {
    std::int64_t session = 0;
    for (auto element : array) {
      od::value value;
      if (const auto code = element.get(value)) return json_.fault(code);
      const auto wrong = fault_at("expected a session: an array of transactions", value);
      od::array txns;
      if (value.get_array().get(txns)) return wrong;
      for (auto inner : txns) {
        od::value txn;
        if (const auto code = inner.get(txn)) return json_.fault(code);
        if (auto fault = transaction(txn, session)) return fault;
      }
      ++session;
    }
    return std::nullopt;
  }

  Fault transaction(od::value value, std::int64_t session) {
    const auto wrong = fault_at(R"(expected a transaction: {"events":[…],"committed":true|false})", value);
    od::object object;
    if (value.get_object().get(object)) return wrong;
    builder_.begin_txn(builder_.session(session));
    bool has_events = false;
    for (auto field : object) {
      JsonField taken;
      if (const auto code = take_field(field, taken)) return json_.fault(code);
      od::value inner = taken.value;
      const bool is_events = taken.name == "events";
      const bool is_committed = taken.name == "committed";
      if (is_committed) {
        const auto no_bool = fault_at("expected true or false", inner);
        bool committed = false;
        if (inner.get_bool().get(committed)) return no_bool;
        builder_.set_status(committed ? Status::kCommitted : Status::kAborted);
      } else if (is_events) {
        has_events = true;
        const auto no_array = fault_at("expected an array of events", inner);
        od::array events;
        if (inner.get_array().get(events)) return no_array;
        for (auto element : events) {
          od::value event_value;
          if (const auto code = element.get(event_value)) return json_.fault(code);
          if (auto fault = event(event_value)) return fault;
        }
      } else if (auto fault = unknown_field(taken, "a transaction", kDbcopTxnFields)) {
        return fault;
      }
    }
    if (!has_events) return wrong;
    builder_.end_txn();
    return std::nullopt;
  }

  Fault unknown_field(const JsonField& field, std::string_view where, std::span<const std::string_view> known) {
    std::string wrong = unknown_.wrong_with(field.name, where, known);
    if (wrong.empty()) return std::nullopt;
    return JsonFault{std::move(wrong), field.at};
  }

  Fault event(od::value value) {
    const auto wrong = fault_at(kEventForm, value);
    od::json_type type{};
    if (value.type().get(type)) return wrong;
    if (type == od::json_type::array) return short_event(value, wrong);
    od::object object;
    if (value.get_object().get(object)) return wrong;
    int count = 0;
    for (auto field : object) {
      std::string_view name;
      od::value inner;
      if (const auto code = field.unescaped_key().get(name)) return json_.fault(code);
      const bool is_read = name == "Read";
      if ((!is_read && name != "Write") || ++count > 1) return wrong;
      if (const auto code = field.value().get(inner)) return json_.fault(code);
      if (auto fault = long_event(inner, is_read, wrong)) return fault;
    }
    return count == 1 ? Fault{} : wrong;
  }

  Fault long_event(od::value value, bool is_read, const JsonFault& wrong) {
    od::object object;
    if (value.get_object().get(object)) return wrong;
    std::optional<ValueId> variable;
    ValueId version = kNullValue;
    for (auto field : object) {
      JsonField taken;
      if (const auto code = take_field(field, taken)) return json_.fault(code);
      od::value inner = taken.value;
      const bool is_variable = taken.name == "variable";
      const bool is_version = taken.name == "version";
      if (is_variable) {
        ValueId id{};
        if (auto fault = variable_of(inner, id)) return fault;
        variable = id;
      } else if (is_version) {
        if (auto fault = version_of(inner, version)) return fault;
      } else if (auto fault = unknown_field(taken, "an event", kDbcopEventFields)) {
        return fault;
      }
    }
    if (!variable) return wrong;
    return add(is_read, *variable, version, wrong);
  }

  Fault short_event(od::value value, const JsonFault& wrong) {
    od::array array;
    if (value.get_array().get(array)) return wrong;
    bool is_read = false;
    ValueId variable{};
    ValueId version = kNullValue;
    int place = 0;
    for (auto element : array) {
      od::value inner;
      if (const auto code = element.get(inner)) return json_.fault(code);
      if (place == 0) {
        std::string_view kind;
        if (inner.get_string().get(kind)) return wrong;
        if (kind != "r" && kind != "w") return wrong;
        is_read = kind == "r";
      } else if (place == 1) {
        if (auto fault = variable_of(inner, variable)) return fault;
      } else if (place == 2) {
        if (auto fault = version_of(inner, version)) return fault;
      } else {
        return wrong;
      }
      ++place;
    }
    if (place < 2) return wrong;
    return add(is_read, variable, version, wrong);
  }

  // Variables keep their type: dbcop has numbers and names.
  Fault variable_of(od::value value, ValueId& out) {
    const auto wrong = fault_at("expected a variable, a 64-bit integer or a string", value);
    od::json_type type{};
    if (value.type().get(type)) return wrong;
    if (type != od::json_type::number && type != od::json_type::string) return wrong;
    if (auto fault = json_value(value, builder_.values(), out)) return JsonFault{fault->text, wrong.at};
    return std::nullopt;
  }

  Fault version_of(od::value value, ValueId& out) {
    od::json_type type{};
    if (const auto code = value.type().get(type)) return json_.fault(code);
    if (type == od::json_type::null) return json_value(value, builder_.values(), out);
    WideInteger number;
    if (auto fault = json_integer(value, "the version", number)) return fault;
    out = number.value(builder_.values());
    return std::nullopt;
  }

  Fault add(bool is_read, ValueId variable, ValueId version, const JsonFault& wrong) {
    if (!is_read && version == kNullValue) return JsonFault{"expected the version that is written", wrong.at};
    const KeyId key = builder_.key(variable);
    if (is_read) {
      builder_.read(key, version == kNullValue ? builder_.values().integer(0) : version);
    } else {
      builder_.write(key, version);
    }
    return std::nullopt;
  }

  const SourceFile& file_;
  const ReadOptions& options_;
  JsonDocument json_;
  UnknownFields unknown_;
  HistoryBuilder builder_;
};

Result<ReadResult> read_dbcop_json(const Source& source, const ReadOptions& options) {
  return DbcopJsonReader(source, options).run();
}

bool recognise_dbcop_json(const Source& source) {
  std::string_view head = without_space(source.files[0].bytes.substr(0, 1 << 14));
  const auto has = [&head](std::string_view name) { return head.find(name) != std::string_view::npos; };
  const auto take = [&head](std::string_view token) {
    head = without_space(head);
    if (!head.starts_with(token)) return false;
    head.remove_prefix(token.size());
    return true;
  };
  if (head.starts_with('{')) {
    if (!has("\"params\"") && !has("\"data\"")) return false;
    return has("\"n_node\"") || (has("\"data\"") && (has("\"events\"") || has("\"committed\"")));
  }
  if (!take("[") || !take("[")) return false;
  while (take("]") && take(",") && take("[")) {
  }
  return take("{") && (take("\"events\"") || take("\"committed\""));
}

}  // namespace

constinit const FormatInfo kDbcopJsonFormat{.name = "dbcop-json",
                                            .summary = "dbcop's JSON histories, wrapped, bare or compact",
                                            .extension = "",
                                            .is_folder = false,
                                            .recognise = recognise_dbcop_json,
                                            .read = read_dbcop_json,
                                            .write = nullptr};

}  // namespace isolde
