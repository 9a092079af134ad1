#include "cli/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/mapped_file.h"

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#undef TOML_ENABLE_FORMATTERS

namespace isolde::cli {
namespace {

constexpr std::uint64_t kLargestToml = 1 << 20;

TomlPlace place_of(const toml::source_region& source) {
  return {std::max<std::uint64_t>(source.begin.line, 1), std::max<std::uint64_t>(source.begin.column, 1)};
}

// As it would stand on a command line; no value: it is no text and no number.
std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return std::nullopt;
}

Result<TomlEntry> entry_of(const TomlFile& file, const toml::key& key, const toml::node& node) {
  TomlEntry entry;
  entry.key = key.str();
  entry.place = place_of(node.source());
  if (const auto* truth = node.as_boolean()) {
    entry.kind = TomlEntry::Kind::kTruth;
    entry.truth = truth->get();
  } else if (const auto* list = node.as_array()) {
    entry.kind = TomlEntry::Kind::kList;
    for (const toml::node& one : *list) {
      const auto text = scalar_text(one);
      if (!text) return file.error_at(place_of(one.source()), "expected a text or a number in the list");
      entry.text += (entry.text.empty() ? "" : ",") + *text;
    }
  } else if (auto text = scalar_text(node)) {
    entry.kind = node.is_string() ? TomlEntry::Kind::kText : TomlEntry::Kind::kNumber;
    entry.text = *std::move(text);
  } else {
    return file.error_at(entry.place, fmt::format("expected {} = a text, a number, a list, true or false", key.str()));
  }
  return entry;
}

Result<TomlTable> flat_table(const TomlFile& file, std::string_view name, bool many, const toml::table& table) {
  TomlTable out{.name = std::string(name), .many = many, .entries = {}, .place = place_of(table.source())};
  for (const auto& [key, node] : table) {
    auto entry = entry_of(file, key, node);
    if (!entry) return std::move(entry).error();
    out.entries.push_back(*std::move(entry));
  }
  return out;
}

bool is_list_of_tables(const toml::node& node) {
  const toml::array* const list = node.as_array();
  return list != nullptr && !list->empty() && list->front().is_table();
}

Result<TomlFile> tables_of(const toml::table& top, const std::string& path) {
  TomlFile file{.path = path, .tables = {}};
  TomlTable loose;
  for (const auto& [key, node] : top) {
    if (const toml::table* const one = node.as_table()) {
      auto table = flat_table(file, key.str(), false, *one);
      if (!table) return std::move(table).error();
      file.tables.push_back(*std::move(table));
    } else if (is_list_of_tables(node)) {
      for (const toml::node& element : *node.as_array()) {
        if (!element.is_table())
          return file.error_at(place_of(element.source()), fmt::format("expected a table [[{}]]", key.str()));
        auto table = flat_table(file, key.str(), true, *element.as_table());
        if (!table) return std::move(table).error();
        file.tables.push_back(*std::move(table));
      }
    } else {
      auto entry = entry_of(file, key, node);
      if (!entry) return std::move(entry).error();
      loose.entries.push_back(*std::move(entry));
    }
  }
  const auto later = [](const auto& a, const auto& b) {
    return a.place.line != b.place.line ? a.place.line < b.place.line : a.place.column < b.place.column;
  };
  std::stable_sort(file.tables.begin(), file.tables.end(), later);
  if (!loose.entries.empty()) file.tables.insert(file.tables.begin(), std::move(loose));
  for (TomlTable& table : file.tables) std::stable_sort(table.entries.begin(), table.entries.end(), later);
  return file;
}

}  // namespace

Result<TomlFile> read_toml_text(std::string_view text, const std::string& path) {
  // Its parser without exceptions (3.3.0) runs into its own assertions on text like "[[[a]]".
  try {
    return tables_of(toml::parse(text, path), path);
  } catch (const toml::parse_error& e) {
    const TomlPlace place = place_of(e.source());
    return Error{std::string(e.description()), path, place.line, place.column};
  }
}

Result<TomlFile> read_toml_file(const std::string& path) {
  InputLimits limits;
  limits.most = kLargestToml;
  auto file = MappedFile::open(path, limits);
  if (!file) return std::move(file).error();
  if ((*file)->text().size() > kLargestToml) return Error{"is larger than 1 MiB", path};
  return read_toml_text((*file)->text(), path);
}

}  // namespace isolde::cli
