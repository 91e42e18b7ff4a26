// Detection of members that are not listed in TAPER_MODULE.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "nn/module/computed_members.h"
#include "nn/module/tag_scan.h"
#include "taper/nn/detail/clone.h"

namespace taper::nn {
namespace {

const char* object_begin(const Module& m) {
  return static_cast<const char*>(dynamic_cast<const void*>(&m));
}

/// Collects the memory ranges of listed members.
struct ListedMembers final : MemberVisitor {
  std::vector<MemoryRange> ranges;

  void parameter(const ParameterSlot& s) override { tensor(s.holder, sizeof(Parameter)); }
  void buffer(const BufferSlot& s) override { tensor(s.holder, sizeof(Buffer)); }
  void child(const ChildSlot& s) override {
    if (s.holder->shared)
      tensor(s.slot, sizeof(std::shared_ptr<Module>));
    else if (s.module)
      tensor(object_begin(*s.module), ModuleAccess::class_info(*s.module).size);
  }
  void tensor(const void* at, std::size_t size) {
    ranges.push_back({static_cast<const char*>(at), size});
  }
};

/// Searches the registered entries of a module and of its descendants for a tagged object.
struct FindRegistered final : MemberVisitor {
  const AddressTag* wanted;
  bool found = false;
  std::vector<const Module*> visited{};

  explicit FindRegistered(const AddressTag* tag) : wanted(tag) {}
  void parameter(const ParameterSlot& s) override { compare(s.value); }
  void buffer(const BufferSlot& s) override { compare(s.value); }
  void child(const ChildSlot& s) override {
    if (s.module) module(*s.module);
  }
  void compare(const AddressTag* tag) { found = found || tag == wanted; }
  void module(Module& m) {
    if (std::find(visited.begin(), visited.end(), &m) != visited.end()) return;
    visited.push_back(&m);
    compare(&ModuleAccess::tag(m));
    if (!found) ModuleAccess::accept_unchecked(m, *this);
  }
};
bool is_registered(const AddressTag& tag, const Module& root) {
  FindRegistered search(&tag);
  search.module(detail::mutable_of(root));
  return search.found;
}

/// Returns true if a member of `m` owns the object, and false if bytes that were never written only
/// look like such a member. A copy of the module is one more owner of a shared object; the owner of
/// any other object makes the module impossible to copy.
bool is_owner(const Module& m, const TaggedObject& object) {
  const auto owners = [&]() -> std::int64_t {
    if (object.owners) return *object.owners;
    const Tensor* const t = object.tensor();
    if (!t || !t->defined()) return 0;
    return reinterpret_cast<const RefCounted*>(t->impl())->use_count();  // the first base
  };
  try {
    const detail::CloneScope scope;
    const std::int64_t before = owners();
    const std::shared_ptr<Module> copy = ModuleAccess::clone_shallow(m);
    return owners() > before;
  } catch (const Error&) {
    return true;  // cannot be copied
  }
}

/// Returns the printed form of a module or the shape of a tensor, for messages.
std::string describe_object(const TaggedObject& object) {
  if (const Tensor* const t = object.tensor()) {
    const char* const kind = object.kind == AddressTag::kTagOfParameter ? "parameter" : "buffer";
    if (!t->defined()) return fmt::format("an undefined {}", kind);
    if (is_lazy(*t)) return fmt::format("an uninitialized {}", kind);
    return fmt::format("a {} of shape {}", kind, t->shape().str());
  }
  const Module& m = *object.module();
  try {
    const std::string text = m.str();
    if (text.find('\n') == std::string::npos) return "the module " + text;
  } catch (const Error&) {
    // Has unlisted members itself, which its own first visit reports.
  }
  return fmt::format("a module {}", m.type_name());
}

}  // namespace

void Module::check() const {
  // The scan reads computed members, which another thread may be writing.
  const std::shared_ptr<ComputedMembers> computed_members = ModuleAccess::computed_members(*this);
  std::unique_lock<std::recursive_mutex> lock;
  if (computed_members) lock = std::unique_lock(computed_members->refresh_mutex);
  const ClassInfo& info = class_info();
  const std::string name = info.name;
  if (typeid(*this) != *info.type)
    fail<RuntimeError>(
        "a class derived from {} must use TAPER_MODULE or TAPER_DERIVED_MODULE: otherwise its "
        "forward and members would be ignored",
        name);
  ListedMembers listed;
  detail::mutable_of(*this).visit_members(listed);
  const char* const base = object_begin(*this);
  const AddressTag* const own = this;
  scan_for_tags(base, info.size, listed.ranges, [&](const TaggedObject& object) {
    // A pointer to a registered module, or to a parent, does not own it.
    if (object.tag == own || is_registered(*object.tag, *this)) return true;
    if (const Module* const m = object.module(); m && is_registered(*own, *m)) return true;
    if (std::strcmp(object.relation, "is") != 0 && !is_owner(*this, object)) return true;
    fail<RuntimeError>(
        "{}: the member at offset {} {} {}, which TAPER_MODULE({}, ...) does not list. List the "
        "member, put modules into nn::ModuleList or nn::ModuleDict and parameters into "
        "nn::ParameterList, or refer to a module that is trained elsewhere by nn::ref",
        name, object.offset, object.relation, describe_object(object), name);
  });
  call_flags_.fetch_and(static_cast<std::uint8_t>(~kUnchecked), std::memory_order_relaxed);
}

}  // namespace taper::nn
