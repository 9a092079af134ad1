// db/server_recipe.h: what differs between the servers that server.cc starts: one small file each.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/server.h"
#include "db/server_place.h"

namespace isolde::db {

class ServerRecipe {
 public:
  virtual ~ServerRecipe() = default;
  [[nodiscard]] virtual std::vector<std::string> users() const = 0;  // whom it runs as where we are root
  // Makes the empty server in `folder`, its superuser, the user "isolde" who is none, and the database "isolde". No
  // passwords: whoever may enter the folder may connect.
  [[nodiscard]] virtual Result<void> initialise(const std::string& folder, const std::string& log,
                                                const RunAs& as) const = 0;
  [[nodiscard]] virtual std::vector<std::string> command(const std::string& folder) const = 0;
  [[nodiscard]] virtual std::string_view superuser() const = 0;
  // It carries out requests, not only accepts connections.
  [[nodiscard]] virtual bool ready(const std::string& folder, pid_t pid) const = 0;
  [[nodiscard]] virtual int orderly_signal() const = 0;
  // Ends it at once, children and all, without writing anything out; sent also when this process dies.
  [[nodiscard]] virtual int quick_signal() const = 0;
  // What a crash left outside of its folder.
  virtual void clean_up(const std::string& folder) const = 0;
};

[[nodiscard]] Result<std::unique_ptr<ServerRecipe>> postgres_recipe(const ServerOptions& options);
[[nodiscard]] Result<std::unique_ptr<ServerRecipe>> mariadb_recipe(const ServerOptions& options);

}  // namespace isolde::db
