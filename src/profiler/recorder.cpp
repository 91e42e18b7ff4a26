#include "profiler/recorder.h"

#include <algorithm>

#include "core/allocation_count.h"
#include "core/cpu_allocator.h"
#include "nn/module/error_context.h"
#include "nn/module/tree.h"
#include "ops/cost.h"

namespace taper::profiler {

Recorder::Recorder(std::string thread, const ProfileOptions& options)
    : thread_(std::move(thread)),
      record_shapes_(options.record_shapes),
      profile_memory_(options.profile_memory),
      with_flops_(options.with_flops),
      with_modules_(options.with_modules) {
  records_.thread = thread_;
}

std::string_view Recorder::intern(std::string_view name) {
  const auto found = records_.names.find(name);
  return found != records_.names.end() ? *found : *records_.names.emplace(name).first;
}

const Record* Recorder::open_module_call() const {
  for (auto at = open_.rbegin(); at != open_.rend(); ++at)
    if (const Record& r = records_.records[*at]; r.kind == EventKind::module) return &r;
  return nullptr;
}

std::string_view Recorder::innermost_module() const {
  const Record* const call = open_module_call();
  return call ? call->path : std::string_view();
}

Record& Recorder::open(const void* scope, EventKind kind) {
  const std::string_view module = innermost_module();
  Record& record = records_.records.emplace_back();
  record.kind = kind;
  record.scope = scope;
  record.module = module;
  if (!open_.empty()) record.parent = static_cast<std::int64_t>(open_.back());
  open_.push_back(records_.records.size() - 1);
  if (profile_memory_) record.memory = allocation_count::balance_of_thread();
  record.start = Clock::now();
  return record;
}

Record* Recorder::close(const void* scope) noexcept {
  const Clock::time_point now = Clock::now();
  std::size_t depth = open_.size();
  while (depth > 0 && records_.records[open_[depth - 1]].scope != scope) --depth;
  if (depth == 0) return nullptr;  // it was open before the recording
  Record* const record = &records_.records[open_[depth - 1]];
  open_.resize(depth - 1);
  record->end = now;
  record->scope = nullptr;
  record->is_complete = true;
  if (profile_memory_) {
    record->memory = allocation_count::balance_of_thread() - record->memory;
    record->allocated = cpu_allocator::stats().allocated;
  }
  return record;
}

void Recorder::before(const OpDescriptor& op, std::span<const OpInput> ins) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_) open(ins.data(), EventKind::op).name = op.info.name;
  }
  Observer::before(op, ins);
}

void Recorder::after(const OpDescriptor& op, const void* attributes, std::span<const OpInput> ins,
                     std::span<const Tensor> outs) {
  {
    const std::lock_guard lock(mutex_);
    if (Record* const record = is_ended_ ? nullptr : close(ins.data())) {
      record->is_in_place = op.info.inplace && !ins.empty() && ins[0].impl() && !outs.empty() &&
                            ins[0].impl() == outs[0].impl();
      if (with_flops_) {
        const Cost cost = cost_of(op, attributes, ins, outs);
        record->flops = cost.flops, record->bytes = cost.bytes;
      }
      if (record_shapes_)
        for (const OpInput& in : ins)
          record->input_shapes.push_back(in.impl() ? in.impl()->shape : Shape());
    }
  }
  Observer::after(op, attributes, ins, outs);
}

std::string_view Recorder::path_of_call(const void* module, const std::string& type) {
  const Record* const outer = open_module_call();
  if (!outer) return intern(type);
  const void* const caller = outer->subject;
  if (caller == module) return outer->path;
  const auto [relative, is_new] = paths_.try_emplace({caller, module});
  if (is_new) relative->second = nn::path_to(*static_cast<const nn::Module*>(caller), module, type);
  return intern(nn::ModuleTraversal::join_path(outer->path, relative->second));
}

void Recorder::enter(const void* scope, const ScopeInfo& info) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_ && (with_modules_ || info.kind != ScopeKind::module)) {
      const bool is_module = info.kind == ScopeKind::module;
      const std::string_view path =
          is_module ? path_of_call(info.module, info.name) : std::string_view();
      const std::string_view name = intern(info.name);
      Record& record = open(scope, is_module                          ? EventKind::module
                                   : info.kind == ScopeKind::backward ? EventKind::backward
                                                                      : EventKind::user);
      record.name = name;
      record.path = path;
      record.subject = info.module;
      record.sequence_nr = info.sequence_nr;
    }
  }
  Observer::enter(scope, info);
}

void Recorder::leave(const void* scope) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_) close(scope);
  }
  Observer::leave(scope);
}

void Recorder::node_created(std::uint64_t sequence_nr) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_) records_.nodes.push_back({sequence_nr, innermost_module()});
  }
  Observer::node_created(sequence_nr);
}

void Recorder::completed(const Interval& interval) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_) {
      auto of_thread =
          std::find_if(intervals_.begin(), intervals_.end(),
                       [&](const ThreadRecords& r) { return r.thread == interval.thread; });
      if (of_thread == intervals_.end())
        of_thread = intervals_.insert(intervals_.end(), {.thread = interval.thread});
      of_thread->records.push_back({.kind = EventKind::communication,
                                    .is_complete = true,
                                    .name = *of_thread->names.insert(interval.name).first,
                                    .start = interval.start,
                                    .end = interval.end});
    }
  }
  Observer::completed(interval);
}

void Recorder::discard() {
  const std::lock_guard lock(mutex_);
  intervals_.clear();
  std::vector<Record> kept;
  for (std::size_t& at : open_) {
    Record& record = kept.emplace_back(std::move(records_.records[at]));
    record.parent = static_cast<std::int64_t>(kept.size()) - 2;
    record.start = Clock::now();
    if (profile_memory_) record.memory = allocation_count::balance_of_thread();
    at = kept.size() - 1;
  }
  records_.records = std::move(kept);
  records_.nodes.clear();
}

std::vector<ThreadRecords> Recorder::take() {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  open_.clear();
  std::vector<ThreadRecords> all = std::move(intervals_);
  all.insert(all.begin(), std::move(records_));
  return all;
}

std::shared_ptr<Recorder> Recorders::recorder_of(const std::string& thread) {
  const std::lock_guard lock(mutex_);
  const std::thread::id id = std::this_thread::get_id();
  for (const auto& [known, recorder] : recorders_)  // the id of a finished thread may be reused
    if (known == id && recorder->thread() == thread) return recorder;
  return recorders_.emplace_back(id, std::make_shared<Recorder>(thread, options_)).second;
}
std::shared_ptr<Observer> Recorders::observer_of(const std::string& thread) {
  return recorder_of(thread);
}

void Recorders::discard() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, recorder] : recorders_) recorder->discard();
}

std::vector<ThreadRecords> Recorders::take() {
  const std::lock_guard lock(mutex_);
  std::vector<ThreadRecords> all;
  for (const auto& [id, recorder] : recorders_)
    for (ThreadRecords& records : recorder->take()) all.push_back(std::move(records));
  return all;
}

}  // namespace taper::profiler
