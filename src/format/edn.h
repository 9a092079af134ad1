// format/edn.h: EDN, the notation of Clojure data: text -> one flat tree a form.
//
// In, out: the bytes of a file -> its top-level forms one after another; one enclosing vector or list is stepped into,
//          so that a history of any length is held one form at a time.
// Always:  tags are ignored (#inst "…" is its string), `#_` forms and comments are skipped; nesting is at most
//          kMaxEdnDepth; an error has the offset of its byte; a tree's text lives as long as the file and the tree.
// Cost:    one pass, no recursion; a tree's memory is used again for the next form.
// Source:  the EDN specification (edn-format/edn), and what Clojure's `prn` writes beyond it (ratios, 0x…, ##Inf).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde {

inline constexpr int kMaxEdnDepth = 64;

enum class EdnKind : std::uint8_t {
  kNil,
  kBoolean,
  kInteger,  // fits 64 bits
  kNumber,   // any other number, as text in decimal form
  kCharacter,
  kString,
  kKeyword,  // its text is without the colon
  kSymbol,   // also what `prn` writes and EDN does not know: 1/2, ##Inf
  kList,
  kVector,
  kMap,  // its children are key, value, key, value, …
  kSet,
};

struct EdnNode {
  EdnKind kind;
  std::uint32_t size;    // bytes of text, or number of children
  std::uint32_t span;    // nodes of this form, itself included
  std::uint64_t offset;  // where it begins in the file
  union {
    std::int64_t integer;  // kInteger, kBoolean
    const char* text;
  };
};

// A place in a tree: one form. Invalid after the tree is cleared.
class EdnRef {
 public:
  EdnRef() = default;
  explicit EdnRef(const EdnNode* node) : node_(node) {}

  // False: there is no such form (a map without the key).
  explicit operator bool() const { return node_ != nullptr; }
  [[nodiscard]] EdnKind kind() const { return node_->kind; }
  [[nodiscard]] std::uint64_t offset() const { return node_->offset; }
  [[nodiscard]] bool is_nil() const { return node_->kind == EdnKind::kNil; }
  [[nodiscard]] bool is_sequence() const { return node_->kind == EdnKind::kVector || node_->kind == EdnKind::kList; }
  [[nodiscard]] bool is_collection() const { return node_->kind >= EdnKind::kList; }
  // A name, however it is written: :x, x or "x".
  [[nodiscard]] bool is_name() const { return node_->kind >= EdnKind::kString && node_->kind <= EdnKind::kSymbol; }
  [[nodiscard]] bool is_integer() const { return node_->kind == EdnKind::kInteger; }
  // Requires: kInteger or kBoolean.
  [[nodiscard]] std::int64_t integer() const { return node_->integer; }
  // Requires: a scalar other than those and nil.
  [[nodiscard]] std::string_view text() const { return {node_->text, node_->size}; }
  [[nodiscard]] bool is_named(std::string_view name) const { return is_name() && text() == name; }

  // Requires: a collection.
  [[nodiscard]] std::uint32_t size() const { return node_->size; }
  class Children {
   public:
    class Iterator {
     public:
      explicit Iterator(const EdnNode* at) : at_(at) {}
      EdnRef operator*() const { return EdnRef(at_); }
      Iterator& operator++() {
        at_ += at_->span;
        return *this;
      }
      friend bool operator==(Iterator, Iterator) = default;

     private:
      const EdnNode* at_;
    };
    explicit Children(const EdnNode* node) : node_(node) {}
    [[nodiscard]] Iterator begin() const { return Iterator(node_ + 1); }
    [[nodiscard]] Iterator end() const { return Iterator(node_ + node_->span); }

   private:
    const EdnNode* node_;
  };
  [[nodiscard]] Children children() const { return Children(node_); }
  // Requires: i < size(). Cost: linear in i.
  [[nodiscard]] EdnRef child(std::uint32_t i) const {
    auto at = children().begin();
    for (; i > 0; --i) ++at;
    return *at;
  }
  // Requires: a map. The value of the first key with that name.
  [[nodiscard]] EdnRef find(std::string_view name) const;

 private:
  const EdnNode* node_ = nullptr;
};

