// expect: assign the tensor to a variable first
#include <span>
#include <utility>
#include <vector>

#include "taper/core/factory.h"
#include "taper/core/tensor.h"
using namespace taper;

Tensor make();

void test(Tensor named, const Tensor& constant, const std::vector<Tensor>& list) {
  (void)named.data<float>(), (void)constant.data<const float>(), (void)list[0].data<float>();
  (void)named.grad().data<float>(), (void)make().data(), (void)make().const_data_ptr<float>();
  named.mutable_data<float>()[0] = constant.data<float>()[1];
  const auto kept = named.contiguous().data<float>();                 // rejected
  for (const float v : (named + 1).data<float>()) (void)v;            // rejected
  (void)make().data<float>()[0];                                      // rejected
  std::span<const float> span = std::move(named).data<float>();       // rejected
  constant[0].mutable_data<float>()[0] = 1;                           // rejected
  const std::span<float> written = zeros({3}).mutable_data<float>();  // rejected
}
