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
  Walked walk(const Value& root) {
    todo_.emplace_back(&root, 0);
    while (!todo_.empty()) {
      const auto [v, depth] = todo_.back();
      todo_.pop_back();
      visit(*v, depth);
    }
    result_.summary = std::to_string(parts_) + " parts, " + std::to_string(tensors_) +
                      " tensors over " + std::to_string(result_.storage_bytes) +
                      " bytes, deepest " + std::to_string(deepest_) + "\n" + outline_;
    return result_;
  }

 private:
  bool is_new(const void* body) { return seen_.insert(body).second; }
  void later(const Value& v, std::size_t depth) { todo_.emplace_back(&v, depth + 1); }

  void visit(const Value& v, std::size_t depth) {
    ++parts_;
    deepest_ = std::max(deepest_, depth);
    line(v, depth);
    switch (v.kind()) {
      case Value::Kind::tensor: return tensor(v.as_tensor());
      case Value::Kind::list:
      case Value::Kind::tuple:
      case Value::Kind::set:
        if (is_new(&v.as_sequence()))
          for (const Value& item : v.as_sequence()) later(item, depth);
        return;
      case Value::Kind::dict:
        if (is_new(&v.as_dict())) {
          entries(v.as_dict().entries(), depth);
          later(v.as_dict().attributes(), depth);
        }
        return;
      case Value::Kind::opaque:
        if (const Opaque& o = v.as_opaque(); is_new(&o)) {
          if (const std::optional<ForeignTensor> t = foreign_tensor(v)) foreign(*t);
          for (const Value* part : {&o.callable, &o.arguments, &o.state}) later(*part, depth);
          for (const Value& item : o.items) later(item, depth);
          entries(o.entries, depth);
        }
        return;
      default: return;
    }
  }
  void entries(const std::vector<Dict::Entry>& all, std::size_t depth) {
    for (const auto& [key, value] : all) later(key, depth), later(value, depth);
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
    const TensorImpl& body = impl(t);
    check(body.shape, body.strides, body.offset, 8 * size_of(body.dtype), body.storage->bytes());
    if (!is_new(body.storage.get())) return;
    result_.storage_bytes += body.storage->bytes();
    const volatile std::byte* data = body.storage->row_major_buffer().data;
    for (std::size_t i = 0; data && i < body.storage->bytes(); ++i) (void)data[i];
  }

  void line(const Value& v, std::size_t depth) {
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

  std::vector<std::pair<const Value*, std::size_t>> todo_;
  std::unordered_set<const void*> seen_;
  std::size_t parts_ = 0, tensors_ = 0, deepest_ = 0, lines_ = 0;
  std::string outline_;
  Walked result_;
};

}  // namespace

Walked walk(const Value& root) { return Walker().walk(root); }

}  // namespace taper::oracle
