// Checkpoints assembled operation by operation, including ones that torch.save never writes.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::test {

/// Returns the `bytes` low bytes of a number in little-endian order.
std::string le(std::uint64_t v, int bytes);
/// Returns `times` copies of `part`.
std::string repeated(std::string_view part, std::size_t times);

// These functions return parts of a pickle of protocol 2.
std::string text(std::string_view s);
std::string number(std::int64_t v);
std::string name(std::string_view module, std::string_view function);
std::string tuple(std::initializer_list<std::string_view> parts);
std::string dict(std::initializer_list<std::pair<std::string_view, std::string_view>> entries);
/// Returns the operations that call a function with REDUCE.
std::string call(std::string_view module, std::string_view function,
                 std::initializer_list<std::string_view> arguments);
/// Returns a pickle: the operation PROTO, the operations `body` and the operation STOP.
std::string pickle(std::string_view body, int protocol = 2);

inline const std::string kTrue = "\x88", kFalse = "\x89", kNone = "N",
                         kNoHooks = "ccollections\nOrderedDict\n)R";

/// The persistent id of a storage; by default that of 12 floats in the record 'data/0'.
struct StoragePart {
  std::string cls = name("torch", "FloatStorage");
  std::string key = text("0"), location = text("cpu"), count = number(12);
  std::string view{};  ///< the sixth element of the tuple in files from before PyTorch 1.6
  std::string str() const;
};
/// A call of _rebuild_tensor_v2; by default that of a 3 x 4 float tensor.
struct TensorPart {
  std::string storage = StoragePart{}.str();
  std::string offset = number(0), size = tuple({number(3), number(4)}),
              stride = tuple({number(4), number(1)}), requires_grad = kFalse, hooks = kNoHooks;
  std::string str() const;
};

/// Returns a zip archive with stored records, whose names are prefixed with `folder`.
std::string zip(const std::vector<std::pair<std::string, std::string>>& records,
                std::string_view folder = "archive/");
/// Returns a zip checkpoint with this data.pkl and a storage of 48 bytes, data/0.
std::string checkpoint(std::string_view data_pkl);
/// Returns a file of the format from before PyTorch 1.6. `object` and `keys` are pickles;
/// `storages` follows them unchanged.
std::string legacy(std::string_view object, std::string_view keys, std::string_view storages);
/// Returns a safetensors file: the length of the header, the header and the data.
std::string safetensors(std::string_view header, std::string_view data);

}  // namespace taper::test
