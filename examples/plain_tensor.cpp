// `to` converts registered parameters and buffers. A plain tensor member is not converted.
// examples/python/plain_tensor.py prints the same output.
#include <iostream>

#include <taper/taper.h>

using namespace taper;

struct Scaled : nn::Module {
  nn::Parameter weight{ones({2})};
  nn::Buffer offset{ones({2})};
  Tensor plain = ones({2});  // plain member: neither registered, converted nor saved
  TAPER_MODULE(Scaled, weight, offset)
  Tensor forward(const Tensor& x) const { return x * weight + offset; }
};

int main() {
  Scaled m;
  m.to(float64);
  std::cout << "weight " << m.weight.dtype() << "\noffset " << m.offset.dtype() << "\nplain "
            << m.plain.dtype() << '\n';
  Values keys;
  const Value state = m.state_dict();
  for (const auto& [key, tensor] : state.as_dict()) keys.push_back(key);
  std::cout << Value::list(keys) << '\n';
  m.to("meta");
  std::cout << "weight " << m.weight.device() << "\noffset " << m.offset.device() << "\nplain "
            << m.plain.device() << '\n';
}
