// db/mariadb/mariadb_server.cc: a scratch MariaDB: where its programs are, how it is made, started and asked.
//
// Neither the redo log nor the binlog is synced to disk: a server that is killed leaves what it wrote in the system's
// page cache, so Stop::kCrash loses nothing that it should keep; only a crash of the whole machine would. Both are
// written at each commit, and the doublewrite buffer stays on, since SIGKILL can cut a write of one page in two.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGTERM and its like

#include <filesystem>
#include <fstream>

#include "db/server_process.h"
#include "db/server_recipe.h"

namespace isolde::db {
namespace fs = std::filesystem;
namespace {

const std::map<std::string, std::string>& mariadb_settings() {
  static const std::map<std::string, std::string> settings = {
      {"binlog_format", "ROW"},
      {"innodb_flush_log_at_trx_commit", "2"},
      {"innodb_log_file_size", "64M"},
      {"innodb_use_native_aio", "OFF"},  // io_uring is often forbidden in containers
      {"log_bin", "binlog"},
      {"max_connections", "200"},
      {"server_id", "1"},
      {"skip_name_resolve", "ON"},
      {"sync_binlog", "0"},
  };
  return settings;
}

constexpr const char* kFirstSql =
    "flush privileges;\n"
    "create database isolde;\n"
    "create user isolde@localhost;\n"
    "grant process, binlog monitor, replication slave, show databases on *.* to isolde@localhost;\n"
    "grant all on `isolde%`.* to isolde@localhost with grant option;\n";

class MariadbRecipe final : public ServerRecipe {
 public:
  MariadbRecipe(std::string server, std::string installer, bool has_basedir,
                std::map<std::string, std::string> settings)
      : server_(std::move(server)),
        installer_(std::move(installer)),
        has_basedir_(has_basedir),
        settings_(std::move(settings)) {}

  [[nodiscard]] std::vector<std::string> users() const override { return {"mysql"}; }

  [[nodiscard]] Result<void> initialise(const std::string& folder, const std::string& log,
                                        const RunAs& as) const override {
    if (Result<void> made = run_tool(as, {"/bin/mkdir", temporary(folder)}, folder, log); !made) return made;
    std::vector<std::string> install = {installer_, "--no-defaults"};
    if (has_basedir_) install.push_back("--basedir=" + basedir());
    install.insert(install.end(),
                   {"--datadir=" + data_folder(folder), "--tmpdir=" + temporary(folder),
                    "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
                    "--innodb-use-native-aio=OFF", "--innodb-log-file-size=" + settings_.at("innodb_log_file_size")});
    if (Result<void> made = run_tool(as, install, folder, log); !made) return made;
    std::vector<std::string> first = common(folder);
    first.insert(first.end(), {"--bootstrap", "--innodb-use-native-aio=OFF",
                               "--innodb-log-file-size=" + settings_.at("innodb_log_file_size")});
    return run_tool(as, first, folder, log, kFirstSql);
  }

  [[nodiscard]] std::string_view superuser() const override { return "root"; }

  [[nodiscard]] std::vector<std::string> command(const std::string& folder) const override {
    std::vector<std::string> words = common(folder);
    words.insert(words.end(), {"--socket=" + socket(folder), "--pid-file=" + pid_file(folder), "--skip-log-error"});
    // One without a value is a switch: skip_log_bin.
    for (const auto& [name, value] : settings_)
      words.push_back(value.empty() ? "--" + name : fmt::format("--{}={}", name, value));
    words.emplace_back("--skip-networking=ON");  // last, so that no setting opens a port
    return words;
  }

  // It listens only once it has recovered, and greets a client with a packet that starts with its length, the number 0
  // and the version of the protocol, 10. The pid file tells that it is ours that listens.
  [[nodiscard]] bool ready(const std::string& folder, pid_t pid) const override {
    std::ifstream file(pid_file(folder));
    pid_t listens = -1;
    if (!(file >> listens) || listens != pid) return false;
    const Result<std::string> said = greeting(socket(folder), Milliseconds(2'000));
    return said && said->size() > 4 && (*said)[4] == 10;
  }

  [[nodiscard]] int orderly_signal() const override { return SIGTERM; }
  [[nodiscard]] int quick_signal() const override { return SIGKILL; }  // one process, no children
  void clean_up(const std::string& /*folder*/) const override {}

 private:
  [[nodiscard]] static std::string data_folder(const std::string& folder) { return folder + "/data"; }
  // Of its own: a server that starts removes the temporary tables of all others that share this folder.
  [[nodiscard]] static std::string temporary(const std::string& folder) { return folder + "/tmp"; }
  [[nodiscard]] static std::string socket(const std::string& folder) { return folder + "/mariadb.sock"; }
  [[nodiscard]] static std::string pid_file(const std::string& folder) { return folder + "/mariadb.pid"; }
  [[nodiscard]] std::string basedir() const { return fs::path(server_).parent_path().parent_path().string(); }
  [[nodiscard]] std::vector<std::string> common(const std::string& folder) const {
    std::vector<std::string> words = {server_, "--no-defaults"};
    if (has_basedir_) words.push_back("--basedir=" + basedir());
    words.push_back("--datadir=" + data_folder(folder));
    words.push_back("--tmpdir=" + temporary(folder));
    return words;
  }

  std::string server_, installer_;
  bool has_basedir_;  // the programs are not where the distribution puts them
  std::map<std::string, std::string> settings_;
};

}  // namespace

Result<std::unique_ptr<ServerRecipe>> mariadb_recipe(const ServerOptions& options) {
  const bool given = !options.binaries.empty();
  const std::vector<std::string> folders = given ? std::vector{options.binaries, options.binaries + "/../scripts"}
                                                 : and_path({"/usr/sbin", "/usr/libexec", "/usr/bin"});
  const std::string server = find_program("mariadbd", folders);
  const std::string installer = find_program("mariadb-install-db", folders);
  if (server.empty() || installer.empty()) {
    return Error{
        fmt::format("the MariaDB server is not installed (no program \"{}\"{}): install the package mariadb-server",
                    server.empty() ? "mariadbd" : "mariadb-install-db", given ? " in " + options.binaries : "")};
  }
  std::map<std::string, std::string> settings = options.settings;
  for (const auto& [name, value] : mariadb_settings()) settings.try_emplace(name, value);
  return Result<std::unique_ptr<ServerRecipe>>(
      std::make_unique<MariadbRecipe>(server, installer, given, std::move(settings)));
}

}  // namespace isolde::db
