#include "format/jepsen.h"

#include <array>

#include "format/jepsen_read.h"
#include "format/jepsen_write.h"

namespace isolde {
namespace {

constexpr std::size_t kLookAt = 1 << 16;

std::string_view head_of(const Source& source) {
  if (source.files.empty()) return {};
  std::string_view text = source.files[0].bytes.substr(0, kLookAt);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

// The text from the first byte that is neither space nor comment.
std::string_view skip_edn_space(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n,"), text.size()));
    if (!text.starts_with(';')) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

std::string_view skip_tag(std::string_view text) {
  if (!text.starts_with('#') || text.starts_with("#_") || text.starts_with("#{")) return text;
  text.remove_prefix(std::min(text.find_first_of(" \t\r\n,[({\""), text.size()));
  return skip_edn_space(text);
}

bool recognise_edn(const Source& source) {
  std::string_view text = skip_tag(skip_edn_space(head_of(source)));
  if (text.starts_with('[') || text.starts_with('(')) text = skip_tag(skip_edn_space(text.substr(1)));
  if (!text.starts_with('{')) return false;
  // The key :type, and no longer word; what JSON has after a colon is never that.
  for (std::size_t at = text.find(":type"); at != std::string_view::npos; at = text.find(":type", at + 1)) {
    if (at + 5 < text.size() && std::string_view(" \t\r\n,:\"").find(text[at + 5]) != std::string_view::npos)
      return true;
  }
  return false;
}

// The keys of the first JSON object, as far as they lie in `text`, which begins with its `{`.
template <typename Visit>
void for_each_json_key(std::string_view text, Visit&& visit) {
  int depth = 0;
  bool expects_key = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t from = i + 1;
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      if (i >= text.size()) return;
      if (depth == 1 && expects_key) visit(text.substr(from, i - from));
      expects_key = false;
    } else if (c == '{' || c == '[') {
      ++depth;
      expects_key = depth == 1;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return;
    } else if (c == ',' && depth == 1) {
      expects_key = true;
    }
  }
}

bool recognise_json(const Source& source) {
  std::string_view text = head_of(source);
  const auto skip_space = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); };
  skip_space();
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    skip_space();
  }
  if (!text.starts_with('{')) return false;
  bool has_type = false;
  bool has_content = false;
  bool is_other = false;
  for_each_json_key(text, [&](std::string_view key) {
    static constexpr std::array<std::string_view, 8> kOthers = {"session", "ops", "isolde", "sts",
                                                                "cts",     "tid", "events", "sid"};
    has_type = has_type || key == "type";
    has_content = has_content || key == "value" || key == "f" || key == "process";
    for (const std::string_view other : kOthers) is_other = is_other || key == other;
  });
  return has_type && has_content && !is_other;
}

Result<ReadResult> read_edn(const Source& source, const ReadOptions& options) {
  return read_jepsen(source, JepsenSyntax::kEdn, options);
}

Result<ReadResult> read_json(const Source& source, const ReadOptions& options) {
  return read_jepsen(source, JepsenSyntax::kJson, options);
}

}  // namespace

constinit const FormatInfo kJepsenEdnFormat{.name = "jepsen-edn",
                                            .summary = "Jepsen and Elle operations in EDN (history.edn)",
                                            .extension = ".edn",
                                            .is_folder = false,
                                            .recognise = recognise_edn,
                                            .read = read_edn,
                                            .write = write_jepsen,
                                            .writer = Writer::kJepsenEdn,
                                            .unfit = unfit_for_jepsen};

constinit const FormatInfo kJepsenJsonFormat{.name = "jepsen-json",
                                             .summary = "Jepsen operations in JSON, one array or JSON Lines (elle-cli)",
                                             .extension = "",
                                             .is_folder = false,
                                             .recognise = recognise_json,
                                             .read = read_json,
                                             .write = nullptr};

}  // namespace isolde
