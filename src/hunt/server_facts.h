// hunt/server_facts.h: what a finding says of the server that it was found on, against the one that it is replayed on.
//
// In, out: descriptions as db::Database::describe() gives them ("MariaDB 10.11.19, innodb_snapshot_isolation=ON") and
//          as they stand in the file of a finding -> settings that have to be the same, and what else differs, in
//          words.
// Always:  a setting's value that came from a file is one of those that are listed, so it may be put into SQL.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace isolde::hunt {

// The settings that decide what a level means, with the values that the description states. A server that does not
// know one behaves as its old default; a description without a version states nothing.
[[nodiscard]] std::map<std::string, std::string> isolation_settings(std::string_view dialect, std::string_view server);

// Those that `found_on` has and `here` has otherwise.
[[nodiscard]] std::map<std::string, std::string> settings_to_change(std::string_view dialect, std::string_view found_on,
                                                                    std::string_view here);
// Why a finding of `found_on` says nothing about `here`, as one sentence; empty: its settings are the same.
[[nodiscard]] std::string why_other_settings(std::string_view dialect, std::string_view found_on,
                                             std::string_view here);

// "it was found on PostgreSQL 15, and this is PostgreSQL 16"; empty: the same product and major version, or unknown.
[[nodiscard]] std::string other_version(std::string_view found_on, std::string_view here);

}  // namespace isolde::hunt