// One form. Filled by a reader (EDN here, JSON in format/jepsen_json.h).
class EdnTree {
 public:
  // The memory is kept for the next form.
  void clear();
  // Requires: a form was read.
  [[nodiscard]] EdnRef root() const { return EdnRef(nodes_.data()); }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }

  void add(EdnKind kind, std::uint64_t offset, std::string_view text);
  void add_integer(EdnKind kind, std::uint64_t offset, std::int64_t integer);
  // A collection: open, add its children, close with how many they were.
  std::uint32_t open(EdnKind kind, std::uint64_t offset);
  void close(std::uint32_t at, std::uint32_t children);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] EdnKind kind_at(std::uint32_t at) const { return nodes_[at].kind; }
  // Drops the nodes from `at` on.
  void truncate(std::uint32_t at) { nodes_.resize(at); }
  // Copies text into the tree.
  std::string_view keep(std::string_view text);

 private:
  static constexpr std::size_t kBlock = 4096;
  std::vector<EdnNode> nodes_;
  std::vector<std::unique_ptr<char[]>> blocks_;  // each of kBlock bytes
  std::vector<std::unique_ptr<char[]>> large_;   // texts longer than that
  std::size_t block_ = 0, used_ = 0;
};

// Why a form could not be read.
struct EdnFault {
  std::string text;
  std::uint64_t offset = 0;
  bool truncated = false;  // the file ended inside of a form
};

class EdnReader {
 public:
  explicit EdnReader(std::string_view bytes) : bytes_(bytes) {}

  enum class Got : std::uint8_t { kForm, kEnd, kFault };
  // Reads the next form into `tree`. After kFault, `fault()` says why, and no more can be read.
  Got next(EdnTree& tree);
  [[nodiscard]] const EdnFault& fault() const { return fault_; }
  // Bytes read so far.
  [[nodiscard]] std::uint64_t offset() const { return at_; }

 private:
  enum class FrameKind : std::uint8_t { kCollection, kTag, kDiscard };
  struct Frame {
    FrameKind kind;
    char closer;
    std::uint32_t node;  // of the collection; where the tree ended, for kDiscard
    std::uint32_t children;
    std::uint64_t offset;
  };
  enum class Step : std::uint8_t { kMore, kForm, kEnd, kFault };

  bool skip_space();
  bool step_into_sequence();
  Got read_form(EdnTree& tree);
  Step step(EdnTree& tree);
  Step at_end();
  Step open(EdnTree& tree, EdnKind kind, char closer, std::size_t skip);
  Step close(EdnTree& tree, char closer);
  Step hash(EdnTree& tree);
  Step push(FrameKind kind, char closer, std::uint32_t node, std::uint64_t offset);
  Step completed(EdnTree& tree);
  Step scalar(EdnTree& tree);
  Step string(EdnTree& tree);
  Step escaped_string(EdnTree& tree, std::uint64_t from);
  Step character(EdnTree& tree);
  Step number(EdnTree& tree, std::uint64_t from, std::string_view token);
  void integers(EdnTree& tree);
  std::string_view token();
  Step fail(std::uint64_t offset, std::string text);
  Step fail_at_end(std::string text);

  std::string_view bytes_;
  std::uint64_t at_ = 0;
  bool begun_ = false, ended_ = false;
  char sequence_closer_ = 0;  // of the enclosing vector or list; 0: none
  std::uint64_t sequence_offset_ = 0;
  Frame frames_[kMaxEdnDepth] = {};
  int depth_ = 0;
  EdnFault fault_;
  std::string scratch_;
};

// Adds a number written in EDN or JSON: kInteger where 64 bits hold it, else kNumber. False: it is none.
[[nodiscard]] bool add_number(EdnTree& tree, std::uint64_t offset, std::string_view token);

// Appends the form as EDN text. Depth is bounded by the reader.
void append_edn(EdnRef form, std::string& out);
// Appends `text` as an EDN string, quotes and escapes included.
void append_edn_string(std::string_view text, std::string& out);
// Whether `text` may stand after a colon, or alone, and is read back as that name.
[[nodiscard]] bool is_simple_name(std::string_view text);

struct TextPlace {
  std::uint64_t line = 1, column = 1;
};
// Line and column (in bytes), both from 1, of an offset. Cost: linear.
[[nodiscard]] TextPlace place_of(std::string_view bytes, std::uint64_t offset);

}  // namespace isolde
