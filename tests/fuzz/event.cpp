#include <stdexcept>

#include "taper/core/tensor.h"
#include "target.h"
#include "train/events/event_decoder.h"

void taper::fuzz::event(Bytes input) {
  attempt([&] {
    for (const train::SummaryValue& value : train::events::decode_event(text_of(input)).values) {
      const Tensor* const t = std::get_if<Tensor>(&value.data);
      constexpr std::int64_t kMaxElements = 1 << 16;  // one element may represent any number
      if (t && t->numel() <= kMaxElements && t->contiguous().numel() != t->numel())
        throw std::logic_error("a tensor lost elements");
    }
  });
}
