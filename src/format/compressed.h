// format/compressed.h: files that are compressed by gzip or zstd -> their content.
//
// In, out: the bytes of a file, known by their first bytes and not by the file's name -> what was compressed, in
//          memory.
// Always:  data that is cut off or damaged is one Error that says so, at its byte; several members or frames in one
//          file are read one after the other, as gzip and zstd do. Nothing grows beyond `most` bytes, whatever a small
//          file claims to hold.
// Cost:    linear in the content, which is held in memory as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/result.h"

namespace isolde {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

[[nodiscard]] Compression compression_of(std::string_view bytes);
[[nodiscard]] std::string_view name_of(Compression compression);

// The path without the ending that gzip and zstd give their files.
[[nodiscard]] std::string_view without_compression_ending(std::string_view path);

// What a decompressed file may hold on this machine: three quarters of its memory.
[[nodiscard]] std::uint64_t most_decompressed();

// Requires: compression_of(bytes) is `compression`, and not kNone. `name`: of the file, for errors.
[[nodiscard]] Result<std::shared_ptr<const MappedFile>> decompress(Compression compression, const std::string& name,
                                                                   std::string_view bytes,
                                                                   std::uint64_t most = most_decompressed());

// What archive or compressed file that no reader knows begins like this, as a sentence says it ("an xz file"), or "".
[[nodiscard]] std::string_view foreign_archive(std::string_view bytes);

}  // namespace isolde
