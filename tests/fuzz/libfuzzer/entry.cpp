// Entry point of libFuzzer, which runs the target TAPER_FUZZ_TARGET.
#include <cstdint>

#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  taper::fuzz::TAPER_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
