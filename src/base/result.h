// base/result.h: errors as values: a `Result<T>` is a T, or an Error with its location.
//
// Named like std::expected (C++23), which g++ 12 does not have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace isolde {

// Where and what. `line` and `column` count from 1; 0 means "not known". In a binary file the line is 1 and the column
// is the byte offset plus one.
struct Error {
  std::string text;
  std::string file = {};
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  bool out_of_time = false;  // nothing is wrong, but a deadline passed and the answer is not known

  // `file:line:column: text`, leaving out what is not known.
  [[nodiscard]] std::string message() const;
};

// `what`, followed by the system's text for the current errno. `place`: a file or an address.
[[nodiscard]] Error errno_error(std::string_view what, const std::string& place);

template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a value or an error is returned as it is
  Result(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : data_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return data_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Requires: has_value().
  T& value() & { return *std::get_if<0>(&data_); }
  const T& value() const& { return *std::get_if<0>(&data_); }
  T&& value() && { return std::move(*std::get_if<0>(&data_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Requires: !has_value().
  Error& error() & { return *std::get_if<1>(&data_); }
  const Error& error() const& { return *std::get_if<1>(&data_); }
  Error&& error() && { return std::move(*std::get_if<1>(&data_)); }

 private:
  std::variant<T, Error> data_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  [[nodiscard]] bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace isolde
