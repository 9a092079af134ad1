#include "format/compressed.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace isolde {
namespace {

constexpr std::size_t kFirstRoom = std::size_t{1} << 16;
constexpr int kLargestWindowLog = 30;  // of zstd --long=30; a frame may ask for that much memory beside its content

bool starts_as_gzip(std::string_view bytes) {
  // Magic, method deflate, and none of the reserved flags.
  return bytes.size() >= 4 && bytes.starts_with("\x1f\x8b\x08") && (static_cast<unsigned char>(bytes[3]) & 0xe0) == 0;
}

bool starts_as_zstd(std::string_view bytes) {
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return true;
  // A frame to be skipped may stand first.
  return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 &&
         bytes.substr(1, 3) == "\x2a\x4d\x18";
}

// The content as it grows, up to the limit.
class Content {
 public:
  explicit Content(std::uint64_t most)
      : most_(static_cast<std::size_t>(std::min<std::uint64_t>(most, std::numeric_limits<std::size_t>::max() / 4))) {}
  ~Content() { std::free(data_); }
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;

  // Makes room for more; false at the limit.
  bool make_room() {
    if (size_ < capacity_) return true;
    if (capacity_ >= most_) return false;
    const std::size_t wanted = std::min(most_, std::max(kFirstRoom, capacity_ * 2));
    void* const grown = std::realloc(data_, wanted);
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<char*>(grown);
    capacity_ = wanted;
    return true;
  }
  [[nodiscard]] char* room() const { return data_ + size_; }
  [[nodiscard]] std::size_t room_size() const { return capacity_ - size_; }
  void filled(std::size_t count) { size_ += count; }
  [[nodiscard]] std::size_t most() const { return most_; }

  std::shared_ptr<const MappedFile> take() {
    // What was asked for and not used goes back.
    if (void* const fitting = std::realloc(data_, std::max<std::size_t>(size_, 1))) data_ = static_cast<char*>(fitting);
    char* const data = data_;
    data_ = nullptr;
    return MappedFile::holding(data, size_);
  }

 private:
  std::size_t most_;
  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

// Errors of one compressed file, each at a byte.
struct CompressedPlace {
  Compression compression;
  const std::string& name;

  [[nodiscard]] Error at(std::size_t byte, std::string text) const { return Error{std::move(text), name, 1, byte + 1}; }
  [[nodiscard]] Error cut(std::size_t byte) const {
    return at(byte, fmt::format("the {} data ends too soon: the file is cut off", name_of(compression)));
  }
  [[nodiscard]] Error damaged(std::size_t byte, std::string_view why) const {
    return at(byte, fmt::format("the {} data is damaged: {}", name_of(compression), why));
  }
  [[nodiscard]] Error too_large(const Content& content) const {
    return Error{fmt::format("the {} data holds more than {} MiB, the limit of this machine", name_of(compression),
                             content.most() >> 20),
                 name};
  }
};

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }  // 16: with gzip's header and checksum
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<std::shared_ptr<const MappedFile>> run(std::string_view bytes, const CompressedPlace& place,
                                                Content& content) {
    if (!ready_) throw std::bad_alloc();
    std::size_t at = 0;
    for (;;) {
      if (!content.make_room()) return place.too_large(content);
      const auto in = static_cast<uInt>(std::min<std::size_t>(bytes.size() - at, kMostAtOnce));
      const auto out = static_cast<uInt>(std::min<std::size_t>(content.room_size(), kMostAtOnce));
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
      stream_.avail_in = in;
      stream_.next_out = reinterpret_cast<Bytef*>(content.room());
      stream_.avail_out = out;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      at += in - stream_.avail_in;
      content.filled(out - stream_.avail_out);
      if (code == Z_STREAM_END) {
        // Another member may follow, and zeros, with which tapes are filled up.
        if (bytes.find_first_not_of('\0', at) == std::string_view::npos) return content.take();
        if (!starts_as_gzip(bytes.substr(at))) return place.at(at, "expected the end of the file after the gzip data");
        inflateReset(&stream_);
        continue;
      }
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      const bool stuck = code == Z_BUF_ERROR || (code == Z_OK && at == bytes.size() && stream_.avail_out > 0);
      if (stuck && at == bytes.size()) return place.cut(at);
      if (code != Z_OK && code != Z_BUF_ERROR) {
        return place.damaged(at, stream_.msg != nullptr ? stream_.msg : "it cannot be read any further");
      }
    }
  }

 private:
  static constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
  z_stream stream_{};
  bool ready_ = false;
};

Result<std::shared_ptr<const MappedFile>> unpack_zstd(std::string_view bytes, const CompressedPlace& place,
                                                      Content& content) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (;;) {
    if (!content.make_room()) return place.too_large(content);
    ZSTD_outBuffer out{content.room(), content.room_size(), 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    content.filled(out.pos);
    if (ZSTD_isError(left) != 0) return place.damaged(in.pos, ZSTD_getErrorName(left));
    if (left == 0 && in.pos == in.size) return content.take();
    // Nothing is left to read, and what it gave did not fill the room: there is nothing more to come.
    if (in.pos == in.size && out.pos < out.size) return place.cut(in.pos);
  }
}

}  // namespace

Compression compression_of(std::string_view bytes) {
  if (starts_as_gzip(bytes)) return Compression::kGzip;
  if (starts_as_zstd(bytes)) return Compression::kZstd;
  return Compression::kNone;
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
    case Compression::kNone:
      break;
  }
  return "plain";
}

std::string_view without_compression_ending(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

std::uint64_t most_decompressed() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  constexpr std::uint64_t kNotKnown = std::uint64_t{4} << 30;
  if (pages <= 0 || page <= 0) return kNotKnown;
  return static_cast<std::uint64_t>(pages) / 4 * 3 * static_cast<std::uint64_t>(page);
}

Result<std::shared_ptr<const MappedFile>> decompress(Compression compression, const std::string& name,
                                                     std::string_view bytes, std::uint64_t most) {
  const CompressedPlace place{compression, name};
  Content content(most);
  if (compression == Compression::kZstd) return unpack_zstd(bytes, place, content);
  return Inflater().run(bytes, place, content);
}

std::string_view foreign_archive(std::string_view bytes) {
  struct Magic {
    std::string_view start, what;
  };
  static constexpr Magic kMagics[] = {
      {{"\xfd"
        "7zXZ\0",
        6},
       "an xz file"},
      {"BZh", "a bzip2 file"},
      {"PK\x03\x04", "a zip archive"},
      {{"\x04\x22\x4d\x18", 4}, "an lz4 file"},
      {"7z\xbc\xaf\x27\x1c", "a 7z archive"},
      {"\x1f\x8b", "a damaged gzip file"},
  };
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.start)) return magic.what;
  }
  if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar") return "a tar archive";
  return {};
}

}  // namespace isolde
