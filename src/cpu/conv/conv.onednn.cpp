// Convolutions on oneDNN. It runs on one thread in each part of a `parallel_for`: unlike a region
// of OpenMP, that does not wait for threads that are not running.
#include <algorithm>
#include <cstring>
#include <optional>

#include "cpu/conv/conv.h"
#include "cpu/conv/geometry.h"
#include "cpu/conv/slice_sums.h"
#include "cpu/conv/work.h"
#include "cpu/onednn/cache.h"
#include "cpu/onednn/onednn.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"

namespace taper::cpu::conv_onednn {
namespace {

using namespace onednn;

enum class Pass : std::int64_t { forward, backward_data, backward_weights };

std::size_t align_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// One argument of a primitive: the caller's memory, and the memory in the primitive's layout.
struct Operand {
  dnnl::memory user, internal;
  std::optional<dnnl::reorder> reorder;
  std::size_t bytes = 0;  // size of the reordered copy; 0 if there is none

  Operand(const Desc& user_desc, const Desc& inner_desc, bool is_output)
      : user(empty_memory(user_desc)), internal(user) {
    if (user_desc == inner_desc) return;
    internal = empty_memory(inner_desc);
    reorder = is_output ? dnnl::reorder(internal, user) : dnnl::reorder(user, internal);
    bytes = align_up(inner_desc.get_size());
  }

  /// Sets the data of the caller and assigns the memory at `at` to the reordered copy, advancing
  /// `at`.
  void bind_memory(const void* data, char*& at) const {
    set_data(user, data);
    if (!reorder) return;
    set_data(internal, at);
    at += bytes;
  }
  void read() const {
    if (reorder) run(*reorder, {{DNNL_ARG_FROM, user.get()}, {DNNL_ARG_TO, internal.get()}});
  }
  void write() const {
    if (reorder) run(*reorder, {{DNNL_ARG_FROM, internal.get()}, {DNNL_ARG_TO, user.get()}});
  }
};

struct Entry {
  dnnl::primitive primitive;
  Operand first, second, result;  // in the order of the pass's arguments
  dnnl::memory bias, scratchpad;
  std::array<int, 3> argument_ids;
  int bias_id = 0;  // 0 if the primitive does not have a bias
  std::size_t scratch_bytes;

