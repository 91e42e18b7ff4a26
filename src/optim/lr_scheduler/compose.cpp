#include "taper/optim/lr_scheduler/compose.h"

#include <algorithm>

#include "optim/lr_scheduler/groups.h"
#include "taper/optim/lr_scheduler/plateau.h"

namespace taper::optim::lr_scheduler {
namespace {

using Schedulers = std::vector<SchedulerRef>;

void check_schedulers(const char* owner, const Schedulers& schedulers, const Optimizer& optimizer) {
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    const LRScheduler* scheduler = schedulers[i].get();
    if (!scheduler)
      fail<TypeError>("{} at index {} should have `optimizer` as its attribute.", owner, i);
    if (dynamic_cast<const ReduceLROnPlateau*>(scheduler))
      fail<ValueError>(
          "{} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to "
          "be specified when calling `step`, but got one at index {} in the given schedulers "
          "sequence.",
          owner, i);
    if (&scheduler->optimizer() != &optimizer)
      fail<ValueError>(
          "{} expects all schedulers to belong to the same optimizer, but got scheduler {} at "
          "index {} has {}, which is different from {}.",
          owner, scheduler->type_name(), i, scheduler->optimizer().str(), optimizer.type_name());
  }
}

const Schedulers& check_nonempty(const Schedulers& schedulers, const char* message) {
  if (schedulers.empty()) fail<ValueError>("{}", message);
  return schedulers;
}

Optimizer& optimizer_of(const Schedulers& schedulers, Optimizer* optimizer) {
  check_nonempty(
      schedulers,
      "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.");
  if (optimizer) return *optimizer;
  if (!schedulers[0].get())
    fail<TypeError>("ChainedScheduler at index 0 should have `optimizer` as its attribute.");
  return schedulers[0]->optimizer();
}

std::vector<LRScheduler*> to_pointers(const Schedulers& schedulers) {
  std::vector<LRScheduler*> list;
  for (const SchedulerRef& s : schedulers) list.push_back(s.get());
  return list;
}

/// Copy of the state of schedulers and of the options of their optimizer. The destructor restores
/// them unless `commit` was called.
class Snapshot {
 public:
  Snapshot(const Optimizer& optimizer, const Schedulers& schedulers)
      : groups_(optimizer), schedulers_(&schedulers) {
    for (const SchedulerRef& s : schedulers) states_.push_back(s->state_dict());
  }
  ~Snapshot() {
    if (!schedulers_) return;
    for (std::size_t i = 0; i < states_.size(); ++i) (*schedulers_)[i]->load_state_dict(states_[i]);
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  void commit() { groups_.commit(), schedulers_ = nullptr; }

 private:
  GroupBackup groups_;
  const Schedulers* schedulers_;
  std::vector<Value> states_;
};

void check_no_epoch(const LRScheduler& scheduler, const std::optional<Scalar>& epoch) {
  if (epoch) fail<TypeError>("{}.step: takes no epoch: got {}", scheduler.type_name(), *epoch);
}

}  // namespace

SequentialLR::SequentialLR(Optimizer& optimizer, std::vector<SchedulerRef> schedulers,
                           std::vector<std::int64_t> milestones, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch + 1, NotCounted()),
      schedulers_(std::move(schedulers)),
      milestones_(std::move(milestones)) {
  check_nonempty(schedulers_, "SequentialLR expects at least one scheduler, but got no scheduler.");
  check_schedulers("SequentialLR", schedulers_, optimizer);
  if (milestones_.size() != schedulers_.size() - 1)
    fail<ValueError>(
        "Sequential Schedulers expects number of schedulers provided to be one more than the "
        "number of milestone points, but got number of schedulers {} and the number of milestones "
        "to be equal to {}",
        schedulers_.size(), milestones_.size());
  Snapshot snapshot(optimizer, schedulers_);
  for (const ParamGroup& group : optimizer.param_groups())
    set_number_option(group, "lr", number_option(group, "initial_lr"));
  shift_epoch(-1);
  LRScheduler& first = *schedulers_[scheduler_at(0)];
  first.initial_step();
  last_lr_ = first.get_last_lr();
  snapshot.commit();
}

std::size_t SequentialLR::scheduler_at(std::int64_t epoch) const {
  const auto next = std::upper_bound(milestones_.begin(), milestones_.end(), epoch);
  return static_cast<std::size_t>(next - milestones_.begin());
}

// Does not change `last_epoch` of this scheduler, as in PyTorch.
void SequentialLR::shift_epoch(std::int64_t delta) {
  for (const SchedulerRef& s : schedulers_) s->shift_epoch(delta);
}

void SequentialLR::step(std::optional<Scalar> epoch) {
  check_no_epoch(*this, epoch);
  const std::size_t i = scheduler_at(last_epoch + 1);
  LRScheduler& scheduler = *schedulers_[i];
  if (i > 0 && milestones_[i - 1] == last_epoch + 1)
    scheduler.update_lr(0);
  else
    scheduler.step();
  ++last_epoch;
  last_lr_ = scheduler.get_last_lr();
}

std::vector<double> SequentialLR::compute_lr() const {
  fail<NotImplementedError>("SequentialLR.get_lr: the schedulers compute the rates");
}

void SequentialLR::visit_state(StateFields& field) {
  field("_milestones", milestones_);
  field("last_epoch", last_epoch);
  field("_last_lr", last_lr_);
  visit_initial_step(field);
  field.schedulers("_schedulers", to_pointers(schedulers_));
}

void SequentialLR::check_state(const Value& state) const {
  if (const Value* loaded = state.find("_milestones");
      loaded && loaded->size() != milestones_.size())
    fail<ValueError>(
        "SequentialLR.load_state_dict: '_milestones' has a different length: got {}, expected {}",
        loaded->size(), milestones_.size());
}

ChainedScheduler::ChainedScheduler(std::vector<SchedulerRef> schedulers, Optimizer* optimizer)
    : LRScheduler(optimizer_of(schedulers, optimizer), -1, NotCounted()),
      schedulers_(std::move(schedulers)) {
  check_schedulers("ChainedScheduler", schedulers_, this->optimizer());
}

void ChainedScheduler::shift_epoch(std::int64_t delta) {
  for (const SchedulerRef& s : schedulers_) s->shift_epoch(delta);
}

void ChainedScheduler::step(std::optional<Scalar> epoch) {
  check_no_epoch(*this, epoch);
  Snapshot snapshot(optimizer(), schedulers_);
  for (const SchedulerRef& s : schedulers_) s->step();
  snapshot.commit();
  store_last_lr();
}

std::vector<double> ChainedScheduler::compute_lr() const {
  fail<NotImplementedError>("ChainedScheduler.get_lr: the schedulers compute the rates");
}

void ChainedScheduler::visit_state(StateFields& field) {
  field("_last_lr", last_lr_);
  visit_initial_step(field);
  field.schedulers("_schedulers", to_pointers(schedulers_));
}

}  // namespace taper::optim::lr_scheduler
