#include "files/walk.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/strided.h"
#include "core/tensor_impl.h"
#include "taper/io/foreign_tensor.h"

namespace taper::oracle {
namespace {

__extension__ using Wide = __int128;  // 128 bits, so that 64-bit operands cannot overflow

class Walker {
 public:
  WalkResult walk(const Value& root) {
    pending_.emplace_back(&root, 0);
    while (!pending_.empty()) {
      const auto [v, depth] = pending_.back();
      pending_.pop_back();
      visit(*v, depth);
    }
    result_.summary = std::to_string(num_values_) + " parts, " + std::to_string(tensors_) +
                      " tensors over " + std::to_string(result_.storage_bytes) +
                      " bytes, deepest " + std::to_string(max_depth_) + "\n" + outline_;
    return result_;
  }

 private:
  bool is_new(const void* impl_ref) { return seen_.insert(impl_ref).second; }
  void enqueue(const Value& v, std::size_t depth) { pending_.emplace_back(&v, depth + 1); }

  void visit(const Value& v, std::size_t depth) {
    ++num_values_;
    max_depth_ = std::max(max_depth_, depth);
    append_outline(v, depth);
    switch (v.kind()) {
      case Value::Kind::tensor: return tensor(v.as_tensor());
      case Value::Kind::list:
      case Value::Kind::tuple:
      case Value::Kind::set:
        if (is_new(&v.as_sequence()))
          for (const Value& item : v.as_sequence()) enqueue(item, depth);
        return;
      case Value::Kind::dict:
        if (is_new(&v.as_dict())) {
          entries(v.as_dict().entries(), depth);
          enqueue(v.as_dict().attributes(), depth);
        }
        return;
      case Value::Kind::opaque:
        if (const Opaque& o = v.as_opaque(); is_new(&o)) {
          if (const std::optional<ForeignTensor> t = foreign_tensor(v)) foreign(*t);
          for (const Value* part : {&o.callable, &o.arguments, &o.state}) enqueue(*part, depth);
          for (const Value& item : o.items) enqueue(item, depth);
          entries(o.entries, depth);
        }
        return;
      default: return;
    }
  }
  void entries(const std::vector<Dict::Entry>& all, std::size_t depth) {
    for (const auto& [key, value] : all) enqueue(key, depth), enqueue(value, depth);
  }

  void check(const Shape& shape, const Shape& strides, std::int64_t offset, std::size_t bits,
             std::size_t bytes) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
    const auto extent = storage_extent(shape, strides, offset);
    if (!extent ||
        static_cast<Wide>(*extent) * static_cast<Wide>(bits) > static_cast<Wide>(bytes) * 8)
      result_.wrong = "a tensor of shape " + shape.str() + " exceeds its storage";
  }
  void foreign(const ForeignTensor& t) {
    if (t.item_bits > 0)
      check(t.shape, t.strides, t.offset, static_cast<std::size_t>(t.item_bits),
            impl(t.bytes).storage->bytes());
  }

  void tensor(const Tensor& t) {
    ++tensors_;
    const TensorImpl& impl_ref = impl(t);
    check(impl_ref.shape, impl_ref.strides, impl_ref.offset, 8 * size_of(impl_ref.dtype),
          impl_ref.storage->bytes());
    if (!is_new(impl_ref.storage.get())) return;
    result_.storage_bytes += impl_ref.storage->bytes();
    const volatile std::byte* data = impl_ref.storage->row_major_buffer().data;
    for (std::size_t i = 0; data && i < impl_ref.storage->bytes(); ++i) (void)data[i];
  }

  void append_outline(const Value& v, std::size_t depth) {
    constexpr std::size_t kMaxLines = 200, kMaxDepth = 20, kMaxText = 100;
    if (lines_++ >= kMaxLines) return;
    outline_.append(2 * std::min(depth, kMaxDepth), ' ');
    switch (v.kind()) {
      case Value::Kind::tensor:
        (outline_ += name_of(v.as_tensor().dtype())) += " " + v.as_tensor().shape().str();
        break;
      case Value::Kind::string:
      case Value::Kind::bytes:
      case Value::Kind::list:
      case Value::Kind::tuple:
      case Value::Kind::set:
      case Value::Kind::dict: outline_ += v.type_name() + " of " + std::to_string(v.size()); break;
      case Value::Kind::module: outline_ += v.type_name(); break;
      default: outline_ += v.repr().substr(0, kMaxText);
    }
    outline_ += '\n';
  }

  std::vector<std::pair<const Value*, std::size_t>> pending_;
  std::unordered_set<const void*> seen_;
  std::size_t num_values_ = 0, tensors_ = 0, max_depth_ = 0, lines_ = 0;
  std::string outline_;
  WalkResult result_;
};

}  // namespace

WalkResult walk(const Value& root) { return Walker().walk(root); }

}  // namespace taper::oracle
