#include "io/pickle/scanner.h"

#include <algorithm>

#include "io/text.h"

namespace taper::io {
namespace {

// Limits far beyond real checkpoints. A pickle that exceeds one is reported as not scanned.
constexpr std::size_t kMaxOnStack = 4'000'000, kMaxMemoEntries = 1'000'000, kMaxGlobals = 50'000;
constexpr std::size_t kMaxNameLength = 500;

}  // namespace

bool PickleScanner::scan(std::size_t& at) {
  offset_ = at;
  stack_.clear(), marks_.clear(), memo_.clear(), memoized_ = 0;
  ++found_.pickles;
  bool whole = true;
  try {
    run();
  } catch (const ScanAborted& stop) {
    found_.stopped.push_back((record_.empty() ? "" : record_ + ": ") + "byte " +
                             std::to_string(op_) + ": " + stop.why);
    whole = false;
  }
  at = offset_;
  return whole;
}

void PickleScanner::run() {
  for (;;) {
    op_ = offset_;
    const PickleOperation op = pickle_operation(bytes_, offset_);
    if (op.code == 0 && offset_ < bytes_.size() && !is_pickle_operation(bytes_[offset_]))
      throw ScanAborted{"unknown operation " + std::to_string(static_cast<int>(bytes_[offset_]))};
    if (op.code == 0) throw ScanAborted{"the pickle is truncated"};
    offset_ = op.end;
    if (op.code == '.') return;
    step(op);
  }
}

/// Returns the string that the operation of the symbol pushes, cut to the maximum length of a name.
std::string PickleScanner::text_of(Symbol s) const {
  const PickleOperation op = pickle_operation(bytes_, s.value());
  std::string_view contents = op.argument;
  if (op.code == 'S' && contents.size() >= 2)
    contents = contents.substr(1, contents.size() - 2);  // removes the quotes
  return std::string(contents.substr(0, kMaxNameLength));
}

void PickleScanner::push(Symbol s) {
  if (stack_.size() == kMaxOnStack) throw ScanAborted{"too many values on the stack"};
  stack_.push_back(s);
}

PickleScanner::Symbol PickleScanner::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    throw ScanAborted{"the stack is empty"};
  const Symbol s = stack_.back();
  stack_.pop_back();
  return s;
}

void PickleScanner::pop_many(int count) {
  for (int i = 0; i < count; ++i) pop();
}

/// Removes the values above the last mark and returns their number.
std::size_t PickleScanner::pop_to_mark() {
  if (marks_.empty()) throw ScanAborted{"missing mark on the stack"};
  const std::size_t count = stack_.size() - marks_.back();
  stack_.resize(marks_.back());
  marks_.pop_back();
  return count;
}

std::size_t PickleScanner::name(std::string_view module, std::string_view name_in_it) {
  std::string whole(module.substr(0, kMaxNameLength));
  whole += '.';
  whole += name_in_it.substr(0, kMaxNameLength);
  return name(whole);
}

std::size_t PickleScanner::name(const std::string& whole) {
  auto found = global_indices_.find(whole);
  if (found == global_indices_.end()) {
    if (global_indices_.size() == kMaxGlobals) throw ScanAborted{"too many distinct names"};
    found = global_indices_.emplace(whole, found_.globals.size()).first;
    found_.globals.push_back({.name = whole, .record = record_, .at = op_});
  }
  ++found_.globals[found->second].mentions;
  return found->second;
}

void PickleScanner::call(Symbol callable) {
  std::size_t called = 0;
  if (callable.kind() == Symbol::global) {
    called = callable.value();
  } else if (callable.kind() == Symbol::made) {
    // The result of a call is called: the first call may have looked up any callable.
    std::string from = found_.globals[callable.value()].name;
    if (from.starts_with("(result of ")) from = from.substr(11, from.size() - 12);
    called = name("(result of " + from + ")");
  } else {
    throw ScanAborted{"a value that is not a class or function is called"};
  }
  ++found_.globals[called].calls;
  push(Symbol::of(Symbol::made, called));
}

void PickleScanner::memoize(std::uint64_t index, Symbol s) {
  if (s.kind() == Symbol::other) {
    memo_.erase(index);
    return;
  }
  memo_[index] = s;
  if (memo_.size() > kMaxMemoEntries) throw ScanAborted{"too many names in the memo"};
}

