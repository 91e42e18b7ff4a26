#include "io/dcp/metadata.h"
#include "io/dcp/nested_state.h"
#include "target.h"

namespace taper::fuzz {

void distributed(Bytes input) {
  attempt([&] {
    const auto metadata = io::parse_dcp_metadata(input, "fuzz/.metadata");
    io::NestedState state;
    bool is_writable = true;
    for (const auto& entry : metadata.entries) {
      static_cast<void>(state.set(entry.path, Value(1)));
      is_writable = is_writable && (!entry.tensor || entry.tensor->dtype);
    }
    static_cast<void>(state.value());
    if (is_writable) static_cast<void>(io::serialize_dcp_metadata(metadata));
  });
}

}  // namespace taper::fuzz
