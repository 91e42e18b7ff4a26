#include <stdexcept>
#include <string>

#include "files/walk.h"
#include "taper/core/error.h"
#include "taper/core/memory.h"
#include "taper/io/load.h"
#include "target.h"

namespace taper::fuzz {
namespace {

constexpr std::size_t kBeyondFile = std::size_t{64} << 20;

[[noreturn]] void found(const std::string& what) { throw std::logic_error("finding: " + what); }

}  // namespace

void check_error(const Error& e) {
  constexpr std::size_t kMaxLength = 1200;
  const std::string text = e.what();
  if (e.kind() == ErrorKind::out_of_memory) found("memory was asked for in vain: " + text);
  if (text.size() > kMaxLength) found("an error of " + std::to_string(text.size()) + " characters");
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      found("an error with a control character: " + text);
}

Value read(Bytes file) {
  memory::reset_peak();
  const std::size_t before = memory::stats().allocated;
  // The limit allows for tensors as large as their file and a second copy of them, which byte
  // swapping needs.
  const auto check_memory = [&] {
    if (memory::stats().peak - before > kBeyondFile + 2 * file.size())
      found("tensors took " + std::to_string(memory::stats().peak - before) + " bytes");
  };
  Value v;
  try {
    v = taper::load(file);
  } catch (const Error& e) {
    check_memory();
    check_error(e);
    return {};
  }
  check_memory();
  if (const std::string wrong = oracle::walk(v).wrong; !wrong.empty()) found(wrong);
  return v;
}

}  // namespace taper::fuzz
