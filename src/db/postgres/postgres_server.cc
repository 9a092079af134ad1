// db/postgres/postgres_server.cc: a scratch PostgreSQL: where its programs are, how it is made, started and asked.
//
// fsync is off: a server that is killed leaves what it wrote in the system's page cache, so Stop::kCrash loses nothing
// that it should keep; only a crash of the whole machine would. Full page writes stay on, since SIGKILL can cut a write
// of one page in two.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGINT and its like
#include <sys/ipc.h>
#include <sys/shm.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "db/server_process.h"
#include "db/server_recipe.h"

namespace isolde::db {
namespace fs = std::filesystem;
namespace {

// The lines of postmaster.pid, as PostgreSQL's miscadmin.h has them.
constexpr std::size_t kPidLine = 0, kSharedMemoryLine = 6, kStatusLine = 7;

const std::map<std::string, std::string>& postgres_settings() {
  static const std::map<std::string, std::string> settings = {
      {"autovacuum_naptime", "5s"},
      {"deadlock_timeout", "10ms"},  // a second of waiting a deadlock would leave a contended run with little to record
      {"dynamic_shared_memory_type", "mmap"},  // in its folder, so that a crash leaves nothing in /dev/shm
      {"fsync", "off"},
      {"log_min_messages", "warning"},
      {"max_connections", "200"},
      {"max_replication_slots", "20"},
      {"max_wal_senders", "20"},
      {"wal_level", "logical"},
  };
  return settings;
}

// /usr/lib/postgresql/15/bin and its like, newest first.
std::vector<std::string> packaged_folders() {
  std::vector<std::pair<int, std::string>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib/postgresql", error)) {
    const std::string name = entry.path().filename().string();
    int version = 0;
    std::from_chars(name.data(), name.data() + name.size(), version);
    found.emplace_back(version, (entry.path() / "bin").string());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> folders;
  folders.reserve(found.size());
  for (auto& [version, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class PostgresRecipe final : public ServerRecipe {
 public:
  PostgresRecipe(std::string bin, std::map<std::string, std::string> settings)
      : bin_(std::move(bin)), settings_(std::move(settings)) {}

  [[nodiscard]] std::vector<std::string> users() const override { return {"postgres"}; }

  [[nodiscard]] Result<void> initialise(const std::string& folder, const std::string& log,
                                        const RunAs& as) const override {
    const std::string data = data_folder(folder);
    if (Result<void> made = run_tool(as,
                                     {bin_ + "/initdb", "--pgdata=" + data, "--auth-local=trust", "--auth-host=reject",
                                      fmt::format("--username={}", superuser()), "--encoding=UTF8", "--locale=C",
                                      "--no-sync", "--no-instructions"},
                                     folder, log);
        !made) {
      return made;
    }
    return run_tool(as, {bin_ + "/postgres", "--single", "-F", "-D", data, "postgres"}, folder, log,
                    "create role isolde login replication\n"
                    "create database isolde owner isolde\n"
                    // What hunts set to see at once who waits; servers before 15 refuse the line, and go on.
                    "grant set on parameter deadlock_timeout, log_lock_waits to isolde\n");
  }

  [[nodiscard]] std::string_view superuser() const override { return "isolde_superuser"; }

  [[nodiscard]] std::vector<std::string> command(const std::string& folder) const override {
    std::vector<std::string> words = {bin_ + "/postgres", "-D", data_folder(folder), "-p", "5432", "-k", folder};
    for (const auto& [name, value] : settings_) words.insert(words.end(), {"-c", fmt::format("{}={}", name, value)});
    // Last, so that no setting opens a port or lets others in.
    words.insert(words.end(), {"-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"});
    return words;
  }

  // As pg_ctl finds out: the postmaster writes its state to its pid file.
  [[nodiscard]] bool ready(const std::string& folder, pid_t pid) const override {
    const std::vector<std::string> lines = lines_of(pid_file(folder));
    return lines.size() > kStatusLine && lines[kPidLine] == std::to_string(pid) &&
           lines[kStatusLine].starts_with("ready");
  }

  [[nodiscard]] int orderly_signal() const override { return SIGINT; }  // "fast": sessions are ended
  [[nodiscard]] int quick_signal() const override { return SIGQUIT; }   // "immediate"

  void clean_up(const std::string& folder) const override {
    // The segment by which PostgreSQL guards its folder outlives a crash; the system has room for 4096 of them.
    const std::vector<std::string> lines = lines_of(pid_file(folder));
    if (lines.size() <= kSharedMemoryLine) return;
    std::istringstream words(lines[kSharedMemoryLine]);
    std::uint64_t key = 0;
    int id = -1;
    shmid_ds about{};
    if ((words >> key >> id) && shmctl(id, IPC_STAT, &about) == 0 && about.shm_nattch == 0 &&
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(about.shm_perm.__key)) == key) {
      shmctl(id, IPC_RMID, nullptr);
    }
  }

 private:
  [[nodiscard]] static std::string data_folder(const std::string& folder) { return folder + "/data"; }
  [[nodiscard]] static std::string pid_file(const std::string& folder) { return folder + "/data/postmaster.pid"; }

  std::string bin_;
  std::map<std::string, std::string> settings_;
};

}  // namespace

Result<std::unique_ptr<ServerRecipe>> postgres_recipe(const ServerOptions& options) {
  std::string bin = options.binaries;
  if (bin.empty()) bin = fs::path(find_program("postgres", and_path(packaged_folders()))).parent_path().string();
  for (const char* const program : {"postgres", "initdb"}) {
    std::error_code error;
    if (!bin.empty() && fs::exists(fs::path(bin) / program, error)) continue;
    return Error{fmt::format("the PostgreSQL server is not installed (no {}): install the package postgresql",
                             bin.empty() ? "program \"postgres\"" : bin + "/" + program)};
  }
  std::map<std::string, std::string> settings = options.settings;
  for (const auto& [name, value] : postgres_settings()) settings.try_emplace(name, value);
  return Result<std::unique_ptr<ServerRecipe>>(std::make_unique<PostgresRecipe>(std::move(bin), std::move(settings)));
}

}  // namespace isolde::db
