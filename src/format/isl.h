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

}  // namespace isolde
