// Checkpoints that are given by their pickle alone.
#pragma once
#include <span>
#include <string>

#include "assemble.h"
#include "taper/io/load.h"

namespace taper::test {

inline Value read(const std::string& data_pkl, bool strict = false) {
  const std::string bytes = checkpoint(data_pkl);
  return load(std::as_bytes(std::span(bytes)), {.strict = strict});
}

}  // namespace taper::test
