#include "dist/program.h"

#include <algorithm>

#include "cases/outcome.h"
#include "dist/calls.h"
#include "taper/core/dict.h"
#include "taper/dist/point_to_point.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using distributed::Group;
using distributed::Work;

class RankProgram {
 public:
  explicit RankProgram(RankCase& c) : case_(c), values_(c.read("values")) {}

  void run() {
    for (const Json& step : case_.at("program")) {
      Fields fields(step);
      const std::string what = fields.text("do");
      const Json* ranks = fields.find("ranks");
      const bool is_mine =
          !ranks || std::find(ranks->begin(), ranks->end(), Json(case_.rank())) != ranks->end();
      if (!is_mine && what != "new_group") continue;
      run_step(what, fields);
      fields.done();
    }
  }
  const Value& values() const { return values_; }

 private:
  void run_step(const std::string& what, Fields& step) {
    static const std::map<std::string, void (RankProgram::*)(Fields&)> steps = {
        {"call", &RankProgram::call},           {"send", &RankProgram::send},
        {"recv", &RankProgram::recv},           {"isend", &RankProgram::isend},
        {"irecv", &RankProgram::irecv},         {"batch", &RankProgram::batch},
        {"new_group", &RankProgram::new_group}, {"wait", &RankProgram::wait},
        {"info", &RankProgram::info},           {"double", &RankProgram::double_value}};
    if (what == "barrier") {
      distributed::barrier({.group = group_of(step)});
    } else if (what == "monitored_barrier") {
      distributed::monitored_barrier();
    } else if (what == "destroy") {
      distributed::destroy_process_group();
    } else {
      const auto found = steps.find(what);
      if (found == steps.end()) throw MalformedCase("unknown step '" + what + "'");
      (this->*found->second)(step);
    }
  }

  Group group_of(Fields& step) {
    const Json* name = step.find("group");
    return name ? groups_.at(name->get<std::string>()) : nullptr;
  }
  Tensor tensor_of(Fields& step, const char* field) {
    return Value(values_[step.text(field)]).as_tensor();
  }
  distributed::MessageOptions message_options(Fields& step) {
    const Json* tag = step.find("tag");
    return {.group = group_of(step), .tag = tag ? tag->get<int>() : 0};
  }
  static std::optional<int> source_of(Fields& step) {
    const Json& source = step.at("source");
    return source.is_null() ? std::optional<int>() : source.get<int>();
  }

  void call(Fields& step) {
    static const Json none = Json::object();
    const Json* args = step.find("args");
    const Json* on = step.find("on");
    const Json* out = step.find("out");
    const Json* work = step.find("work");
    NamedCall named{.name = step.text("call"), .args = CallArguments(args ? *args : none)};
    if (on) named.input = values_[on->get<std::string>()];
    named.group = group_of(step);
    Work handle;
    if (work) named.work = &handle;
    const Value result = named.run();
    if (work) works_[work->get<std::string>()] = handle;
    if (out) values_[out->get<std::string>()] = result;
  }
  void send(Fields& step) {
    distributed::send(tensor_of(step, "what"), step.at("to").get<int>(), message_options(step));
  }
  void recv(Fields& step) {
    const Json* out = step.find("out");
    const int source =
        distributed::recv(tensor_of(step, "into"), source_of(step), message_options(step));
    if (out) values_[out->get<std::string>()] = source;
  }
  void isend(Fields& step) {
    works_[step.text("work")] = distributed::isend(tensor_of(step, "what"),
                                                   step.at("to").get<int>(), message_options(step));
  }
  void irecv(Fields& step) {
    works_[step.text("work")] =
        distributed::irecv(tensor_of(step, "into"), source_of(step), message_options(step));
  }
  void batch(Fields& step) {
    using distributed::P2POp;
    std::vector<P2POp> ops;
    for (const Json& op : step.at("ops"))
      ops.push_back({op.at(0) == "isend" ? P2POp::Kind::isend : P2POp::Kind::irecv,
                     Value(values_[op.at(1).get<std::string>()]).as_tensor(), op.at(2).get<int>()});
    for (const Work& work : distributed::batch_isend_irecv(ops)) work.wait();
  }
  void new_group(Fields& step) {
    const auto members = step.at("members").get<std::vector<int>>();
    groups_[step.text("name")] = distributed::new_group(members);
  }
  void wait(Fields& step) {
    const Work& work = works_.at(step.text("work"));
    const Json* completed = step.find("completed");
    work.wait();
    if (completed) values_[completed->get<std::string>()] = work.is_completed();
  }
  void info(Fields& step) {
    const Group group = group_of(step);
    const int rank = distributed::get_rank(group);
    Value members = Value::list();
    if (rank >= 0)
      for (const int member : distributed::get_process_group_ranks(group)) members.append(member);
    values_[step.text("out")] = Value::list({rank, distributed::get_world_size(group), members});
  }
  void double_value(Fields& step) { tensor_of(step, "what").mul_(2); }

  RankCase& case_;
  Value values_;
  std::map<std::string, Group> groups_;
  std::map<std::string, Work> works_;
};

}  // namespace

Value run_program(RankCase& c) {
  RankProgram program(c);
  program.run();
  return program.values();
}

}  // namespace taper::oracle
