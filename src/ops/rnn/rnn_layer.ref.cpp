// Reference kernels: one row of one step after the other, computed in double.
#include <cmath>

#include "ops/kernel/dense.h"
#include "ops/rnn/rnn_layer.h"

namespace taper {
namespace {

using rnn::Mode;

/// Elements of a tensor in double, in row-major order. Empty if the tensor is absent.
struct Matrix {
  std::vector<double> values{};
  std::int64_t cols = 1;

  Matrix(std::int64_t rows, std::int64_t columns)
      : values(static_cast<std::size_t>(rows * columns)), cols(columns) {}
  Matrix(const KernelArgs& k, int at) {
    if (!k.has(at)) return;
    const View& v = k.in[static_cast<std::size_t>(at)];
    cols = v.shape->back();
    values.reserve(static_cast<std::size_t>(v.numel));
    kernel::walk<1>(*v.shape, {&v}, [&](const std::array<std::int64_t, 1>& offset) {
      values.push_back(kernel::load<double>(v.data + offset[0], v.dtype));
    });
  }
  bool given() const { return !values.empty(); }
  double* operator[](std::int64_t row) { return values.data() + row * cols; }
  const double* operator[](std::int64_t row) const { return values.data() + row * cols; }
  void store(const View& to) const {
    if (!to.shape) return;
    const double* from = values.data();
    kernel::walk<1>(*to.shape, {&to}, [&](const std::array<std::int64_t, 1>& offset) {
      kernel::store(to.data + offset[0], to.dtype, *from++);
    });
  }
};

/// Returns a(row) . b(row).
double dot(const double* a, const double* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Computes a row: its part of the workspace from the products of the input (x) and of the state
/// (s). c is the cell state, which is updated.
void compute_row(Mode mode, std::int64_t size, const double* x, const double* s, const double* h,
                 double* c, double* saved) {
  for (std::int64_t j = 0; j < size; ++j) {
    const auto gate = [&](std::int64_t g) { return x[g * size + j] + s[g * size + j]; };
    const auto save = [&](std::int64_t part, double v) { return saved[part * size + j] = v; };
    double next;
    if (mode == Mode::lstm) {
      const double i = save(0, sigmoid(gate(0))), f = save(1, sigmoid(gate(1)));
      const double g = save(2, std::tanh(gate(2))), o = save(3, sigmoid(gate(3)));
      c[j] = save(4, f * c[j] + i * g);
      next = o * std::tanh(c[j]);
    } else if (mode == Mode::gru) {
      const double reset = save(0, sigmoid(gate(0))), z = save(1, sigmoid(gate(1)));
      const double sum = save(3, s[2 * size + j]);
      const double n = save(2, std::tanh(x[2 * size + j] + reset * sum));
      next = (h[j] - n) * z + n;
    } else {
      next = mode == Mode::rnn_tanh ? std::tanh(gate(0)) : gate(0) < 0 ? 0 : gate(0);
    }
    save(rnn::hidden_part(mode), next);
  }
}

/// Computes the gradients of a row: those of the gates, of the cell state before the step, and the
/// part of the gradient of h before the step that does not come from the recurrent products.
void differentiate_row(Mode mode, std::int64_t size, const double* saved, const double* previous,
                       const double* dh, double* dc, double* gates, double* rest) {
  for (std::int64_t j = 0; j < size; ++j) {
    const auto part = [&](std::int64_t p) { return saved[p * size + j]; };
    const auto store = [&](std::int64_t g, double v) { gates[g * size + j] = v; };
    rest[j] = 0;
    if (mode == Mode::lstm) {
      const double i = part(0), f = part(1), g = part(2), o = part(3), c = std::tanh(part(4));
      const double to_c = dc[j] + dh[j] * o * (1 - c * c);
      store(0, to_c * g * i * (1 - i));
      store(1, to_c * previous[j] * f * (1 - f));
      store(2, to_c * i * (1 - g * g));
      store(3, dh[j] * c * o * (1 - o));
      dc[j] = to_c * f;
    } else if (mode == Mode::gru) {
      const double reset = part(0), z = part(1), n = part(2), sum = part(3);
      const double dn = dh[j] * (1 - z) * (1 - n * n);
      store(0, dn);
      store(1, dn * sum * reset * (1 - reset));
      store(2, dh[j] * (previous[j] - n) * z * (1 - z));
      store(3, dn * reset);
      rest[j] = dh[j] * z;
    } else {
      const double y = part(0);
      store(0, mode == Mode::rnn_tanh ? dh[j] * (1 - y * y) : y <= 0 ? 0 : dh[j]);
    }
  }
}

}  // namespace

template <> void reference_kernel(const RnnLayer& o, const KernelArgs& k) {
  const Mode mode = *rnn::mode_of(o.mode);
  const Matrix x(k, 0), w(k, 1), u(k, 2), b(k, 3), v(k, 4), hx(k, 5), cx(k, 6);
  const std::int64_t rows = (*k.in[0].shape)[0], inputs = (*k.in[0].shape)[1];
  const std::int64_t size = (*k.in[2].shape)[1], gates = (*k.in[2].shape)[0];
  const std::int64_t batch = o.batch_sizes[0], state_part = rnn::hidden_part(mode) * size;
  Matrix h(batch, size), c(batch, size), output(rows, size);
  Matrix saved(rows, rnn::workspace_parts(mode) * size);
  if (hx.given()) h.values = hx.values;
  if (cx.given()) c.values = cx.values;
  std::vector<double> of_input(static_cast<std::size_t>(gates)), of_state = of_input;
  for (const rnn::Step& step : rnn::steps_of(o.batch_sizes, o.reverse))
    for (std::int64_t r = 0; r < step.rows; ++r) {
      const std::int64_t row = step.offset + r;
      for (std::int64_t g = 0; g < gates; ++g) {
        const auto at = static_cast<std::size_t>(g);
        of_input[at] = dot(x[row], w[g], inputs) + (b.given() ? b.values[at] : 0);
        of_state[at] = dot(h[r], u[g], size) + (v.given() ? v.values[at] : 0);
      }
      compute_row(mode, size, of_input.data(), of_state.data(), h[r], c[r], saved[row]);
      std::copy_n(saved[row] + state_part, size, h[r]);
      std::copy_n(saved[row] + state_part, size, output[row]);
    }
  output.store(k.out[0]);
  h.store(k.out[1]);
  c.store(k.out[2]);
  saved.store(k.out[3]);
}

template <> void reference_kernel(const RnnLayerBackward& o, const KernelArgs& k) {
  const Mode mode = *rnn::mode_of(o.mode);
  const Matrix x(k, 0), w(k, 1), u(k, 2), hx(k, 3), cx(k, 4), saved(k, 5), dy(k, 6);
  const Matrix dhy(k, 7), dcy(k, 8);
  const std::int64_t rows = (*k.in[0].shape)[0], inputs = (*k.in[0].shape)[1];
  const std::int64_t size = (*k.in[2].shape)[1], gates = (*k.in[2].shape)[0];
  const std::int64_t batch = o.batch_sizes[0];
  Matrix dx(rows, inputs), dw(gates, inputs), du(gates, size), biases(2, gates);
  Matrix dh(batch, size), dc(batch, size);
  if (dhy.given()) dh.values = dhy.values;
  if (dcy.given()) dc.values = dcy.values;
  const std::vector<rnn::Step> steps = rnn::steps_of(o.batch_sizes, o.reverse);
  const std::vector<double> zeros(static_cast<std::size_t>(size));
  std::vector<double> gate(static_cast<std::size_t>(rnn::gradient_parts(mode) * size));
  std::vector<double> rest(static_cast<std::size_t>(size));
  // Part of `saved`, or initial value, of row r before step s.
  const auto before = [&](std::size_t s, std::int64_t r, std::int64_t part, const Matrix& initial) {
    if (s > 0 && r < steps[s - 1].rows) return saved[steps[s - 1].offset + r] + part * size;
    return initial.given() ? initial[r] : zeros.data();
  };
  for (std::size_t s = steps.size(); s-- > 0;)
    for (std::int64_t r = 0; r < steps[s].rows; ++r) {
      const std::int64_t row = steps[s].offset + r;
      for (std::int64_t j = 0; dy.given() && j < size; ++j) dh[r][j] += dy[row][j];
      const double* const h = before(s, r, rnn::hidden_part(mode), hx);
      const double* const previous = mode == Mode::lstm ? before(s, r, 4, cx) : h;
      differentiate_row(mode, size, saved[row], previous, dh[r], dc[r], gate.data(), rest.data());
      for (std::int64_t g = 0; g < gates; ++g) {
        // The gradients of a GRU are in the order n r z s (see rnn::gradient_parts).
        const std::int64_t input_gate = mode == Mode::gru ? (g + size) % gates : g;
        const double of_input = gate[static_cast<std::size_t>(input_gate)];
        const double of_state = gate[static_cast<std::size_t>(mode == Mode::gru ? g + size : g)];
        for (std::int64_t i = 0; i < inputs; ++i) {
          dx[row][i] += of_input * w[g][i];
          dw[g][i] += of_input * x[row][i];
        }
        for (std::int64_t j = 0; j < size; ++j) {
          rest[static_cast<std::size_t>(j)] += of_state * u[g][j];
          du[g][j] += of_state * h[j];
        }
        biases[0][g] += of_input;
        biases[1][g] += of_state;
      }
      std::copy_n(rest.data(), size, dh[r]);
    }
  const Matrix* const results[] = {&dx, &dw, &du, &biases, &dh, &dc};
  for (std::size_t i = 0; i < 6; ++i) results[i]->store(k.out[i]);
}

}  // namespace taper
