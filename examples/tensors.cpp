// Tensors: creation, conversion, elements, indexing, views and changes in place.
// examples/python/tensors.py prints the same output.
#include <array>
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

#include <taper/taper.h>

using namespace taper;

namespace {

void print(const auto& x) { std::cout << x << '\n'; }
void print(bool x) { print(x ? "True" : "False"); }

void factories() {
  const Tensor a = zeros({2, 3});
  const Tensor b = ones({2, 3}, {.dtype = int64});
  const Tensor c = full({2}, 0.5);
  const Tensor d = arange(6);
  const Tensor e = arange(1, 2, 0.25);
  const Tensor f = linspace(0, 1, 5);
  const Tensor g = eye(2);
  const Tensor h = zeros_like(b);
  const Tensor i = empty({0, 4}, {.dtype = float64});
  for (const Tensor& x : {a, b, c, d, e, f, g, h, i}) print(x);
}

void random_numbers() {
  manual_seed(0);
  const Tensor a = rand({2, 2});
  const Tensor b = randn({3}, {.dtype = float64});
  const Tensor c = randint(10, {4});
  const Tensor d = randint(-5, 5, {4});
  const Tensor e = randperm(5);
  const Tensor f = bernoulli(full({4}, 0.5));
  const Tensor g = empty({3}).uniform_(-1, 1);
  for (const Tensor& x : {a, b, c, d, e, f, g}) print(x);
}

void values() {
  const Tensor a = tensor(3.5);
  const Tensor b = tensor({1, 2, 3});
  const Tensor c = tensor({{1, 2, 3}, {4, 5, 6}}, {.dtype = float32});
  const Tensor d = tensor({true, false});
  const std::vector<float> numbers{0.5, 1.5};
  const std::array<std::array<double, 2>, 2> rows{{{1, 2}, {3, 4}}};
  const Tensor e = tensor(numbers);  // float32: the dtype is that of the C++ type
  const Tensor f = tensor(rows);     // float64
  const Tensor g = tensor(std::span<const float>(numbers), {2, 1});
  for (const Tensor& x : {a, b, c, d, e, f, g}) print(x);
}

void memory_of_the_program() {
  std::vector<float> pixels{0, 1, 2, 3, 4, 5};
  const Tensor image = from_blob(pixels.data(), {2, 3});
  pixels[0] = 9;
  image[1] = 7;
  print(image);
  print(pixels[5]);
}

void conversion() {
  const Tensor x = tensor({0.2, 1.7, -2.5});
  const Tensor a = x.to(float64);
  const Tensor b = x.to(int64);  // toward zero
  const Tensor c = x.to(bool_);
  const Tensor d = x.to(a);  // dtype and device of a
  const Tensor e = x.to("meta");
  const Tensor f = x.to("cpu", float16);
  for (const Tensor& y : {a, b, c, d, e, f}) print(y.dtype());
  print(b);
  print(e.device());
  print(promote_types(int64, float32));
  print((b + 0.5).dtype());
}

void elements() {
  const Tensor x = tensor({{1, 2}, {3, 4}}, {.dtype = float32});
  const auto total = x.sum().item<double>();
  const auto largest = x.argmax().item<std::int64_t>();
  const bool positive = (x > 0).all().item<bool>();
  double sum = 0;
  for (const float value : x.data<float>()) sum += value;
  const Tensor columns = x.t().contiguous();  // a span requires contiguous elements
  const std::span<const float> transposed = columns.data<float>();
  x.mutable_data<float>()[3] = 8;
  print(total + sum);
  print(largest);
  print(positive);
  print(transposed[1]);
  print(x.tolist());
  print(x.size(0) * x.size(-1) == x.numel());
}

void indexing() {
  const Tensor x = arange(12).reshape({3, 4});
  const Tensor row = x[0];
  const Tensor last = x[-1][2];
  const Tensor rows = x[Slice{0, 2}];
  const Tensor column = x[{Slice{}, 1}];
  const Tensor even = x[{ellipsis, Slice{.step = 2}}];
  const Tensor inserted = x[{0, newaxis}];
  const Tensor masked = x[x > 8];
  const Tensor chosen = x[tensor({2, 0})];
  const Tensor pairs = x[{tensor({0, 1}), tensor({2, 3})}];
  for (const Tensor& y : {row, last, rows, column, even, inserted, masked, chosen, pairs}) print(y);
}

void assignment() {
  Tensor x = zeros({3, 4});
  x[0] = 1;
  x[{Slice{}, 1}] = tensor({5.0, 6.0, 7.0});
  x[{2, Slice{.start = 2}}] += 3;
  x[x > 6] = -1;
  Tensor row = x[1];
  row.fill_(2);      // writes to x
  row = zeros({4});  // rebinds the handle, as in Python
  print(x);
}

void views() {
  const Tensor x = arange(6);
  const Tensor a = x.view({2, 3});
  const Tensor b = a.t();
  const Tensor c = b.reshape({-1});  // a copy: the elements of b are not in this order
  const Tensor d = x.unsqueeze(0).expand({2, 6});
  const Tensor e = x.clone();
  x[0] = 9;
  for (const Tensor& y : {a, b, c, d, e}) print(y);
  const auto parts = x.split(4);
  print(parts[1]);
  print(b.is_contiguous());
}

void in_place() {
  Tensor x = ones({3});
  Tensor y = x;  // the same tensor; x.clone() is a copy
  y.add_(1).mul_(2);
  y += 0.5;
  print(x);
  y = y + 1;  // a new tensor
  print(x.is_same(y));
  x.clamp_(0, 3).copy_(arange(3));
  print(x);
}

void broadcasting() {
  const Tensor column = tensor({{0}, {10}, {20}});
  print(column + arange(4));
  const auto [largest, where] = (column + arange(4)).max(1);
  print(largest);
  print(where);
  print(column.sum(0, true));
}

}  // namespace

int main() {
  factories();
  random_numbers();
  values();
  memory_of_the_program();
  conversion();
  elements();
  indexing();
  assignment();
  views();
  in_place();
  broadcasting();
}
