// The C API, over the public C++ headers. No exception leaves a function: what is thrown, such as for lack of memory,
// becomes an error.
#include "isolde/c.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/isolde.h"

namespace api = isolde::api;

struct isolde_history {
  api::History history;
  std::vector<std::string> notes;
  std::vector<const char*> note_texts;  // of `notes`, and NULL
};

struct isolde_cancel {
  std::atomic<bool> set = false;
};

struct isolde_verdict {
  api::Verdict verdict;
  std::string json;
  std::uint64_t anomalies = 0;
};

namespace {

// Texts that live as long as the program, ended by NULL.
class Names {
 public:
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {
    for (const std::string& name : names_) texts_.push_back(name.c_str());
    texts_.push_back(nullptr);
  }
  [[nodiscard]] const char* const* texts() const { return texts_.data(); }

 private:
  std::vector<std::string> names_;
  std::vector<const char*> texts_;
};

void report(char** error, std::string_view text) noexcept {
  if (error == nullptr) return;
  *error = static_cast<char*>(std::malloc(text.size() + 1));
  if (*error == nullptr) return;
  std::memcpy(*error, text.data(), text.size());
  (*error)[text.size()] = '\0';
}

// What `f` returns; null and a message if it throws.
template <typename F>
auto guarded(char** error, F f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    report(error, e.what());
  } catch (...) {
    report(error, "an unknown failure");
  }
  return nullptr;
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

isolde_history* history_or_error(api::LoadedHistory loaded, char** error) {
  if (!loaded) {
    report(error, loaded.error);
    return nullptr;
  }
  auto out = std::make_unique<isolde_history>(isolde_history{*loaded.history, std::move(loaded.notes), {}});
  for (const std::string& note : out->notes) out->note_texts.push_back(note.c_str());
  out->note_texts.push_back(nullptr);
  return out.release();
}

// The options that a caller gave, which may have been compiled with an earlier version: fields behind `size` keep what
// isolde_options_init() says.
isolde_options whole(const isolde_options* given) {
  isolde_options out;
  isolde_options_init(&out);
  if (given != nullptr) std::memcpy(&out, given, std::min(given->size, sizeof out));
  out.size = sizeof out;
  return out;
}

api::CheckOptions options_of(const isolde_options& given) {
  api::CheckOptions out;
  out.method = text_or_empty(given.method);
  out.use = text_or_empty(given.use);
  out.ignore = text_or_empty(given.ignore);
  out.timeout_seconds = given.timeout_seconds;
  out.max_anomalies = given.max_anomalies;
  out.threads = given.threads;
  out.order_by_commit_ts = given.order_by_commit_ts != 0;
  out.prove = given.prove != 0;
  out.strongest = given.strongest != 0;
  if (given.cancel != nullptr) out.cancelled = &given.cancel->set;
  if (given.progress != nullptr) {
    out.progress = [given](std::string_view stage, std::uint64_t done, std::uint64_t total) {
      given.progress(given.progress_data, std::string(stage).c_str(), done, total);
    };
  }
  return out;
}

const api::Anomaly* anomaly(const isolde_verdict* verdict, std::size_t number) {
  return number < verdict->verdict.anomalies.size() ? &verdict->verdict.anomalies[number] : nullptr;
}

}  // namespace

extern "C" {

const char* isolde_version(void) {
  static const std::string text = api::version();
  return text.c_str();
}

const char* const* isolde_level_names(void) {
  static const Names names(api::level_names());
  return names.texts();
}

const char* const* isolde_method_names(void) {
  static const Names names(api::method_names());
  return names.texts();
}

const char* const* isolde_format_names(void) {
  static const Names names(api::format_names());
  return names.texts();
}

isolde_history* isolde_load(const char* path, const char* format, char** error) {
  return guarded(error, [&] { return history_or_error(api::load(path, text_or_empty(format)), error); });
}

isolde_history* isolde_parse(const char* text, size_t length, const char* format, char** error) {
  return guarded(error, [&] {
    return history_or_error(api::parse(std::string_view(text, length), text_or_empty(format)), error);
  });
}

uint64_t isolde_history_transactions(const isolde_history* history) { return history->history.transactions(); }
uint64_t isolde_history_operations(const isolde_history* history) { return history->history.operations(); }
const char* const* isolde_history_notes(const isolde_history* history) { return history->note_texts.data(); }
void isolde_history_free(isolde_history* history) { delete history; }

void isolde_options_init(isolde_options* options) {
  const api::CheckOptions usual;
  *options = isolde_options{};
  options->size = sizeof *options;
  options->max_anomalies = usual.max_anomalies;
  options->threads = usual.threads;
}

size_t isolde_options_size(void) { return sizeof(isolde_options); }

isolde_cancel* isolde_cancel_new(void) { return new (std::nothrow) isolde_cancel; }
void isolde_cancel_set(isolde_cancel* cancel) { cancel->set = true; }
void isolde_cancel_free(isolde_cancel* cancel) { delete cancel; }

isolde_verdict* isolde_check(const isolde_history* history, const char* level, const isolde_options* options,
                             char** error) {
  return guarded(error, [&]() -> isolde_verdict* {
    auto out = std::make_unique<isolde_verdict>();
    out->verdict = api::check(history->history, level, options_of(whole(options)));
    if (!out->verdict.error.empty()) {
      report(error, out->verdict.error);
      return nullptr;
    }
    out->json = api::to_json(out->verdict);
    for (const auto& [kind, count] : out->verdict.counts) out->anomalies += count;
    return out.release();
  });
}

isolde_outcome isolde_verdict_outcome(const isolde_verdict* verdict) {
  switch (verdict->verdict.outcome) {
    case api::Outcome::satisfied:
      return ISOLDE_SATISFIED;
    case api::Outcome::violated:
      return ISOLDE_VIOLATED;
    case api::Outcome::undecided:
      break;
  }
  return ISOLDE_UNDECIDED;
}

const char* isolde_verdict_reason(const isolde_verdict* verdict) { return verdict->verdict.reason.c_str(); }
const char* isolde_verdict_level(const isolde_verdict* verdict) { return verdict->verdict.level.c_str(); }
const char* isolde_verdict_method(const isolde_verdict* verdict) { return verdict->verdict.method.c_str(); }
uint64_t isolde_verdict_anomalies(const isolde_verdict* verdict) { return verdict->anomalies; }
size_t isolde_verdict_anomalies_kept(const isolde_verdict* verdict) { return verdict->verdict.anomalies.size(); }

const char* isolde_verdict_anomaly_name(const isolde_verdict* verdict, size_t number) {
  const api::Anomaly* found = anomaly(verdict, number);
  return found == nullptr ? nullptr : found->name.c_str();
}

const char* isolde_verdict_anomaly_text(const isolde_verdict* verdict, size_t number) {
  const api::Anomaly* found = anomaly(verdict, number);
  return found == nullptr ? nullptr : found->text.c_str();
}

const char* isolde_verdict_json(const isolde_verdict* verdict) { return verdict->json.c_str(); }
void isolde_verdict_free(isolde_verdict* verdict) { delete verdict; }
void isolde_free(char* message) { std::free(message); }

}  // extern "C"
