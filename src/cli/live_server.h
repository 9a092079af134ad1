// cli/live_server.h: a run that is followed in a browser (--serve ADDRESS), and its numbers for Prometheus.
//
//   GET /         the report page, which follows the run
//   GET /events   server-sent events: `page`, the data of the page so far, and `end`
//   GET /metrics  Prometheus' text format
// Always:  the run never waits for a reader: it leaves the latest state, and each reader gets that. On a loopback
// address
//          only requests that name it are answered, so that no other site's script can ask; elsewhere every request
//          brings the token. At most kMostReaders follow at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options.h"

namespace isolde::cli {

struct ServeAddress {
  std::string host;
  int port = 0;  // 0: any that is free
  bool loopback = true;
};
// "127.0.0.1:9000", "[::1]:9000", "localhost:0", "9000" or, with a token, another address of this machine.
[[nodiscard]] Result<ServeAddress> parse_serve_address(std::string_view text);

[[nodiscard]] bool is_loopback(std::string_view host);

class LiveServer {
 public:
  static constexpr std::size_t kMostReaders = 16;

  // By --serve; nothing: it was not given. Prints where it serves.
  [[nodiscard]] static Result<std::unique_ptr<LiveServer>> from(const Arguments& args);
  // `token`: what every request has to bring; empty: nothing. Serves until it is destroyed.
  [[nodiscard]] static Result<std::unique_ptr<LiveServer>> start(const ServeAddress& address, std::string token);
  virtual ~LiveServer() = default;

  [[nodiscard]] virtual std::string url() const = 0;  // with the token
  // Whether anybody follows: the page need not be made otherwise. The first page always is.
  [[nodiscard]] virtual bool is_followed() const = 0;
  // `json`: the data of a page (web/src/data.ts).
  virtual void set_page(std::string json) = 0;
  // `part`: whose numbers these are; they replace its earlier ones.
  virtual void set_metrics(std::string_view part, std::string text) = 0;
  // The run is over. Notifies the readers, and waits a moment until they know.
  virtual void end() = 0;
};

// Lines of Prometheus' text format.
class Metrics {
 public:
  // `labels`: `{anomaly="G1a"}` or nothing.
  Metrics& counter(std::string_view name, std::string_view help, double value, std::string_view labels = {});
  Metrics& gauge(std::string_view name, std::string_view help, double value);
  [[nodiscard]] std::string text() const { return text_; }

 private:
  Metrics& sample(std::string_view type, std::string_view name, std::string_view help, double value,
                  std::string_view labels);
  std::string text_, last_;
};

// `{name="value"}`, escaped.
[[nodiscard]] std::string metric_label(std::string_view name, std::string_view value);

}  // namespace isolde::cli
