// The documents stay true: commands shown in README run and answer as shown, and every path that a document names
// exists.
//
// A block marked `console` is a session: `$ isolde …` or `$ build/isolde …` is run in a scratch folder that the block's
// commands share, the lines below it are what it prints. Numbers may differ (times, memory); a line `…` stands for any
// lines; `$ echo $?` shows the exit status of the command before it. `$ python3 …` is run as well. A block marked
// `json`, `text` or `python` after words such as "Save these lines as `first.jsonl`" is such a file, there for every
// session of its document. In blocks with other marks, too, every `isolde` command has a verb and options that there
// are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "cli/options.h"
#include "cli/verbs.h"
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
  static const std::regex asked("[Ss]ave [^`]*`([A-Za-z_]+\\.(?:jsonl|scenario|py))`");
  std::vector<ShownFile> files;
  std::string paragraph;
  bool inside = false, saved = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) {
      std::smatch name;
      const bool is_file = line == "```json" || line == "```text" || line == "```python";
      saved = !inside && is_file && std::regex_search(paragraph, name, asked);
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
      const bool is_ours = line.starts_with("isolde ");
      if (!is_ours && !line.starts_with("python3 ")) continue;
      const std::string program = is_ours ? "'" ISOLDE_BINARY_DIR "/'" : "";
      const Answer a =
          run_program({"sh", "-c", "exec " + program + line + " 2>&1"}, {"TMPDIR=" + scratch.path()}, scratch.path());
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

// The `isolde` commands of all blocks, whatever their mark.
std::vector<std::string> commands_of(const std::string& text) {
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line : lines_of(text)) {
    if (line.starts_with("```")) {
      inside = !inside;
      continue;
    }
    if (!inside && !line.starts_with("    isolde ")) continue;
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    line.erase(0, start);
    if (line.starts_with("$ ")) line.erase(0, 2);
    if (line.starts_with("isolde ")) commands.push_back(line);
  }
  return commands;
}

// Up to what a shell makes of it: a pipe, a redirection, a comment, the next command.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  std::string word;
  for (in >> word; in >> word;) {
    if (word == "|" || word == "||" || word == "&" || word == "&&" || word == "\\" || word[0] == '#' || word[0] == '>')
      break;
    words.push_back(word);
  }
  return words;
}

TEST(Documents, EveryCommandHasAVerbAndOptionsThatThereAre) {
  std::size_t seen = 0;
  for (const std::string& document : documents()) {
    for (const std::string& command : commands_of(content_of(document))) {
      const std::vector<std::string> words = words_of(command);
      if (words.empty() || words[0] == "help" || words[0].starts_with("--") || words[0] == "VERB") continue;
      // A line of output that begins with the program's name: "isolde 1.0.0", "isolde: …".
      if (std::isdigit(static_cast<unsigned char>(words[0][0])) != 0) continue;
      ++seen;
      const cli::VerbRow* const verb = cli::verb_named(words[0]);
      ASSERT_NE(verb, nullptr) << document << ": " << command;
      for (const std::string& word : words) {
        if (!word.starts_with("--")) continue;
        const std::string name = word.substr(2, word.find('=') - 2);
        const auto row = std::ranges::find_if(
            cli::options(), [&](const cli::OptionRow& one) { return one.name == name && cli::takes(*verb, one); });
        EXPECT_NE(row, cli::options().end()) << document << ": " << command << "\n  has no option --" << name;
      }
    }
  }
  EXPECT_GT(seen, 80U);
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
