#include "base/bus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace isolde::bus_guard {

struct Slot {
  std::atomic<std::uintptr_t> begin = kFree;
  std::atomic<std::uintptr_t> end = 0;  // whole pages
  std::atomic<bool> cut = false;

  static constexpr std::uintptr_t kFree = 0, kTaken = 1;  // no mapping begins there
};

namespace {

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

Slot slots[kMost];
std::uintptr_t page_size = 4096;
struct sigaction previous;

bool put_zeros_under(std::uintptr_t address) {
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load();
    const std::uintptr_t end = slot.end.load();
    if (begin <= Slot::kTaken || address < begin || address >= end) continue;
    slot.cut = true;
    // What lies behind it is not there either.
    const std::uintptr_t page = address / page_size * page_size;
    void* const at = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr)
    return ::mmap(at, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == at;
  }
  return false;
}

void on_sigbus(int signal, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
  // Of another address: the instruction is carried out again, and then it is the earlier handler's.
  if (!put_zeros_under(reinterpret_cast<std::uintptr_t>(info->si_addr))) ::sigaction(signal, &previous, nullptr);
  errno = saved;
}

void install() {
  page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action{};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &previous);
}

}  // namespace

Slot* add(const void* data, std::size_t size) {
  static std::once_flag once;
  std::call_once(once, install);
  for (Slot& slot : slots) {
    std::uintptr_t free = Slot::kFree;
    if (!slot.begin.compare_exchange_strong(free, Slot::kTaken)) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    slot.cut = false;
    slot.end = (begin + size + page_size - 1) / page_size * page_size;
    slot.begin = begin;
    return &slot;
  }
  return nullptr;
}

bool was_cut(const Slot& slot) { return slot.cut; }

void remove(Slot& slot) { slot.begin = Slot::kFree; }

}  // namespace isolde::bus_guard
