#include "format/compressed.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <fstream>

#include "format/format.h"
#include "tests/cli/run_program.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace compressed_test {

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  out.resize(size);
  return out;
}

// The content, or what is wrong.
std::string content(const std::string& bytes, std::uint64_t most = std::uint64_t{1} << 30) {
  const auto result = decompress(compression_of(bytes), "f", bytes, most);
  return result ? std::string((*result)->text()) : result.error().message();
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  return text;
}

TEST(Compressed, IsKnownByItsFirstBytes) {
  EXPECT_EQ(compression_of(gzip("a")), Compression::kGzip);
  EXPECT_EQ(compression_of(zstd("a")), Compression::kZstd);
  EXPECT_EQ(compression_of(""), Compression::kNone);
  EXPECT_EQ(compression_of("{\"isolde\":1}"), Compression::kNone);
  EXPECT_EQ(compression_of(std::string_view("\x1f\x8b\x08\xff", 4)), Compression::kNone) << "flags that gzip reserves";
}

TEST(Compressed, IsReadWhole) {
  for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
    EXPECT_EQ(content(gzip(text)), text);
    EXPECT_EQ(content(zstd(text)), text);
    EXPECT_EQ(content(gzip(text) + gzip("more")), text + "more") << "two members";
    EXPECT_EQ(content(zstd(text) + zstd("more")), text + "more") << "two frames";
    EXPECT_EQ(content(gzip(text) + std::string(100, '\0')), text) << "filled up with zeros";
  }
}

TEST(Compressed, CutOffAnywhereItIsOneError) {
  const std::string text = long_text().substr(0, 3'000);
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    const bool is_gzip = compression_of(whole) == Compression::kGzip;
    for (std::size_t size = 4; size < whole.size(); ++size) {
      EXPECT_EQ(content(whole.substr(0, size)), "f:1:" + std::to_string(size + 1) + ": the " +
                                                    (is_gzip ? "gzip" : "zstd") +
                                                    " data ends too soon: the file is cut off");
    }
  }
}

TEST(Compressed, DamageIsAnError) {
  const std::string text = long_text();
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    std::string damaged = whole;
    for (std::size_t i = whole.size() / 2; i < whole.size() / 2 + 40; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    const std::string message = content(damaged);
    EXPECT_NE(message.find("data"), std::string::npos) << message.substr(0, 200);
    EXPECT_TRUE(message.starts_with("f:1:")) << message.substr(0, 200);
  }
  EXPECT_EQ(content(gzip("a") + "rubbish").substr(0, 4), "f:1:");
}

TEST(Compressed, NothingGrowsBeyondTheLimit) {
  const std::string zeros(10 << 20, '\0');
  for (const std::string& bomb : {gzip(zeros), zstd(zeros)}) {
    ASSERT_LT(bomb.size(), 20'000U);
    const std::string message = content(bomb, 4 << 20);
    EXPECT_NE(message.find("holds more than 4 MiB"), std::string::npos) << message.substr(0, 200);
    EXPECT_EQ(content(bomb, 20 << 20).size(), zeros.size());
  }
}

TEST(Compressed, AHistoryIsLoadedAsItIs) {
  const test::Scratch scratch;
  const std::string text = "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n";
  const auto put = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(scratch.path(name), std::ios::binary) << bytes;
    return scratch.path(name);
  };
  for (const std::string& path :
       {put("a.jsonl.gz", gzip(text)), put("b.jsonl.zst", zstd(text)), put("c.jsonl", gzip(text)), put("d.gz", text)}) {
    const auto loaded = load(path, nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(testing::shown(loaded->history), "0@1: w x=1\n") << path;
  }
  const auto refused = [](const std::string& path) {
    const auto loaded = load(path, nullptr, {});
    return loaded ? "loaded" : loaded.error().message().substr(path.size());
  };
  EXPECT_EQ(refused(put("e.gz", gzip(""))), ":1:1: the file is empty");
  EXPECT_EQ(refused(put("f.gz", gzip("{\"session\":1,\"ops\":[[]]}\n"))).substr(0, 6), ":1:21:")
      << "place in the content";
  EXPECT_EQ(refused(put("g.xz", std::string("\xfd"
                                            "7zXZ\0\0",
                                            7))),
            ":1:1: this is an xz file: unpack it first (gzip and zstd are read directly)");
}

TEST(Compressed, TheLogsOfAFolderMayBe) {
  const test::Scratch scratch;
  const std::string line = "{\"value\":[[\"w\",1,5,true]]}\n";
  std::ofstream(scratch.path("J1.log.gz"), std::ios::binary) << gzip(line);
  std::ofstream(scratch.path("J2.log.zst"), std::ios::binary) << zstd("{\"value\":[[\"r\",1,5,false]]}\n");
  std::ofstream(scratch.path("J2.log"), std::ios::binary) << "{\"value\":[[\"r\",1,5,false]]}\n";
  std::ofstream(scratch.path("other.gz"), std::ios::binary) << gzip(line).substr(0, 15);
  const auto loaded = load(scratch.path(), nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(testing::shown(loaded->history), "0@1: w 1=5\n1@2: r 1=5\n");
}

}  // namespace compressed_test
}  // namespace isolde
