#include "taper/profiler/record_function.h"

#include "core/observer.h"

namespace taper::profiler {

struct RecordFunction::Scope {
  ObservedScope observed;
};

RecordFunction::RecordFunction(std::string_view name) {
  if (is_observed())
    scope_.reset(new Scope{ObservedScope([&] { return ScopeInfo{.name = std::string(name)}; })});
}
RecordFunction::~RecordFunction() = default;

}  // namespace taper::profiler
