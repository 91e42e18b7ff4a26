#include "dist/engine_group.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "core/check.h"
#include "dist/call_text.h"
#include "dist/reduction.h"
#include "dist/work_state.h"
#include "taper/core/warning.h"
#include "taper/dist/init.h"

namespace taper::distributed {
namespace {

/// Returns the properties of a call that must be equal on all ranks. The counts of some
/// collectives may differ.
std::string call_signature(const RawCall& call) {
  std::string text(name_of_call(call));
  if (call.kind == RawCall::Kind::barrier) return text;
  text += format_message(" {} {} {}", name_of(call.op), taper::name_of(call.dtype), call.root);
  if (call.count > 0) text += " " + std::to_string(call.count);
  const auto append = [&](const std::vector<std::int64_t>& counts) {
    for (const std::int64_t count : counts) text += " " + std::to_string(count);
  };
  if (call.kind == RawCall::Kind::all_gather) append(call.receive_counts);
  if (call.kind == RawCall::Kind::reduce_scatter) append(call.send_counts);
  return text;
}

void check_reduction(const RawCall& call) {
  if (!has_reduction(call.kind)) return;
  const bool floating = is_floating_point(call.dtype);
  if (call.op == ReduceOp::avg && !floating)
    fail<DTypeError>("{}: avg is defined for floating-point types only, got {}", name_of_call(call),
                     call.dtype);
  if (call.op >= ReduceOp::band && floating)
    fail<DTypeError>("{}: {} is not defined for floating-point types, got {}", name_of_call(call),
                     name_of(call.op), call.dtype);
}

taper_dist_op engine_op(ReduceOp op) {
  constexpr std::array ops = {TAPER_DIST_SUM, TAPER_DIST_SUM,  TAPER_DIST_PRODUCT, TAPER_DIST_MIN,
                              TAPER_DIST_MAX, TAPER_DIST_BAND, TAPER_DIST_BOR,     TAPER_DIST_BXOR};
  return ops[static_cast<std::size_t>(op)];
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Executes a call of a group of one rank.
void execute_alone(const RawCall& call) {
  if (!call.send || !call.receive || call.send == call.receive) return;
  const std::int64_t count =
      call.send_counts.empty() ? sum_of(call.receive_counts) : sum_of(call.send_counts);
  std::memmove(call.receive, call.send, static_cast<std::size_t>(count) * size_of(call.dtype));
}

/// Returns the number of elements that a rank receives from a reduction.
std::int64_t reduced_count(const RawCall& call, int rank) {
  if (call.kind == RawCall::Kind::reduce_scatter)
    return call.send_counts[static_cast<std::size_t>(rank)];
  return call.kind == RawCall::Kind::reduce && call.root != rank ? 0 : call.count;
}

}  // namespace

std::string_view name_of(ReduceOp op) {
  constexpr std::string_view names[] = {"sum", "avg",  "product", "min",
                                        "max", "band", "bor",     "bxor"};
  return names[static_cast<std::size_t>(op)];
}

ProcessGroup::~ProcessGroup() = default;

EngineGroup::~EngineGroup() { close(); }

void EngineGroup::close() {
  if (is_closed_) return;
  is_closed_ = true;
  for (const auto& state : pending_) state->cancel("the group was destroyed");
  pending_.clear();
  engine_.destroy(group_);
  group_ = nullptr;
  if (monitor_) monitor_->leave_group(key_);
}

void EngineGroup::abort(const std::string& reason) {
  if (is_closed_) return;
  if (monitor_) monitor_->record_cause(key_, reason);
  engine_.abort(group_, reason.c_str());
}

std::string EngineGroup::describe_missing(taper_dist_work* work, std::uint64_t number,
                                          const CallText& call) const {
  std::string missing = engine_.pending(work);
  if (missing.empty() && monitor_ && number > 0)
    missing = monitor_->find_obstacles(key_, number, call, ranks()).text();
  return missing.empty() ? "it has not completed" : missing;
}

std::string EngineGroup::find_obstacle(std::uint64_t number, const CallText& call) const {
  if (!monitor_ || number == 0 || is_closed_) return {};
  return monitor_->find_obstacles(key_, number, call, ranks()).permanent;
}

std::string EngineGroup::handle_failure(const std::string& reason) {
  if (!monitor_ || is_closed_) return reason;
  const std::string cause = monitor_->find_cause(key_, ranks());
  const std::string text = cause.empty() ? reason : cause;
  abort(text);
  return text;
}

taper_dist_status EngineGroup::call_engine(const RawCall& call, taper_dist_work** work) {
  const auto dtype = static_cast<taper_dtype>(call.dtype);
  const taper_dist_op op = engine_op(call.op);
  const std::int64_t *sent = call.send_counts.data(), *received = call.receive_counts.data();
  switch (call.kind) {
    case RawCall::Kind::all_reduce:
      return engine_.all_reduce(group_, call.receive, call.count, dtype, op, work);
    case RawCall::Kind::reduce:
      return engine_.reduce(group_, call.receive, call.count, dtype, op, call.root, work);
    case RawCall::Kind::reduce_scatter:
      return engine_.reduce_scatter(group_, call.send, call.receive, sent, dtype, op, work);
    case RawCall::Kind::broadcast:
      return engine_.broadcast(group_, call.receive, call.count, dtype, call.root, work);
    case RawCall::Kind::all_gather:
      return engine_.all_gather(group_, call.send, call.receive, received, dtype, work);
    case RawCall::Kind::gather:
      return engine_.gather(group_, call.send, call.receive, received, dtype, call.root, work);
    case RawCall::Kind::scatter:
      return engine_.scatter(group_, call.send, call.receive, sent, dtype, call.root, work);
    case RawCall::Kind::all_to_all:
      return engine_.all_to_all(group_, call.send, sent, call.receive, received, dtype, work);
    case RawCall::Kind::barrier: return engine_.barrier(group_, work);
    case RawCall::Kind::send:
      return engine_.send(group_, call.send, call.count, dtype, call.root, call.tag, work);
    case RawCall::Kind::receive:
      return engine_.receive(group_, call.receive, call.count, dtype, call.root, call.tag, work);
  }
  return TAPER_DIST_NOT_SUPPORTED;
}

void EngineGroup::add_pending(const std::shared_ptr<Work::State>& state) {
  std::erase_if(pending_, [](const auto& earlier) { return !earlier->is_pending(); });
  pending_.push_back(state);
}

std::shared_ptr<Work::State> EngineGroup::launch(RawCall call) {
  auto state = std::make_shared<Work::State>();
  state->name = name_of_call(call);
  state->start = Work::State::Clock::now();
  state->call.description = describe_call(call);
  state->description = format_message("rank {}: {}", ranks()[static_cast<std::size_t>(rank())],
                                      state->call.description);
  if (!is_message(call.kind)) {
    state->number = ++num_collectives_;
    if (monitor_) {
      state->call.signature = call_signature(call);
      monitor_->record_call(key_, state->number, state->call);
    }
  }
  const taper_dist_status status = call_engine(call, &state->work);
  if (status != TAPER_DIST_OK) {
    state->work = nullptr;
    throw DistributedError(state->description + ": " +
                           (status == TAPER_DIST_NOT_SUPPORTED
                                ? "not supported by the engine"
                                : handle_failure(engine_.explain())));
  }
  state->engine = &engine_;
  state->group = std::static_pointer_cast<EngineGroup>(shared_from_this());
  state->timeout = options().timeout;
  state->deadline = state->start + std::chrono::duration_cast<Work::State::Clock::duration>(
                                       std::min(options().timeout, Timeout(1e8)));
  state->tensors = std::move(call.tensors);
  add_pending(state);
  return state;
}

void EngineGroup::compare_calls(const RawCall& call) {
  const std::string mine = comparison_record(call, ranks());
  std::string all(mine.size() * ranks().size(), '\0');
  RawCall gather;
  gather.kind = RawCall::Kind::all_gather;
  gather.send = mine.data(), gather.receive = all.data();
  gather.receive_counts.assign(ranks().size(), static_cast<std::int64_t>(mine.size()));
  gather.detail = "(comparison of calls before " + describe_call(call) + ")";
  Work(launch(std::move(gather))).wait();
  ++sequence_;
  if (const std::string difference = find_difference(all, call, ranks()); !difference.empty())
    throw DistributedError(format_message("rank {}: collectives do not match at call {}: {}",
                                          ranks()[static_cast<std::size_t>(rank())], sequence_,
                                          difference));
}

Work EngineGroup::start(RawCall call) {
  if (is_closed_) fail<RuntimeError>("{}: the process group was destroyed", name_of_call(call));
  check_reduction(call);
  if (size() == 1 && !is_message(call.kind)) {
    execute_alone(call);
    return {};
  }
  if (get_debug_level() == DebugLevel::detail && !is_message(call.kind)) compare_calls(call);
  const bool divides = has_reduction(call.kind) && call.op == ReduceOp::avg;
  void* const result = call.receive;
  const std::int64_t count = divides ? reduced_count(call, rank()) : 0;
  const DType dtype = call.dtype;
  const int divisor = size();
  const Work work(launch(std::move(call)));
  if (divides && count > 0)
    return work.then([=] { divide_elements(result, count, dtype, divisor); });
  return work;
}

namespace {

/// Group of which the caller is not a member.
class OutsiderGroup final : public ClosableGroup {
 public:
  OutsiderGroup(std::vector<int> ranks, const GroupOptions& options)
      : ClosableGroup(-1, std::move(ranks), options) {}
  Work start(RawCall call) override {
    warn(format_message("running {} on a rank that does not belong to the given group",
                        name_of_call(call)));
    return {};
  }
  void abort(const std::string&) override {}
  void close() override {}
};

}  // namespace

Group make_engine_group(const taper_dist_engine& engine, const ProcessJob* job,
                        const std::string& key, int rank, std::vector<int> ranks,
                        const GroupOptions& options) {
  const std::vector<std::int32_t> members(ranks.begin(), ranks.end());
  const taper_dist_rendezvous rendezvous{.key = key.c_str(),
                                         .timeout = options.timeout.count(),
                                         .deterministic = options.deterministic,
                                         .ranks = members.data(),
                                         .store = job ? job->store() : nullptr,
                                         .address = job ? job->address().c_str() : nullptr};
  taper_dist_group* group = nullptr;
  if (engine.create(&rendezvous, rank, static_cast<int>(ranks.size()), &group) != TAPER_DIST_OK)
    throw DistributedError(format_message("process group: rank {}: {}",
                                          ranks[static_cast<std::size_t>(rank)], engine.explain()));
  if (job && job->monitor()) job->monitor()->enter_group(key);
  return std::make_shared<EngineGroup>(engine, group, key, job ? job->monitor() : nullptr, rank,
                                       std::move(ranks), options);
}

Group make_outsider_group(std::vector<int> ranks, const GroupOptions& options) {
  return std::make_shared<OutsiderGroup>(std::move(ranks), options);
}

void close_group(ProcessGroup& group) {
  if (auto* const closable = dynamic_cast<ClosableGroup*>(&group)) closable->close();
}

}  // namespace taper::distributed
