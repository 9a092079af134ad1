// The program as it was linked: what SECURITY.md says of it.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <optional>
#include <string>

#include "tests/cli/run_program.h"
#include "tests/cli/watched_stream.h"

namespace isolde::test {
namespace hardening_test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ISOLDE_TEST_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ISOLDE_TEST_SANITIZED
#endif

template <typename T>
std::optional<T> at(const std::string& bytes, std::uint64_t offset) {
  T out;
  if (offset > bytes.size() || bytes.size() - offset < sizeof out) return std::nullopt;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

struct Linked {
  bool independent = false, read_only_tables = false, bound_at_start = false, stack_is_data = false;
};

Linked linked(const std::string& bytes) {
  Linked out;
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return out;
  out.independent = header->e_type == ET_DYN;
  for (int i = 0; i < header->e_phnum; ++i) {
    const auto part = at<Elf64_Phdr>(bytes, header->e_phoff + static_cast<std::uint64_t>(i) * header->e_phentsize);
    if (!part) return out;
    out.read_only_tables = out.read_only_tables || part->p_type == PT_GNU_RELRO;
    if (part->p_type == PT_GNU_STACK) out.stack_is_data = (part->p_flags & PF_X) == 0;
    if (part->p_type != PT_DYNAMIC) continue;
    for (std::uint64_t offset = part->p_offset;; offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(bytes, offset);
      if (!entry || entry->d_tag == DT_NULL) break;
      out.bound_at_start = out.bound_at_start || entry->d_tag == DT_BIND_NOW ||
                           (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_BIND_NOW) != 0);
    }
  }
  return out;
}

TEST(Hardening, TheProgramIsLinkedAndCompiledAsItsPageSays) {
#if defined(ISOLDE_TEST_SANITIZED)
  GTEST_SKIP() << "the release flags are tested in the release build; this one has a sanitizer's";
#endif
  const std::string bytes = content_of(ISOLDE_BINARY_DIR "/isolde");
  const Linked found = linked(bytes);
  EXPECT_TRUE(found.independent);
  EXPECT_TRUE(found.read_only_tables && found.bound_at_start) << "full RELRO";
  EXPECT_TRUE(found.stack_is_data);
  EXPECT_NE(bytes.find("__stack_chk_fail"), std::string::npos);
  EXPECT_NE(bytes.find("__memcpy_chk"), std::string::npos) << "_FORTIFY_SOURCE";
}

TEST(Hardening, WhatAWatcherKeepsIsItsOwnersAlone) {
  const Scratch scratch;
  Rng rng(5);
  std::string all;
  for (const std::string& line : faulty_stream(300, rng)) all += line + "\n";
  const Answer a = isolde({"watch", scratch.file("h.jsonl", all), "--level", "si", "--checkpoint", scratch.path("c")});
  EXPECT_EQ(a.status, 1) << a.out << a.err;
  for (const char* name : {"violations.jsonl", "state"}) {
    struct stat kept{};
    ASSERT_EQ(::stat(scratch.path(std::string("c/") + name).c_str(), &kept), 0) << name;
    EXPECT_EQ(kept.st_mode & 0777, 0600U) << name;
  }
}

}  // namespace hardening_test
}  // namespace isolde::test
