#include <stdexcept>
#include <string>

#include "cases/outcome.h"
#include "files/describe.h"
#include "files/differ.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "target.h"

namespace taper::fuzz {
namespace {

using oracle::Json;

/// Returns the description of a value; null if it is too large or contains itself.
Json describe(const Value& v) {
  constexpr std::size_t kMax = 20'000;
  try {
    return oracle::Describer(kMax)(v);
  } catch (const oracle::MalformedCase&) { return {}; }
}

void write_and_read(const Value& v, const Json& described, FileFormat format) {
  const SaveOptions options{.format = format, .shared = SharedTensors::split};
  std::vector<std::byte> bytes;
  try {
    bytes = save_to_bytes(v, options);
  } catch (const Error&) { return; }  // not every readable value is a checkpoint of each format
  const Value again = taper::load(Bytes(bytes));
  if (described.is_null()) return;
  const oracle::Rules rules{.strict_stride = true,
                            .only_tensors = format == FileFormat::safetensors};
  for (const std::string& text : oracle::differences(described, describe(again), rules))
    throw std::logic_error("finding: written and read again, " + text);
  if (save_to_bytes(again, options) != bytes)
    throw std::logic_error("finding: written twice, the bytes differ");
}

}  // namespace

void round_trip(Bytes input) {
  const Value v = read(input);
  const Json described = describe(v);
  for (const FileFormat format : {FileFormat::zip, FileFormat::legacy, FileFormat::safetensors})
    write_and_read(v, described, format);
}

}  // namespace taper::fuzz
