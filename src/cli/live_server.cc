#include "cli/live_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "report/page/page.h"

namespace isolde::cli {
namespace {

// Until there is something to show.
constexpr std::string_view kWaiting = R"({"kind": "waiting", "made": {"version": ")" ISOLDE_VERSION R"("}})";

// The same for all lengths of what is wrong, and for all places where it is.
bool is_equal(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  return different == 0;
}

// What readers get; of the run's thread and those of the server.
struct LiveState {
  std::mutex mutex;
  std::condition_variable changed;
  std::string page = std::string(kWaiting);
  std::map<std::string, std::string> metrics;
  std::uint64_t version = 0;
  bool over = false, closing = false;
  std::size_t readers = 0;
};

// One reader of /events. `seen`: the version that it has.
bool next_event(LiveState& state, std::uint64_t& seen, httplib::DataSink& sink) {
  std::string event;
  {
    std::unique_lock lock(state.mutex);
    constexpr auto kSignOfLife = std::chrono::seconds(10);
    state.changed.wait_for(lock, kSignOfLife, [&] { return state.version != seen || state.over || state.closing; });
    if (state.closing && state.version == seen) {
      sink.done();
      return true;
    }
    if (state.version != seen) {
      seen = state.version;
      event = fmt::format("event: page\ndata: {}\n\n", state.page);
    } else {
      event = state.over ? "event: end\ndata: {}\n\n" : ": nothing new\n\n";
    }
  }
  if (!sink.write(event.data(), event.size())) return false;
  if (event.starts_with("event: end")) sink.done();
  return true;
}

class HttpServer : public LiveServer {
 public:
  HttpServer(ServeAddress address, std::string token) : address_(std::move(address)), token_(std::move(token)) {}
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->closing = true;
    }
    state_->changed.notify_all();
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  std::optional<Error> listen() {
    // Each reader of /events keeps one thread; the others answer the rest.
    server_.new_task_queue = [] { return new httplib::ThreadPool(kMostReaders + 4); };
    server_.set_keep_alive_max_count(1);
    server_.set_payload_max_length(0);
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return is_allowed(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                           : httplib::Server::HandlerResponse::Handled;
    });
    server_.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      response.set_header("Cache-Control", "no-store");
      response.set_header("Referrer-Policy", "no-referrer");
      const std::lock_guard lock(state_->mutex);
      response.set_content(live_html_page(state_->page), "text/html; charset=utf-8");
    });
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      std::unique_lock lock(state_->mutex);
      // Who asks right after the run has begun is not told that there is nothing to count.
      constexpr auto kFirstNumbers = std::chrono::seconds(3);
      state_->changed.wait_for(lock, kFirstNumbers,
                               [&] { return !state_->metrics.empty() || state_->over || state_->closing; });
      std::string text;
      for (const auto& [part, lines] : state_->metrics) text += lines;
      response.set_content(text, "text/plain; version=0.0.4; charset=utf-8");
    });
    server_.Get("/events", [this](const httplib::Request&, httplib::Response& response) { follow(response); });
    const std::string host =
        address_.host.starts_with("[") ? address_.host.substr(1, address_.host.size() - 2) : address_.host;
    if (address_.port == 0) {
      address_.port = server_.bind_to_any_port(host.c_str());
      if (address_.port <= 0) return Error{fmt::format("cannot listen on {}", host)};
    } else if (!server_.bind_to_port(host.c_str(), address_.port)) {
      return Error{fmt::format("cannot listen on {}:{}: is the port in use?", host, address_.port)};
    }
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    return std::nullopt;
  }

  [[nodiscard]] std::string url() const override {
    return fmt::format("http://{}:{}/{}", address_.host, address_.port,
                       token_.empty() ? std::string() : fmt::format("?token={}", token_));
  }
  [[nodiscard]] bool is_followed() const override {
    const std::lock_guard lock(state_->mutex);
    return state_->readers > 0 || state_->version == 0 || asked_.load();
  }
  void set_page(std::string json) override {
    {
      const std::lock_guard lock(state_->mutex);
      asked_ = false;
      if (state_->page == json) return;
      state_->page = std::move(json);
      ++state_->version;
    }
    state_->changed.notify_all();
  }
  void set_metrics(std::string_view part, std::string text) override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->metrics[std::string(part)] = std::move(text);
    }
    state_->changed.notify_all();
  }
  void end() override {
    std::unique_lock lock(state_->mutex);
    state_->over = true;
    state_->changed.notify_all();
    // Until those that follow have left, each with its `end`.
    state_->changed.wait_for(lock, std::chrono::seconds(1), [&] { return state_->readers == 0; });
  }

 private:
  bool is_allowed(const httplib::Request& request, httplib::Response& response) {
    asked_ = true;
    const std::string host = request.get_header_value("Host");
    const bool is_ours = !address_.loopback || is_loopback(host.substr(0, host.rfind(':')));
    std::string token = request.get_param_value("token");
    if (const std::string header = request.get_header_value("Authorization"); header.starts_with("Bearer "))
      token = header.substr(7);
    if (is_ours && (token_.empty() || is_equal(token, token_))) return true;
    response.status = is_ours ? 401 : 403;
    response.set_content(is_ours ? "the token is missing or wrong: ?token=… or Authorization: Bearer …\n"
                                 : "ask for this page by the name of this machine's loopback address\n",
                         "text/plain; charset=utf-8");
    return false;
  }

  void follow(httplib::Response& response) {
    {
      const std::lock_guard lock(state_->mutex);
      if (state_->readers == kMostReaders) {
        response.status = 503;
        return response.set_content("too many readers\n", "text/plain");
      }
      ++state_->readers;
    }
    response.set_header("Cache-Control", "no-store");
    response.set_chunked_content_provider(
        "text/event-stream",
        [state = state_, seen = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable {
          return next_event(*state, seen, sink);
        },
        [state = state_](bool) {
          {
            const std::lock_guard lock(state->mutex);
            --state->readers;
          }
          state->changed.notify_all();
        });
  }

  ServeAddress address_;
  const std::string token_;
  std::shared_ptr<LiveState> state_ = std::make_shared<LiveState>();
  mutable std::atomic<bool> asked_ = false;  // since the last page
  httplib::Server server_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LiveServer>> LiveServer::start(const ServeAddress& address, std::string token) {
  auto server = std::make_unique<HttpServer>(address, std::move(token));
  if (auto error = server->listen()) return *std::move(error);
  return std::unique_ptr<LiveServer>(std::move(server));
}

}  // namespace isolde::cli
