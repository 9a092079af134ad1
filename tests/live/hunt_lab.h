// tests/live/hunt_lab.h: one server a dialect for all tests of a program, and sessions that compare texts the way the
// hunt's do.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/scratch_folder.h"
#include "db/database.h"
#include "hunt/hunt.h"
#include "tests/live/shared_server.h"

namespace isolde::hunt {

class Lab {
 public:
  // The one of this dialect; it lives until the program ends.
  static Lab& of(const std::string& dialect) {
    static std::map<std::string, std::unique_ptr<Lab>> all;
    auto& lab = all[dialect];
    if (!lab) lab.reset(new Lab(dialect));
    return *lab;
  }
  ~Lab() {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  // Null: there is no server.
  std::unique_ptr<db::Connection> connect() {
    auto made =
        database_ ? database_->connect(database_->levels()[0]) : Result<std::unique_ptr<db::Connection>>(Error{});
    EXPECT_TRUE(made) << made.error().message();
    if (!made) return nullptr;
    if (dialect_ == "mariadb") must(**made, "set names utf8mb4 collate utf8mb4_nopad_bin");
    if (dialect_ == "sqlite") must(**made, "pragma foreign_keys = on");
    if (dialect_ == "postgres") must(**made, "set jit = off");
    return *std::move(made);
  }
  static void must(db::Connection& connection, const std::string& sql) {
    const auto reply = connection.run(sql);
    EXPECT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().message());
  }

 private:
  explicit Lab(std::string dialect) : dialect_(std::move(dialect)) {
    std::string url;
    if (dialect_ == "sqlite") {
      folder_ = make_scratch_folder("hunt-sql");
      url = "sqlite:" + folder_ + "/db";
    } else {
      const db::Server* const server = test::shared_server({dialect_, "", fast_settings(dialect_)});
      if (server == nullptr) return;
      url = server->url();
    }
    database_ = *db::open_database(*db::parse_url(url));
  }

  std::string dialect_, folder_;
  std::unique_ptr<db::Database> database_;
};

}  // namespace isolde::hunt
