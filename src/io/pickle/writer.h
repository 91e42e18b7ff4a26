// PickleWriter: writes values in pickle protocol 2, with storages as persistent ids, as torch.save
// does.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/pickle/output.h"
#include "io/pickle/saved_storages.h"
#include "taper/core/picklable.h"

namespace taper::io {

/// Form of the persistent id of a storage.
enum class StorageIds {
  zip,    ///< ('storage', class, key, location, number of elements)
  legacy  ///< ('storage', class, key, location, number of elements, None), where None means no view
};

class PickleWriter {
 public:
  PickleWriter(SavedStorages& storages, StorageIds ids) : storages_(storages), ids_(ids) {}
  /// Returns the pickle of `value`. Nested values are written without recursion. Throws an error
  /// with the path of the value that cannot be written.
  std::string write(const Value& value);

 private:
  /// A container whose parts are being written.
  struct Frame {
    const Value* value;
    std::size_t next = 0;
    void (PickleWriter::*step)(Frame&);
  };
  void visit(const Value& v);
  void visit_tuple(const Value& v);
  void visit_dict(const Value& v);
  void visit_opaque(const Value& v);
  void visit_module(const Value& v);
  void step_tuple(Frame& f);
  void step_list(Frame& f);
  void step_set(Frame& f);
  void step_factory(Frame& f);
  void step_dict(Frame& f);
  void step_opaque(Frame& f);
  void push(const Value& v, void (PickleWriter::*step)(Frame&), std::size_t next = 0) {
    frames_.push_back({&v, next, step});
  }
  void enter(const void* identity);
  void batch(std::size_t i, std::size_t count, bool pairs, bool whole = true);
  bool takes_storage(const Opaque& o) const;

  void write_device(Device d);
  void write_shape(const Shape& s);
  void write_empty_hooks();
  void write_tensor(const Value& v);
  void write_rebuild_function(const Tensor& t);
  void write_rebuild_arguments(const Tensor& t, bool requires_grad);
  void write_storage(const TensorImpl& t, const StorageClass& cls);
  void write_call_storage(const Tensor& t, const Value& function);
  StorageClass raw_bytes() const;
  bool write_foreign_tensor(const Value& v);
  bool write_storage_object(const Opaque& o);
  bool begin_tensor_subclass(const Opaque& o);
  void step_tensor_subclass(Frame& f);

  PickleOutput out_;
  SavedStorages& storages_;
  StorageIds ids_;
  std::vector<Frame> frames_;
  PickledForms forms_;  // pickled forms of modules, which frames refer to
  const Value* current_ = nullptr;
  std::unordered_map<const Values*, const Opaque*>
      objects_by_arguments_;  // targets of placeholders
  std::unordered_set<const void*>
      open_containers_;  // containers that cannot be referred to before their parts are written
};

}  // namespace taper::io
