#include "cli/record_place.h"

#include <fmt/format.h>

#include <filesystem>

#include "format/recording_live.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

// A folder of ours, and not anybody's that happens to have the name.
bool is_recording(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "header.jsonl", error);
}

bool is_being_written(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".journal" && has_writer(entry.path().string())) return true;
  }
  return false;
}

bool has_content(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_empty(path, error) && !error;
}

}  // namespace

std::string folder_of_recording(const std::string& out) { return out + ".recording"; }

std::optional<Error> what_is_in_the_way(const std::string& out, bool overwrite) {
  const std::string folder = folder_of_recording(out);
  std::error_code error;
  if (fs::is_directory(out, error)) return Error{"is a folder, but --out takes a file name", out};
  if (fs::exists(folder, error)) {
    if (is_being_written(folder)) return Error{"another run is recording there", folder};
    if (!overwrite)
      return Error{
          "already exists, from a run that was interrupted: check or convert it, then remove it, or use --overwrite",
          folder};
    if (!is_recording(folder) && has_content(folder))
      return Error{"is not a recording, so --overwrite does not remove it", folder};
  }
  if (!overwrite && has_content(out))
    return Error{"already exists: use --overwrite to replace it, or choose another name", out};
  return std::nullopt;
}

std::optional<Error> make_room(const std::string& out) {
  std::error_code error;
  fs::remove_all(folder_of_recording(out), error);
  if (error) return Error{fmt::format("cannot be removed: {}", error.message()), folder_of_recording(out)};
  return std::nullopt;
}

}  // namespace isolde::cli