void PickleScanner::execute_memo(const PickleOperation& op) {
  const auto decimal = [](std::string_view digits) {
    std::uint64_t v = 0;
    for (const char c : digits.substr(0, 18))
      if (c >= '0' && c <= '9') v = 10 * v + static_cast<std::uint64_t>(c - '0');
    return v;
  };
  const bool get = op.code == 'g' || op.code == 'h' || op.code == 'j';
  const std::uint64_t index = op.code == 0x94                    ? memoized_
                              : op.code == 'g' || op.code == 'p' ? decimal(op.argument)
                                                                 : op.number();
  if (get) {
    const auto found = memo_.find(index);
    return push(found == memo_.end() ? Symbol{} : found->second);
  }
  if (stack_.empty()) throw ScanAborted{"the stack is empty"};
  ++memoized_;
  memoize(index, stack_.back());
}

void PickleScanner::execute_call(const PickleOperation& op) {
  const std::size_t line = std::min(op.argument.find('\n'), op.argument.size());
  const auto named = [&] {
    return Symbol::of(Symbol::global,
                      name(op.argument.substr(0, line), op.argument.substr(line + 1)));
  };
  switch (op.code) {
    case 'c': return push(named());  // GLOBAL
    case 0x93: {                     // STACK_GLOBAL
      const Symbol name_in_it = pop(), module = pop();
      const bool known = name_in_it.kind() == Symbol::text && module.kind() == Symbol::text;
      return push(Symbol::of(Symbol::global, known ? name(text_of(module), text_of(name_in_it))
                                                   : name("(a name computed at run time)")));
    }
    case 0x82:
    case 0x83:
    case 0x84: {  // EXT1, EXT2, EXT4
      const std::string code = std::to_string(op.number());
      return push(Symbol::of(Symbol::global, name("(copyreg extension " + code + ")")));
    }
    case 'i': {  // INST
      const Symbol made = named();
      pop_to_mark();
      return call(made);
    }
    case 'o': {  // OBJ
      if (marks_.empty() || stack_.size() == marks_.back())
        throw ScanAborted{"missing class of an object"};
      const Symbol made = stack_[marks_.back()];
      pop_to_mark();
      return call(made);
    }
    case 'R':
    case 0x81: {  // REDUCE, NEWOBJ
      pop();
      return call(pop());
    }
    case 0x92: {  // NEWOBJ_EX
      pop_many(2);
      return call(pop());
    }
    default: {  // BUILD
      pop();
      const Symbol object = pop();
      if (object.kind() == Symbol::global) found_.globals[object.value()].modified = true;
      return push(object);
    }
  }
}

/// Handles operations that push data. Returns false for any other operation.
bool PickleScanner::execute_data(unsigned char op) {
  switch (op) {
    case 'X':
    case 'T':
    case 'U':
    case 0x8c:
    case 0x8d:
    case 'S':
    case 'V': push(Symbol::of(Symbol::text, op_)); return true;
    case 'I':
    case 'L':
    case 'F':
    case 'P':
    case 'K':
    case 'M':
    case 'J':
    case 'G':
    case 0x8a:
    case 'C':
    case 0x8b:
    case 'B':
    case 0x8e:
    case 0x96:
    case 'N':
    case 0x88:
    case 0x89:
    case '}':
    case ']':
    case ')':
    case 0x8f:
    case 0x97: push(); return true;  // NEXT_BUFFER
    default: return false;
  }
}

void PickleScanner::step(const PickleOperation& op) {
  if (execute_data(op.code)) return;
  switch (op.code) {
    case 0x80:          // PROTO
    case 0x95:          // FRAME
    case 0x98: return;  // READONLY_BUFFER
    case '(':
      marks_.push_back(stack_.size());
      if (marks_.size() > kMaxOnStack) throw ScanAborted{"too many marks on the stack"};
      return;
    case '0':
      if (!marks_.empty() && stack_.size() == marks_.back())
        marks_.pop_back();
      else
        pop();
      return;
    case '1': pop_to_mark(); return;
    case '2': {
      const Symbol s = pop();
      push(s), push(s);
      return;
    }
    case 't':
    case 'l':
    case 'd':
    case 0x91: pop_to_mark(); return push();
    case 0x85: pop_many(1); return push();
    case 0x86: pop_many(2); return push();
    case 0x87: pop_many(3); return push();
    case 'a': pop_many(1); return;
    case 's': pop_many(2); return;
    case 'e':
    case 'u':
    case 0x90: pop_to_mark(); return;
    case 'Q': pop(); return push();
    case 'g':
    case 'h':
    case 'j':
    case 'p':
    case 'q':
    case 'r':
    case 0x94: return execute_memo(op);
    case 'c':
    case 'i':
    case 'o':
    case 'R':
    case 'b':
    case 0x81:
    case 0x82:
    case 0x83:
    case 0x84:
    case 0x92:
    case 0x93: return execute_call(op);
    default: throw ScanAborted{"unknown operation " + std::to_string(op.code)};
  }
}

}  // namespace taper::io
