#include "format/isl.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/hash.h"
#include "history/empty_lists.h"

namespace isolde {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the columns of .isl are little-endian as they lie in memory");

constexpr char kMagic[8] = {'I', 'S', 'O', 'L', 'D', 'E', '\x1a', '\n'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlign = 64;
constexpr std::uint32_t kMaxSections = 1024;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t sections;
  std::uint64_t file_size;
  std::uint64_t checksum;  // of the header with this field zero, then of the table
  std::uint8_t unused[32];
};
static_assert(sizeof(Header) == 64);

struct Section {
  std::uint32_t column;
  std::uint32_t element_size;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(Section) == 32);

std::uint64_t checksum_of(Header header, std::span<const Section> table) {
  header.checksum = 0;
  return hash_bytes(table.data(), table.size_bytes(), hash_bytes(&header, sizeof header));
}

Error at_byte(const SourceFile& file, std::uint64_t offset, std::string text) {
  return Error{std::move(text), file.name, 1, std::min<std::uint64_t>(offset, file.bytes.size()) + 1};
}

bool recognise_isl(const Source& source) { return source.files[0].bytes.starts_with(std::string_view(kMagic, 6)); }

Result<std::vector<Section>> read_table(const SourceFile& file) {
  const std::string_view bytes = file.bytes;
  Header header{};
  if (bytes.size() < sizeof header)
    return at_byte(file, bytes.size(), "expected a header of 64 bytes, but the file ends");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
    return at_byte(file, 0, "expected the magic of an .isl file (was it copied in text mode?)");
  }
  if (header.version != kVersion) {
    return at_byte(file, 8,
                   fmt::format("expected version {}, found {}: written by another Isolde", kVersion, header.version));
  }
  if (header.file_size != bytes.size()) {
    return at_byte(
        file, bytes.size(),
        fmt::format("expected {} bytes, found {}: the file is cut or has grown", header.file_size, bytes.size()));
  }
  if (header.sections > kMaxSections || sizeof header + header.sections * sizeof(Section) > bytes.size()) {
    return at_byte(file, 12, "expected the table of sections, but the file ends");
  }
  std::vector<Section> table(header.sections);
  if (!table.empty()) std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(Section));
  if (checksum_of(header, table) != header.checksum)
    return at_byte(file, 24, "the checksum of the header does not match");
  return table;
}

Result<ReadResult> read_isl(const Source& source, const ReadOptions& /*options*/) {
  auto read = read_isl_columns(source.files[0]);
  if (!read) return std::move(read).error();
  if (const std::string defect = defect_of(read->columns); !defect.empty()) {
    return at_byte(source.files[0], 0, "the columns are inconsistent: " + defect);
  }
  // Earlier versions wrote `[]` as they had read it.
  return ReadResult{with_empty_lists_absent(History(read->columns, read->storage)), {}};
}

Result<WriteResult> write_isl(const History& history, Output& output) {
  write_isl_columns(history.columns(), output.file(""));
  return WriteResult{{}, history.txn_count(), history.op_count()};
}

}  // namespace

Result<IslColumns> read_isl_columns(const SourceFile& file) {
  const std::string_view bytes = file.bytes;
  auto table = read_table(file);
  if (!table) return std::move(table).error();

  // Columns are used as they are, as long as the history lives. So they are moved to memory of our own, which stays
  // what it is whatever becomes of the file. (On huge pages the copy takes twice as long, and no check is faster for
  // it.)
  const std::shared_ptr<char> storage(
      static_cast<char*>(std::aligned_alloc(kAlign, (bytes.size() + kAlign) / kAlign * kAlign)), &std::free);
  if (storage == nullptr) throw std::bad_alloc();
  char* const base = storage.get();
  if (file.mapped && file.mapped->text().data() == bytes.data()) {
    if (const auto copied = file.mapped->copy_to(base); !copied) return copied.error();
  } else {
    std::memcpy(base, bytes.data(), bytes.size());
  }
  HistoryColumns columns;
  std::optional<Error> error;
  for (const Section& section : *table) {
    if (section.offset % kAlign != 0 || section.offset > bytes.size() ||
        section.bytes > bytes.size() - section.offset) {
      return at_byte(file, section.offset, fmt::format("section {} lies outside the file", section.column));
    }
    if (hash_bytes(base + section.offset, section.bytes) != section.checksum) {
      return at_byte(file, section.offset,
                     fmt::format("the checksum of section {} does not fit: the file is damaged", section.column));
    }
    for_each_column(
        [&](int number, const char* name, auto& column) {
          using Element = typename std::remove_reference_t<decltype(column)>::value_type;
          if (static_cast<std::uint32_t>(number) != section.column || error) return;
          if (section.element_size != sizeof(Element) || section.bytes % sizeof(Element) != 0) {
            error = at_byte(file, section.offset, fmt::format("column {} has elements of another size", name));
            return;
          }
          column = {reinterpret_cast<const Element*>(base + section.offset), section.bytes / sizeof(Element)};
        },
        columns);
    if (error) return *error;
  }
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, base + offsetof(Header, checksum), sizeof checksum);
  return IslColumns{columns, storage, checksum};
}

void write_isl_columns(const HistoryColumns& columns, ByteSink& sink) {
  std::vector<Section> table;
  std::vector<std::string_view> parts;
  for_each_column(
      [&](int number, const char*, const auto& column) {
        if (column.empty()) return;
        using Element = typename std::remove_reference_t<decltype(column)>::value_type;
        parts.emplace_back(reinterpret_cast<const char*>(column.data()), column.size_bytes());
        table.push_back(Section{.column = static_cast<std::uint32_t>(number),
                                .element_size = sizeof(Element),
                                .offset = 0,
                                .bytes = column.size_bytes(),
                                .checksum = hash_bytes(column.data(), column.size_bytes())});
      },
      columns);
  const auto aligned = [](std::uint64_t offset) { return (offset + kAlign - 1) / kAlign * kAlign; };
  std::uint64_t offset = sizeof(Header) + table.size() * sizeof(Section);
  for (Section& section : table) {
    section.offset = aligned(offset);
    offset = section.offset + section.bytes;
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.sections = static_cast<std::uint32_t>(table.size());
  header.file_size = offset;
  header.checksum = checksum_of(header, table);

  sink.write({reinterpret_cast<const char*>(&header), sizeof header});
  sink.write({reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Section)});
  offset = sizeof header + table.size() * sizeof(Section);
  for (std::size_t i = 0; i < table.size(); ++i) {
    static constexpr char kZeros[kAlign] = {};
    sink.write({kZeros, table[i].offset - offset});
    sink.write(parts[i]);
    offset = table[i].offset + table[i].bytes;
  }
}

constinit const FormatInfo kIslFormat{.name = "isl",
                                      .summary = "Isolde's binary columns (.isl)",
                                      .extension = ".isl",
                                      .is_folder = false,
                                      .recognise = recognise_isl,
                                      .read = read_isl,
                                      .write = write_isl,
                                      .writer = Writer::kIsl};

}  // namespace isolde
