#include "taper/data/collate.h"

#include <cstdint>
#include <vector>

namespace taper::data {

Tensor Collate<Tensor>::batch(std::vector<Tensor>&& examples) { return stack(examples); }
Tensor Collate<bool>::batch(std::vector<bool>&& examples) {
  return tensor(std::vector<std::int64_t>(examples.begin(), examples.end())).to(DType::bool_);
}

}  // namespace taper::data