  std::size_t bytes(bool with_second) const {
    return align_up(scratch_bytes) + first.bytes + (with_second ? second.bytes : 0) + result.bytes;
  }
  void execute(const dnnl::memory& second_inner) const {
    std::vector<dnnl_exec_arg_t> arguments{{argument_ids[0], first.internal.get()},
                                           {argument_ids[1], second_inner.get()},
                                           {argument_ids[2], result.internal.get()},
                                           {DNNL_ARG_SCRATCHPAD, scratchpad.get()}};
    if (bias_id != 0) arguments.push_back({bias_id, bias.get()});
    run(primitive, arguments);
  }
};

Dims with_spatial(std::int64_t a, std::int64_t b, const std::array<std::int64_t, 3>& s, int n) {
  Dims d{a, b};
  d.insert(d.end(), s.begin(), s.begin() + n);
  return d;
}

std::unique_ptr<Entry> make_entry(const ConvParams& c, Pass pass, bool with_bias) {
  const int n = c.spatial;
  constexpr Tag last[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  constexpr Tag weights[] = {Tag::oiw, Tag::oihw, Tag::oidhw};
  constexpr Tag grouped[] = {Tag::goiw, Tag::goihw, Tag::goidhw};
  const auto at = static_cast<std::size_t>(n - 1);

  const Dims x = with_spatial(c.batch, c.in_channels, c.input, n);
  const Dims y = with_spatial(c.batch, c.out_channels, c.output, n);
  Dims w = with_spatial(c.out_channels / c.groups, c.in_channels / c.groups, c.kernel, n);
  if (c.groups > 1) w.insert(w.begin(), c.groups);
  const Desc user_x(x, kFloat, last[at]), user_y(y, kFloat, last[at]);
  const Desc user_w(w, kFloat, c.groups > 1 ? grouped[at] : weights[at]);
  const Desc user_b({c.out_channels}, kFloat, Tag::a);

  ConvDescs d;
  d.source = user_x;
  d.weights = Desc(w, kFloat, Tag::any);
  d.target = user_y;
  d.bias = user_b;
  d.has_bias = with_bias;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    d.stride.push_back(c.stride[i]);
    d.dilation.push_back(c.dilation[i] - 1);
    d.padding.push_back(c.padding[i]);
    d.padding_end.push_back(c.padding_end[i]);
  }

  const auto entry = [&](const auto& pd, const Operand& first, const Operand& second,
                         const Operand& result, std::array<int, 3> argument_ids, int bias_id) {
    using Primitive = dnnl::primitive;
    return std::make_unique<Entry>(Entry{Primitive(pd), first, second, result, empty_memory(user_b),
                                         empty_memory(pd.scratchpad_desc()), argument_ids, bias_id,
                                         pd.scratchpad_desc().get_size()});
  };
  const auto pd = forward(d, dnnl::prop_kind::forward_training);
  if (pass == Pass::forward)
    return entry(pd, Operand(user_x, pd.src_desc(), false),
                 Operand(user_w, pd.weights_desc(), false), Operand(user_y, pd.dst_desc(), true),
                 {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}, with_bias ? DNNL_ARG_BIAS : 0);
  if (pass == Pass::backward_data) {
    const auto back = backward_data(d, pd);
    return entry(back, Operand(user_y, back.diff_dst_desc(), false),
                 Operand(user_w, back.weights_desc(), false),
                 Operand(user_x, back.diff_src_desc(), true),
                 {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC}, 0);
  }
  const auto back = backward_weights(d, pd);
  return entry(
      back, Operand(user_x, back.src_desc(), false), Operand(user_y, back.diff_dst_desc(), false),
      Operand(user_w, back.diff_weights_desc(), true),
      {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS}, with_bias ? DNNL_ARG_DIFF_BIAS : 0);
}

const Entry& find_or_make_entry(const ConvParams& c, Pass pass, bool with_bias) {
  const OneOpenMpThread one_thread;  // the code that oneDNN generates depends on the number
  Key key{static_cast<std::int64_t>(pass),
          with_bias,
          c.spatial,
          c.batch,
          c.in_channels,
          c.out_channels,
          c.groups};
  std::size_t k = 7;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.spatial); ++i)
    for (const std::int64_t v : {c.input[i], c.kernel[i], c.output[i], c.stride[i], c.dilation[i],
                                 c.padding[i], c.padding_end[i]})
      key[k++] = v;
  return cached<Entry>(key, [&] {
    try {
      auto entry = make_entry(c, pass, with_bias);
      note_creation(static_cast<std::size_t>(pass));
      return entry;
    } catch (const dnnl::error& e) {
      throw NotImplementedError(std::string("convolution: rejected by oneDNN: got ") + e.what());
    }
  });
}

// Prepacked weights: a separate memory object, which is filled once and then only read.
struct OnednnPrepackedWeights : PrepackedWeights {
  dnnl::memory memory;
  explicit OnednnPrepackedWeights(const Operand& weights)
      : memory(weights.internal.get_desc(), engine()) {
    run(*weights.reorder, {{DNNL_ARG_FROM, weights.user.get()}, {DNNL_ARG_TO, memory.get()}});
  }
};

void run_with_weights(const Entry& e, const float* in, const float* w, float* out,
                      PrepackedWeightCache* packed) {
  const bool use_cache = packed != nullptr && e.second.reorder.has_value();
  const Scratch scratch(e.bytes(!use_cache));
  char* at = scratch.as<char>();
  set_data(e.scratchpad, at);
  at += align_up(e.scratch_bytes);
  e.first.bind_memory(in, at);
  e.result.bind_memory(out, at);
  e.first.read();
  if (use_cache) {
    const OnednnPrepackedWeights& form = packed->find_or_create<OnednnPrepackedWeights>(
        [&](const OnednnPrepackedWeights& f) {
          return f.memory.get_desc() == e.second.internal.get_desc();
        },
        [&] {
          set_data(e.second.user, w);
          return std::make_unique<OnednnPrepackedWeights>(e.second);
        });
    e.execute(form.memory);
  } else {
    e.second.bind_memory(w, at);
    e.second.read();
    e.execute(e.second.internal);
  }
  e.result.write();
}

std::int64_t num_elements(std::int64_t channels, const std::array<std::int64_t, 3>& extents) {
  return channels * extents[0] * extents[1] * extents[2];
}

