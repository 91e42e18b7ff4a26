#include "ops/guarded_launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <new>
#include <vector>

#include "ops/kernel/reference.h"

namespace taper::optest {
namespace {

constexpr std::size_t kAlign = 64, kZone = 256;  // size of a guard zone: a multiple of kAlign
constexpr std::byte kGuard{0x3c};

/// Copy of an output with a guard zone on each side.
class GuardedOutput {
 public:
  /// Allocates the copy of `out`. If `overwritten` is true, as for ops that work in place, copies
  /// the elements; otherwise fills them with `poison`.
  GuardedOutput(const View& out, bool overwritten, std::byte poison) : out_(out) {
    const auto size = size_of(out.dtype);
    // The copy has the alignment of the original, because kernels may depend on it.
    front_ = kZone + reinterpret_cast<std::uintptr_t>(out.data) % kAlign;
    bytes_ = front_ + static_cast<std::size_t>(extent_of(out)) * size + kZone;
    memory_ = static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{kAlign}));
    std::fill_n(memory_, bytes_, kGuard);
    is_element_.resize(bytes_);
    each_element([&](std::size_t at, std::byte* original) {
      std::memset(is_element_.data() + at, 1, size);
      if (overwritten)
        std::memcpy(memory_ + at, original, size);
      else
        std::fill_n(memory_ + at, size, poison);
    });
    before_.assign(memory_, memory_ + bytes_);
  }
  GuardedOutput(const GuardedOutput&) = delete;
  GuardedOutput& operator=(const GuardedOutput&) = delete;
  ~GuardedOutput() { ::operator delete (memory_, std::align_val_t{kAlign}); }

  View view() const {
    View v = out_;
    v.data = memory_ + front_, v.storage = nullptr;
    return v;
  }
  void check(std::string_view op, std::size_t output) const {
    const unsigned char* const is_element = is_element_.data();
    for (std::size_t i = 0; i < bytes_; ++i)
      if (!is_element[i] && memory_[i] != kGuard) {
        ADD_FAILURE() << "the kernel of " << op << " wrote at byte "
                      << static_cast<std::int64_t>(i) - static_cast<std::int64_t>(front_)
                      << " of output " << output << ", which is not part of an element";
        return;
      }
    if (out_.dtype != DType::bool_) return;
    bool valid = true;
    each_element([&](std::size_t at, std::byte*) { valid &= memory_[at] <= std::byte{1}; });
    EXPECT_TRUE(valid) << "the kernel of " << op << " left or wrote an invalid bool in output "
                       << output;
  }
  /// Checks that a kernel that rejected the call wrote neither to the elements nor to the guard
  /// bytes of the copy. `output` is the index of the output.
  void check_unchanged(std::string_view op, std::size_t output) const {
    EXPECT_TRUE(std::equal(before_.begin(), before_.end(), memory_))
        << "the kernel of " << op << " rejected a call after it wrote to output " << output;
  }
  void copy_back() const {
    each_element([&](std::size_t at, std::byte* original) {
      std::memcpy(original, memory_ + at, size_of(out_.dtype));
    });
  }

 private:
  template <class F> void each_element(F&& f) const {
    kernel::walk(*out_.shape, std::array<const View*, 1>{&out_},
                 [&](const std::array<std::int64_t, 1>& at) {
                   f(front_ + static_cast<std::size_t>(at[0]), out_.data + at[0]);
                 });
  }

  View out_;
  std::size_t front_ = 0, bytes_ = 0;
  std::byte* memory_ = nullptr;
  std::vector<unsigned char> is_element_{};  // not bool: reading bits is slow without optimization
  std::vector<std::byte> before_{};
};

}  // namespace

void GuardedLaunch::launch(const OpDescriptor& table, const void* attributes,
                           const KernelArgs& args) {
  std::vector<View> ins(args.in.begin(), args.in.end()), outs(args.out.begin(), args.out.end());
  std::list<GuardedOutput> guarded;
  std::vector<GuardedOutput*> of_output(outs.size());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].shape || outs[i].numel == 0) continue;
    const std::byte* const data = outs[i].data;
    const auto is_output = [&](const View& in) { return in.shape && in.data == data; };
    const bool in_place = std::any_of(ins.begin(), ins.end(), is_output);
    of_output[i] = &guarded.emplace_back(outs[i], in_place, poison_);
    outs[i] = of_output[i]->view();
    for (View& in : ins)
      if (is_output(in)) in.data = outs[i].data, in.storage = nullptr;
  }
  const KernelArgs guarded_args{ins, outs, args.compute};
  const bool asked = kernels_ == Kernels::all && table.cpu_kernel;
  if (asked && table.cpu_kernel(attributes, guarded_args)) {
    ++num_accepted_;
  } else {
    for (std::size_t i = 0; asked && i < outs.size(); ++i)
      if (of_output[i]) of_output[i]->check_unchanged(table.info.name, i);
    table.reference_kernel(attributes, guarded_args);
  }
  for (std::size_t i = 0; i < outs.size(); ++i)
    if (of_output[i]) {
      of_output[i]->check(table.info.name, i);
      of_output[i]->copy_back();
    }
}

}  // namespace taper::optest
