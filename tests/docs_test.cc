// The documents stay true: commands shown in README run and answer as shown, and every path that a document names
// exists.
//
// A block marked `console` is a session: `$ isolde …` or `$ build/isolde …` is run in a scratch folder that the block's
// commands share, the lines below it are what it prints. Numbers may differ (times, memory); a line `…` stands for any
// lines; `$ echo $?` shows the exit status of the command before it. A block marked `json` after words such as "Save
// these lines as `first.jsonl`" is such a file, there for every session of its document.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace docs_test {

namespace fs = std::filesystem;

struct ShownCommand {
  std::string line;
  std::vector<std::string> output;
};

struct ShownFile {
  std::string name, content;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The sessions of a document, a list of commands each.
std::vector<std::vector<ShownCommand>> sessions_of(const std::string& text) {
  std::vector<std::vector<ShownCommand>> sessions;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) {
      inside = line == "```console";
      if (inside) sessions.emplace_back();
    } else if (inside && line.starts_with("$ ")) {
      sessions.back().push_back({line.substr(2), {}});
    } else if (inside && !sessions.back().empty()) {
      sessions.back().back().output.push_back(line);
    }
  }
  return sessions;
}

// The files that a reader is asked to save. The name is the last one that the paragraphs before the block have.
std::vector<ShownFile> files_of(const std::string& text) {
  static const std::regex asked("[Ss]ave [^`]*`([A-Za-z_]+\\.jsonl)`");
  std::vector<ShownFile> files;
  std::string paragraph;
  bool inside = false, saved = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) {
      std::smatch name;
      saved = line == "```json" && std::regex_search(paragraph, name, asked);
      if (saved) files.push_back({name[1], ""});
      inside = !inside;
      paragraph.clear();
    } else if (saved && inside) {
      files.back().content += line + "\n";
    } else if (!inside) {
      paragraph += line + " ";
    }
  }
  return files;
}

std::string without_numbers(std::string line) {
  line = std::regex_replace(line, std::regex("isolde-demo-[A-Za-z0-9]+"), "isolde-demo");
  line = std::regex_replace(line, std::regex("[0-9][0-9.,]*[0-9]|[0-9]"), "N");
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

bool matches(const std::vector<std::string>& shown, const std::vector<std::string>& real) {
  std::size_t at = 0;
  bool gap = false;
  for (const std::string& line : shown) {
    if (line == "…") {
      gap = true;
      continue;
    }
    const std::string wanted = without_numbers(line);
    while (gap && at < real.size() && without_numbers(real[at]) != wanted) ++at;
    if (at == real.size() || without_numbers(real[at]) != wanted) return false;
    ++at;
    gap = false;
  }
  return gap || at == real.size();
}

void run_sessions(const std::string& document) {
  const std::vector<ShownFile> files = files_of(content_of(document));
  for (const auto& session : sessions_of(content_of(document))) {
    const Scratch scratch;
    for (const ShownFile& file : files) std::ofstream(scratch.path() + "/" + file.name) << file.content;
    int status = 0;
    for (const ShownCommand& command : session) {
      if (command.line == "echo $?") {
        ASSERT_EQ(command.output.size(), 1U);
        EXPECT_EQ(command.output[0], std::to_string(status));
        continue;
      }
      std::string line = command.line;
      if (line.starts_with("build/")) line.erase(0, 6);
      if (!line.starts_with("isolde ")) continue;
      const Answer a = run_program({"sh", "-c", "exec '" ISOLDE_BINARY_DIR "/'" + line + " 2>&1"},
                                   {"TMPDIR=" + scratch.path()}, scratch.path());
      status = a.status;
      EXPECT_TRUE(matches(command.output, lines_of(a.out))) << document << ": $ " << command.line << "\nnow prints:\n"
                                                            << a.out;
    }
  }
}

std::vector<std::string> documents() {
  std::vector<std::string> found;
  std::error_code error;
  for (const char* folder : {ISOLDE_SOURCE_DIR, ISOLDE_SOURCE_DIR "/docs", ISOLDE_SOURCE_DIR "/docs/found"}) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path().string());
    }
  }
  return found;
}

TEST(Documents, CommandsAnswerAsShown) {
  for (const std::string& document : documents()) run_sessions(document);
}

TEST(Documents, EveryPathTheyNameExists) {
  const std::regex path(
      "[`( ]((?:src|tests|docs|cmake|include|examples|bench|web|\\.ci)/[A-Za-z0-9_.\\-/]+[A-Za-z0-9])");
  for (const std::string& document : documents()) {
    const std::string text = content_of(document);
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
      const std::string name = (*at)[1];
      const bool exists = fs::exists(std::string(ISOLDE_SOURCE_DIR "/") + name) ||
                          fs::exists(std::string(ISOLDE_SOURCE_DIR "/docs/") + name);
      EXPECT_TRUE(exists) << document << " names " << name;
    }
  }
}

TEST(Documents, EveryLinkLeadsSomewhere) {
  const std::regex link("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  for (const std::string& document : documents()) {
    const std::string text = content_of(document);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      EXPECT_TRUE(fs::exists(fs::path(document).parent_path() / std::string((*at)[1])))
          << document << " links to " << (*at)[1];
    }
  }
}

}  // namespace docs_test
}  // namespace isolde::test