// Returns the convolution of output rows [begin, end), and sets `input_row` to the first row of the
// input that it reads.
ConvParams output_rows(const ConvParams& c, std::int64_t begin, std::int64_t end,
                       std::int64_t& input_row) {
  const std::int64_t first = begin * c.stride[0] - c.padding[0];
  const std::int64_t last =
      (end - 1) * c.stride[0] - c.padding[0] + c.dilation[0] * (c.kernel[0] - 1) + 1;
  input_row = std::clamp<std::int64_t>(first, 0, c.input[0] - 1);
  const std::int64_t input_end = std::clamp<std::int64_t>(last, input_row + 1, c.input[0]);
  ConvParams part = c;
  part.output[0] = end - begin;
  part.input[0] = input_end - input_row;
  part.padding[0] = input_row - first;
  part.padding_end[0] = last - input_end;
  return part;
}

// Calls f(part, first image) for parts of the batch.
template <class F> void for_each_batch(const ConvParams& c, F&& f) {
  const std::int64_t work = std::max<std::int64_t>(ConvGeometry(c).multiply_adds() / c.batch, 1);
  parallel_for(0, c.batch, 1 + kMinParallelWork / work, [&](std::int64_t begin, std::int64_t end) {
    ConvParams part = c;
    part.batch = end - begin;
    f(part, begin);
  });
}

}  // namespace

bool is_usable() { return onednn::is_usable(); }

void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* packed) {
  const auto run_part = [&](const ConvParams& part, const float* from, float* to) {
    const Entry& e = find_or_make_entry(part, Pass::forward, bias != nullptr);
    if (bias != nullptr) set_data(e.bias, bias);
    run_with_weights(e, from, w, to, packed);
  };
  const std::int64_t input = num_elements(c.in_channels, c.input),
                     output = num_elements(c.out_channels, c.output);
  if (c.batch >= available_threads())
    return for_each_batch(c, [&](const ConvParams& part, std::int64_t image) {
      run_part(part, x + image * input, y + image * output);
    });
  const std::int64_t rows = c.output[0];
  const std::int64_t work =
      std::max<std::int64_t>(ConvGeometry(c).multiply_adds() / (c.batch * rows), 1);
  // Every output row must read a row of the input.
  const std::int64_t reach = c.dilation[0] * (c.kernel[0] - 1);
  const bool can_split = c.padding[0] <= reach && c.padding_end[0] <= reach;
  const std::int64_t grain = can_split ? 1 + kMinParallelWork / work : rows;
  for (std::int64_t image = 0; image < c.batch; ++image)
    parallel_for(0, rows, grain, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t input_row = 0;
      ConvParams part = end - begin == rows ? c : output_rows(c, begin, end, input_row);
      part.batch = 1;
      run_part(part, x + image * input + input_row * (input / c.input[0]),
               y + image * output + begin * (output / rows));
    });
}

void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* packed) {
  for_each_batch(c, [&](const ConvParams& part, std::int64_t image) {
    run_with_weights(find_or_make_entry(part, Pass::backward_data, false),
                     dy + image * num_elements(c.out_channels, c.output), w,
                     dx + image * num_elements(c.in_channels, c.input), packed);
  });
}

namespace {

void backward_weights_of_slice(const ConvParams& c, const float* x, const float* dy, float* dw,
                               float* db) {
  const Entry& e = find_or_make_entry(c, Pass::backward_weights, db != nullptr);
  const Scratch scratch(e.bytes(true));
  char* at = scratch.as<char>();
  set_data(e.scratchpad, at);
  at += align_up(e.scratch_bytes);
  e.first.bind_memory(x, at);
  e.second.bind_memory(dy, at);
  e.result.bind_memory(dw, at);
  if (db != nullptr) set_data(e.bias, db);
  e.first.read();
  e.second.read();
  e.execute(e.second.internal);
  e.result.write();
}

}  // namespace

void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db) {
  const std::int64_t size = num_elements(c.in_channels / c.groups, c.kernel) * c.out_channels;
  SliceSums slices(size + c.out_channels, c.batch, ConvGeometry(c).multiply_adds());
  const float* const total = slices.compute([&](std::int64_t image, std::int64_t end, float* sums) {
    ConvParams part = c;
    part.batch = end - image;
    backward_weights_of_slice(part, x + image * num_elements(c.in_channels, c.input),
                              dy + image * num_elements(c.out_channels, c.output), sums,
                              db == nullptr ? nullptr : sums + size);
  });
  std::copy_n(total, size, dw);
  if (db != nullptr) std::copy_n(total + size, c.out_channels, db);
}

}  // namespace taper::cpu::conv_onednn
