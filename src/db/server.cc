#include "db/server.h"

#include <fmt/format.h>

#include <filesystem>
#include <thread>
#include <utility>

#include "db/product.h"
#include "db/server_process.h"
#include "db/server_recipe.h"
#include "db/url.h"

namespace isolde::db {
namespace {

constexpr Milliseconds kStartLimit{90'000};  // recovery after a crash on a busy machine takes seconds
constexpr Milliseconds kStopLimit{60'000};
constexpr Milliseconds kQuickLimit{3'000};

class ScratchServer final : public Server {
 public:
  ScratchServer(std::string kind, std::unique_ptr<ServerRecipe> recipe, RunAs as, ServerFolder folder)
      : kind_(std::move(kind)), recipe_(std::move(recipe)), folder_(std::move(folder)), process_(as), as_(as) {}
  ~ScratchServer() override {
    process_.signal(recipe_->quick_signal());
    if (!process_.wait_until_ended(kQuickLimit)) process_.kill_all();
    recipe_->clean_up(folder_.path());
  }

  [[nodiscard]] std::string url() const override { return url_of("isolde"); }
  [[nodiscard]] std::string superuser_url() const override { return url_of(recipe_->superuser()); }
  [[nodiscard]] std::string log_file() const override { return folder_.file("server.log"); }

  Result<void> set_up() {
    if (Result<void> made = recipe_->initialise(folder_.path(), log_file(), as_); !made) return made;
    return start();
  }

  Result<void> start() override {
    if (process_.running()) return Error{"the server is already running"};
    if (Result<void> begun =
            process_.start(recipe_->command(folder_.path()), folder_.path(), log_file(), recipe_->quick_signal());
        !begun) {
      return begun;
    }
    const auto until = std::chrono::steady_clock::now() + kStartLimit;
    while (process_.running()) {
      if (recipe_->ready(folder_.path(), process_.pid())) return {};
      if (std::chrono::steady_clock::now() >= until) {
        process_.kill_all();
        return Error{fmt::format("{} did not accept connections within {} s; the end of its log:\n{}", kind_,
                                 kStartLimit.count() / 1000, end_of_log(log_file()))};
      }
      std::this_thread::sleep_for(Milliseconds(10));
    }
    return Error{fmt::format("{} did not start: {}; the end of its log:\n{}", kind_, process_.exit_status(),
                             end_of_log(log_file()))};
  }

  Result<void> stop(Stop how) override {
    if (!process_.running()) {
      return Error{fmt::format("{} is not running: {}; the end of its log:\n{}", kind_, process_.exit_status(),
                               end_of_log(log_file()))};
    }
    if (how == Stop::kCrash) {
      process_.kill_all();
      return {};
    }
    process_.signal(recipe_->orderly_signal());
    if (process_.wait_until_ended(kStopLimit)) return {};
    process_.kill_all();
    return Error{fmt::format("{} did not stop within {} s and was killed; the end of its log:\n{}", kind_,
                             kStopLimit.count() / 1000, end_of_log(log_file()))};
  }

 private:
  [[nodiscard]] std::string url_of(std::string_view user) const {
    Url url;
    url.scheme = kind_;
    url.user = user;
    url.host = folder_.path();
    url.database = "isolde";
    return url.shown();
  }

  std::string kind_;
  std::unique_ptr<ServerRecipe> recipe_;
  ServerFolder folder_;  // before the process: it goes after it
  ServerProcess process_;
  RunAs as_;
};

Result<std::unique_ptr<ServerRecipe>> recipe_for(const ServerOptions& options) {
  const Product* const product = find_product(options.kind);
  if (product != nullptr && product->recipe != nullptr) return product->recipe(options);
  return Error{fmt::format("no scratch server of kind \"{}\": use {}", options.kind,
                           names_where([](const Product& one) { return one.recipe != nullptr; }))};
}

}  // namespace

Result<std::unique_ptr<Server>> start_server(const ServerOptions& options) {
  Result<std::unique_ptr<ServerRecipe>> recipe = recipe_for(options);
  if (!recipe) return recipe.error();
  const RunAs as = run_as((*recipe)->users());
  Result<ServerFolder> folder = ServerFolder::create(options.kind, as);
  if (!folder) return folder.error();
  auto server = std::make_unique<ScratchServer>(options.kind, std::move(*recipe), as, std::move(*folder));
  if (Result<void> up = server->set_up(); !up) return up.error();
  return Result<std::unique_ptr<Server>>(std::move(server));
}

}  // namespace isolde::db
