// cli/which_database.h: the database that a verb works on: by its URL, or a scratch server that --spawn starts.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "cli/options.h"
#include "db/database.h"
#include "db/server.h"
#include "db/url.h"

namespace isolde::cli {

// None: without --spawn. The error says what is wrong with --spawn, --server-path or --server-settings.
[[nodiscard]] Result<std::optional<db::ServerOptions>> spawn_options(const Arguments& args);

struct OpenDatabase {
  db::Url url;
  std::unique_ptr<db::Server> server;  // null: it is not ours
  std::unique_ptr<db::Database> database;
};

// Starts the server if there is one to start. No URL: SQLite on a scratch file.
[[nodiscard]] Result<OpenDatabase> open_named_database(const Arguments& args);
// The same, where both are known: the server to start, or else the URL.
[[nodiscard]] Result<OpenDatabase> open_database_at(const Arguments& args,
                                                    const std::optional<db::ServerOptions>& spawn, std::string url);

// A URL that the user gave. Its password may stand elsewhere, where nobody sees it: in --password-file, or in the
// environment (MYSQL_PWD; PGPASSWORD and ~/.pgpass are libpq's own).
[[nodiscard]] Result<db::Url> database_url(const Arguments& args, std::string_view text);

}  // namespace isolde::cli
