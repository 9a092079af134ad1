// base/huge_array.h: a large array of plain data, on huge pages where the system has them. Random access to hundreds of
// megabytes otherwise costs more for the page tables than for the data.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace isolde {

// Elements are value-initialised or, if the owner writes each one before it reads it, left uninitialised: memory that
// is never touched is never allocated.
enum class Elements { kInitialised, kUntouched };

template <typename T>
  requires std::is_trivially_copyable_v<T>
class HugeArray {
 public:
  HugeArray() = default;
  explicit HugeArray(std::size_t size, Elements elements = Elements::kInitialised) : size_(size) {
    constexpr std::size_t kHuge = std::size_t{2} << 20;
    const std::size_t bytes = size * sizeof(T);
    const std::size_t alignment = bytes >= kHuge ? kHuge : 64;
    void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    if (bytes >= kHuge) madvise(memory, bytes, MADV_HUGEPAGE);  // optional: without it, access is only slower
#endif
    data_.reset(static_cast<T*>(memory));
    if (elements == Elements::kInitialised) std::uninitialized_value_construct_n(data_.get(), size);
  }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  T* begin() { return data_.get(); }
  T* end() { return data_.get() + size_; }
  const T* begin() const { return data_.get(); }
  const T* end() const { return data_.get() + size_; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(static_cast<void*>(memory)); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace isolde
