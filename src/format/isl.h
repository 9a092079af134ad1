// format/isl.h: `.isl`, the columns of a History as they lie in memory: read, checked, used as they are.
//
// Layout:  64-byte header (magic "ISOLDE\x1a\n", version, number of sections, file size, checksum of header and table),
//          table of sections (column number, element size, offset, bytes, checksum), then the columns, 64-byte aligned.
// Always:  little-endian; each column's XXH3 is checked, and the whole is validated, before a History is made of it;
//          sections with numbers that this version does not know are skipped.
// Cost:    reading is one pass over the bytes for the checksums and one for the validation; nothing is copied.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kIslFormat;

// The columns of a file, for those that put histories together from several (format/segments.h). Only the layout and
// the checksums are verified: defect_of(columns) says whether they make a history.
struct IslColumns {
  HistoryColumns columns;
  std::shared_ptr<const void> storage;  // what they point into
  std::uint64_t checksum = 0;           // of the table of sections and their checksums: equal for equal content
};
[[nodiscard]] Result<IslColumns> read_isl_columns(const SourceFile& file);
void write_isl_columns(const HistoryColumns& columns, ByteSink& sink);

}  // namespace isolde
