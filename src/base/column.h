// base/column.h: a growable array of plain data, grown in place by the allocator where possible.
//
// Always: elements are trivially copyable; memory beyond size() is not initialised.
// Cost:   push is amortised constant; growth of a large column moves pages, not bytes (realloc -> mremap), so the peak
//         while loading is the column itself and not column + copy, as it would be with std::vector.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace isolde {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() { std::free(data_); }

  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void append(const T* from, std::size_t count) {
    if (count == 0) return;
    if (size_ + count > capacity_) grow(size_ + count);
    for (std::size_t i = 0; i < count; ++i) data_[size_ + i] = from[i];
    size_ += count;
  }
  void append(std::span<const T> from) { append(from.data(), from.size()); }
  void resize(std::size_t size, T fill) {
    if (size > capacity_) grow(size);
    for (std::size_t i = size_; i < size; ++i) data_[i] = fill;
    size_ = size;
  }
  // Makes room for `count` more elements and returns the first one; they are not initialised.
  T* extend(std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    T* const at = data_ + size_;
    size_ += count;
    return at;
  }
  // Requires: size <= size().
  void truncate(std::size_t size) { size_ = size; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void shrink_to_fit() {
    if (size_ > 0 && size_ < capacity_) reallocate(size_);
  }
  void clear() { size_ = 0; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  [[nodiscard]] std::span<const T> view() const { return {data_, size_}; }

 private:
  void grow(std::size_t least) {
    // Growing by half keeps the slack of a large column small; untouched slack costs address space, not memory.
    std::size_t wanted = capacity_ < 64 ? 64 : capacity_ + capacity_ / 2;
    if (wanted < least) wanted = least;
    reallocate(wanted);
  }
  void reallocate(std::size_t capacity) {
    void* const moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace isolde
