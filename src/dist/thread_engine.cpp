#include "dist/thread_engine.h"

#include <exception>
#include <new>
#include <string>

#include "core/per_thread.h"
#include "dist/thread_hub.h"

struct taper_dist_group {
  std::shared_ptr<taper::distributed::ThreadHub> hub;
  int rank;
};

struct taper_dist_work {
  std::shared_ptr<taper::distributed::ThreadHub> hub;
  std::shared_ptr<taper::distributed::ThreadHub::Operation> operation;
};

namespace taper::distributed {
namespace {

/// Text of the last failure, and of the last description, on this thread.
struct EngineText {
  std::string text;
};
std::string& engine_text() { return PerThread<EngineText>::get().text; }

template <class F> taper_dist_status report_status(F&& f) {
  try {
    return f();
  } catch (const std::exception& error) {
    engine_text() = error.what();
    return TAPER_DIST_FAILED;
  }
}

taper_dist_status start_call(taper_dist_group* group, ThreadCall call, taper_dist_work** work) {
  return report_status([&] {
    *work = new taper_dist_work{group->hub, group->hub->start(group->rank, std::move(call))};
    return TAPER_DIST_OK;
  });
}

taper_dist_status start_transfer(taper_dist_group* group, bool is_send,
                                 const ThreadMessage& message, taper_dist_work** work) {
  return report_status([&] {
    *work = new taper_dist_work{group->hub, group->hub->start_message(is_send, message)};
    return TAPER_DIST_OK;
  });
}

DType dtype_from(taper_dtype dtype) { return static_cast<DType>(dtype); }

std::vector<std::int64_t> counts_of(const taper_dist_group* group, const std::int64_t* counts) {
  return {counts, counts + group->hub->size()};
}

}  // namespace

const taper_dist_engine& thread_engine() {
  static const taper_dist_engine engine = {
      .version = TAPER_DIST_ABI_VERSION,
      .name = "threads",
      .join = nullptr,
      .create =
          [](const taper_dist_rendezvous* rendezvous, int rank, int size,
             taper_dist_group** group) {
            return report_status([&] {
              const auto order =
                  rendezvous->deterministic ? ReductionOrder::rank : ReductionOrder::ring;
              *group =
                  new taper_dist_group{join_thread_hub(rendezvous->key, rank, size, order), rank};
              return TAPER_DIST_OK;
            });
          },
      .destroy = [](taper_dist_group* group) { delete group; },
      .all_reduce =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype,
             taper_dist_op op, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::all_reduce,
                               .send = buffer,
                               .receive = buffer,
                               .send_counts = {count},
                               .dtype = dtype_from(dtype),
                               .op = op},
                              work);
          },
      .reduce =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype,
             taper_dist_op op, int root, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::reduce,
                               .send = buffer,
                               .receive = buffer,
                               .send_counts = {count},
                               .dtype = dtype_from(dtype),
                               .op = op,
                               .root = root},
                              work);
          },
      .reduce_scatter =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, taper_dist_op op, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::reduce_scatter,
                               .send = send,
                               .receive = receive,
                               .send_counts = counts_of(group, counts),
                               .dtype = dtype_from(dtype),
                               .op = op},
                              work);
          },
      .broadcast =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype, int root,
             taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::broadcast,
                               .receive = buffer,
                               .receive_counts = {count},
                               .dtype = dtype_from(dtype),
                               .root = root},
                              work);
          },
      .all_gather =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::all_gather,
                               .send = send,
                               .receive = receive,
                               .send_counts = {counts[group->rank]},
                               .receive_counts = counts_of(group, counts),
                               .dtype = dtype_from(dtype)},
                              work);
          },
      .gather =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, int root, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::gather,
                               .send = send,
                               .receive = group->rank == root ? receive : nullptr,
                               .send_counts = {counts[group->rank]},
                               .receive_counts = counts_of(group, counts),
                               .dtype = dtype_from(dtype),
                               .root = root},
                              work);
          },
      .scatter =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, int root, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::scatter,
                               .send = send,
                               .receive = receive,
                               .send_counts = counts_of(group, counts),
                               .receive_counts = {counts[group->rank]},
                               .dtype = dtype_from(dtype),
                               .root = root},
                              work);
          },
      .all_to_all =
          [](taper_dist_group* group, const void* send, const int64_t* send_counts, void* receive,
             const int64_t* receive_counts, taper_dtype dtype, taper_dist_work** work) {
            return start_call(group,
                              {.kind = ThreadCallKind::all_to_all,
                               .send = send,
                               .receive = receive,
                               .send_counts = counts_of(group, send_counts),
                               .receive_counts = counts_of(group, receive_counts),
                               .dtype = dtype_from(dtype)},
                              work);
          },
      .barrier =
          [](taper_dist_group* group, taper_dist_work** work) {
            return start_call(group, {.kind = ThreadCallKind::barrier}, work);
          },
      .send =
          [](taper_dist_group* group, const void* buffer, int64_t count, taper_dtype dtype,
             int peer, int tag, taper_dist_work** work) {
            return start_transfer(
                group, true,
                {const_cast<void*>(buffer), count, dtype_from(dtype), group->rank, peer, tag},
                work);
          },
      .receive =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype, int peer,
             int tag, taper_dist_work** work) {
            return start_transfer(group, false,
                                  {buffer, count, dtype_from(dtype), peer, group->rank, tag}, work);
          },
      .wait =
          [](taper_dist_work* work, double seconds) {
            return report_status([&] {
              return work->hub->wait(*work->operation, seconds) ? TAPER_DIST_OK
                                                                : TAPER_DIST_TIMED_OUT;
            });
          },
      .source = [](const taper_dist_work* work) { return ThreadHub::source_of(*work->operation); },
      .times = nullptr,  // a collective is executed within the last call of a rank
      .release =
          [](taper_dist_work* work) {
            work->hub->cancel(*work->operation);
            delete work;
          },
      .abort = [](taper_dist_group* group, const char* reason) { group->hub->abort(reason); },
      .pending =
          [](taper_dist_work* work) {
            engine_text() = work->hub->pending(*work->operation);
            return engine_text().c_str();
          },
      .explain = []() { return engine_text().c_str(); },
  };
  return engine;
}

}  // namespace taper::distributed
