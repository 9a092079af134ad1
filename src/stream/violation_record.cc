#include "stream/violation_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/json_text.h"

namespace isolde::stream {
namespace {

// An engine tells nothing twice; two violations that share an identity come close to each other.
constexpr std::size_t kRemembered = std::size_t{1} << 18;

// Ids, keys and values come as JSON, unless their text is no longer known: "(value 1f2e…, no longer held)".
std::string as_json(const std::string& text) {
  if (text.empty()) return "null";
  constexpr std::string_view kFirst = "0123456789-\"[{";
  const bool json =
      kFirst.find(text.front()) != std::string_view::npos || text == "null" || text == "true" || text == "false";
  return json ? text : json_string(text);
}

constexpr std::string_view kIdentity = R"("identity": ")";
constexpr std::string_view kName = R"("name": ")";

// What follows `label` up to the next quotation mark; names and identities have none inside.
std::string_view member(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + label.size());
  const std::size_t end = rest.find('"');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

}  // namespace

std::string violation_json(const OnlineViolation& v, std::string_view event, std::string_view why) {
  JsonObject out;
  out.text("event", event)
      .text("identity", fmt::format("{:016x}", v.identity))
      .text("name", full_name(v.kind, v.variant))
      .text("rule", v.rule)
      .raw("transactions", json_list(v.transactions, as_json));
  if (!v.key.empty()) out.raw("key", as_json(v.key));
  if (!v.read.empty()) out.raw("read", as_json(v.read));
  if (!v.expected.empty()) out.raw("expected", as_json(v.expected));
  if (v.time != kNoTime) out.number("time", v.time);
  if (!v.steps.empty()) {
    out.raw("steps", json_list(v.steps, [&](const OnlineStep& step) {
              JsonObject one;
              one.raw("from", as_json(v.transactions[step.from]))
                  .raw("to", as_json(v.transactions[step.to]))
                  .text("type", name(step.type));
              if (!step.key.empty()) one.raw("key", as_json(step.key));
              return one.done();
            }));
  }
  if (!why.empty()) out.text("why", why);
  return out.text("text", v.text).done();
}

ViolationRecord::~ViolationRecord() {
  if (file_ >= 0) ::close(file_);
}

void ViolationRecord::save(StateWriter& out) const {
  out.put(size_);
  out.put(total_);
  out.put_all(std::vector<std::uint64_t>(order_.begin(), order_.end()));
  out.put(std::uint64_t{counts_.size()});
  for (const auto& [name, count] : counts_) {
    out.put_text(name);
    out.put(count);
  }
}

bool ViolationRecord::load(StateReader& in) {
  size_ = in.get<std::uint64_t>();
  total_ = in.get<std::uint64_t>();
  for (const std::uint64_t identity : in.get_all<std::uint64_t>()) {
    if (known_.insert(identity).second) order_.push_back(identity);
  }
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.good(); --left) {
    const std::string name = in.get_text();
    counts_[name] = in.get<std::uint64_t>();
  }
  return in.good();
}

Result<void> ViolationRecord::open(const std::string& path) {
  path_ = path;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file_ < 0) return Error{std::strerror(errno), path};
  std::ifstream in(path, std::ios::binary);
  in.seekg(0, std::ios::end);
  if (!in || static_cast<std::uint64_t>(in.tellg()) < size_)
    return Error{"is shorter than the checkpoint beside it says: it was changed", path};
  in.seekg(static_cast<std::streamoff>(size_));
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // no newline: cut off by a kill
    const std::string_view identity = member(line, kIdentity);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(identity.data(), identity.data() + identity.size(), number, 16);
    if (identity.empty() || error != std::errc() || end != identity.data() + identity.size())
      return Error{fmt::format("is no record of violations: byte {} begins no violation", size_), path};
    size_ += line.size() + 1;
    if (known_.contains(number)) continue;
    note(number, std::string(member(line, kName)));
  }
  if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) return Error{std::strerror(errno), path};
  return {};
}

void ViolationRecord::note(std::uint64_t identity, const std::string& name) {
  known_.insert(identity);
  order_.push_back(identity);
  ++fresh_;
  ++total_;
  ++counts_[name];
  trim();
}

void ViolationRecord::trim() {
  while (order_.size() > kRemembered && order_.size() > fresh_) {
    known_.erase(order_.front());
    order_.pop_front();
  }
}

bool ViolationRecord::add(const OnlineViolation& violation) {
  if (!fault_.empty() || known_.contains(violation.identity)) return false;
  if (file_ >= 0) {
    const std::string line = violation_json(violation, "violation") + "\n";
    if (!write_all(file_, line)) {
      fault_ = fmt::format("{}: {}", path_, std::strerror(errno));
      return false;
    }
    size_ += line.size();
  }
  note(violation.identity, full_name(violation.kind, violation.variant));
  return true;
}

Result<void> ViolationRecord::sync() {
  if (file_ >= 0 && ::fdatasync(file_) != 0) return Error{std::strerror(errno), path_};
  return {};
}

void ViolationRecord::covered() {
  fresh_ = 0;
  trim();
}

}  // namespace isolde::stream
