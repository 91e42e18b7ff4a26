// Adapter of oneDNN 2.6 and 3.x for the .onednn.cpp files, the only ones that include oneDNN.
#pragma once
// A name of our own for the classes of its header, so that the linker does not merge their
// functions with those of a program that includes another version.
#define dnnl taper_dnnl

#include <cstddef>
#include <cstdint>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/error.h"

namespace taper::cpu::onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

/// Returns the CPU engine, which is never destroyed, because the caches of threads use it.
dnnl::engine& engine();

/// Returns the calling thread's stream.
dnnl::stream& stream();

/// Returns false in a thread that ends, and when the process ends: oneDNN destroys its tables then,
/// before the destructors and exit handlers that were registered earlier have run.
bool is_usable();

/// Must be called after a primitive of one of `kMaxKinds` kinds was created, which may have created
/// tables.
void note_creation(std::size_t kind);
constexpr std::size_t kMaxKinds = 3;

inline void check(dnnl_status_t status, const char* what) {
  if (status != dnnl_success)
    throw RuntimeError(std::string(what) + ": rejected by oneDNN: got status " +
                       std::to_string(static_cast<int>(status)));
}

/// Returns a memory object without data, which are set for each run.
inline dnnl::memory empty_memory(const Desc& desc) {
  return dnnl::memory(desc, engine(), DNNL_MEMORY_NONE);
}

inline void set_data(const dnnl::memory& memory, const void* data) {
  check(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(data)), "memory");
}

/// Sets the number of OpenMP threads of the calling thread to 1 within a scope.
class OneOpenMpThread {
 public:
  OneOpenMpThread() noexcept;
  ~OneOpenMpThread();
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_;
};

/// Runs a primitive, on one thread, on memory objects whose data are set.
inline void run(const dnnl::primitive& primitive, const std::vector<dnnl_exec_arg_t>& arguments) {
  const OneOpenMpThread one_thread;
  check(dnnl_primitive_execute(primitive.get(), stream().get(), static_cast<int>(arguments.size()),
                               arguments.data()),
        "execute");
}

/// Returns attributes for primitives that receive their scratchpad at execution, so that all
/// primitives of a thread share one block.
inline dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

struct ConvDescs {
  Desc source, weights, bias, target;  // `bias` is empty unless has_bias
  Dims stride, dilation, padding, padding_end;
  bool has_bias = false;
};

using ConvForward = dnnl::convolution_forward::primitive_desc;
using ConvBackwardData = dnnl::convolution_backward_data::primitive_desc;
using ConvBackwardWeights = dnnl::convolution_backward_weights::primitive_desc;

#if DNNL_VERSION_MAJOR >= 3

inline ConvForward forward(const ConvDescs& c, dnnl::prop_kind kind) {
  const auto attr = user_scratchpad();
  if (c.has_bias)
    return ConvForward(engine(), kind, kDirect, c.source, c.weights, c.bias, c.target, c.stride,
                       c.dilation, c.padding, c.padding_end, attr);
  return ConvForward(engine(), kind, kDirect, c.source, c.weights, c.target, c.stride, c.dilation,
                     c.padding, c.padding_end, attr);
}
inline ConvBackwardData backward_data(const ConvDescs& c, const ConvForward& hint) {
  return ConvBackwardData(engine(), kDirect, c.source, c.weights, c.target, c.stride, c.dilation,
                          c.padding, c.padding_end, hint, user_scratchpad());
}
inline ConvBackwardWeights backward_weights(const ConvDescs& c, const ConvForward& hint) {
  const auto attr = user_scratchpad();
  if (c.has_bias)
    return ConvBackwardWeights(engine(), kDirect, c.source, c.weights, c.bias, c.target, c.stride,
                               c.dilation, c.padding, c.padding_end, hint, attr);
  return ConvBackwardWeights(engine(), kDirect, c.source, c.weights, c.target, c.stride, c.dilation,
                             c.padding, c.padding_end, hint, attr);
}

#else

inline ConvForward forward(const ConvDescs& c, dnnl::prop_kind kind) {
  const auto attr = user_scratchpad();
  if (c.has_bias)
    return ConvForward({kind, kDirect, c.source, c.weights, c.bias, c.target, c.stride, c.dilation,
                        c.padding, c.padding_end},
                       attr, engine());
  return ConvForward({kind, kDirect, c.source, c.weights, c.target, c.stride, c.dilation, c.padding,
                      c.padding_end},
                     attr, engine());
}
inline ConvBackwardData backward_data(const ConvDescs& c, const ConvForward& hint) {
  return ConvBackwardData(
      {kDirect, c.source, c.weights, c.target, c.stride, c.dilation, c.padding, c.padding_end},
      user_scratchpad(), engine(), hint);
}
inline ConvBackwardWeights backward_weights(const ConvDescs& c, const ConvForward& hint) {
  const auto attr = user_scratchpad();
  if (c.has_bias)
    return ConvBackwardWeights({kDirect, c.source, c.weights, c.bias, c.target, c.stride,
                                c.dilation, c.padding, c.padding_end},
                               attr, engine(), hint);
  return ConvBackwardWeights(
      {kDirect, c.source, c.weights, c.target, c.stride, c.dilation, c.padding, c.padding_end},
      attr, engine(), hint);
}

#endif

}  // namespace taper::cpu::onednn
