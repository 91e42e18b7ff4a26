// Family elastic: what torchrun and `taper run` give their workers.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cases/outcome.h"
#include "dist/families.h"
#include "dist/launched_worker.h"
#include "dist/launcher.h"
#include "dist/store/socket.h"
#include "kit/temporary_folder.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

/// Variables of torchrun that `taper run` sets alike.
constexpr const char* kCommonVariables[] = {"GROUP_RANK",
                                            "GROUP_WORLD_SIZE",
                                            "LOCAL_RANK",
                                            "LOCAL_WORLD_SIZE",
                                            "MASTER_ADDR",
                                            "MASTER_PORT",
                                            "RANK",
                                            "ROLE_RANK",
                                            "ROLE_WORLD_SIZE",
                                            "TORCHELASTIC_MAX_RESTARTS",
                                            "WORLD_SIZE",
                                            "OMP_NUM_THREADS",
                                            "TORCHELASTIC_RESTART_COUNT"};

/// Program that runs as a worker of a launcher.
constexpr const char* kWorker = "taper_oracle";

/// What a launcher and its workers did.
struct Launch {
  int exit_code = 0;
  Json attempts = Json::array();    ///< [attempt][rank]: arguments and variables
  Json terminated = Json::array();  ///< [attempt, rank] of workers that received SIGTERM
};

/// Splits the name of a note, "started-0-1".
std::pair<int, int> attempt_and_rank(const std::string& name) {
  const std::size_t first = name.find('-'), second = name.rfind('-');
  return {std::stoi(name.substr(first + 1, second - first - 1)),
          std::stoi(name.substr(second + 1))};
}

Launch launch(Case& c, const std::vector<std::string>& command, int port) {
  const TemporaryFolder folder;
  Variables variables;
  for (const char* name : {"PATH", "HOME", "LANG"})
    if (const char* const value = std::getenv(name)) variables[name] = value;
  for (const auto& [name, value] : c.at("environment").items())
    variables[name] = value.get<std::string>();
  variables[kWorkerFolder] = folder.path();
  variables[kWorkerExits] = c.at("exits").dump();
  variables["GLOO_SOCKET_IFNAME"] = "lo";
  variables[kWorkerBase] = Json(variables).dump();
  Launch result;
  result.exit_code = run_launcher(command, variables);
  std::map<std::pair<int, int>, Json> started;
  std::vector<std::pair<int, int>> terminated;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("terminated-")) terminated.push_back(attempt_and_rank(name));
    if (!name.starts_with("started-")) continue;
    std::ifstream file(entry.path());
    Json note = Json::parse(file);
    for (const auto& variable : note.at("variables").items())
      if (variable.value() == std::to_string(port))
        variable.value() = "PORT";
      else if (variable.key() == "TORCHELASTIC_ERROR_FILE")
        variable.value() = "(a path)";
    started[attempt_and_rank(name)] = std::move(note);
  }
  for (const auto& [key, note] : started) {
    const auto attempt = static_cast<std::size_t>(key.first);
    while (result.attempts.size() <= attempt) result.attempts.push_back(Json::array());
    result.attempts[attempt].push_back(note);
  }
  std::sort(terminated.begin(), terminated.end());
  for (const auto& [attempt, rank] : terminated)
    result.terminated.push_back(Json::array({attempt, rank}));
  return result;
}

void expect_json(Case& c, const std::string& what, const Json& actual, const Json& expected) {
  c.expect_text(what, actual.dump(), expected.dump());
}

/// Returns the launcher of PyTorch: TAPER_ORACLE_TORCHRUN, or torchrun in PATH.
std::string torchrun() {
  const char* const given = std::getenv("TAPER_ORACLE_TORCHRUN");
  const std::string program = given ? given : find_program("torchrun");
  if (program.empty()) throw Unsupported("torchrun, which is not installed");
  return program;
}

/// Returns the value of an option `--name=value` of the launcher.
std::string option_of(const Json& args, const std::string& name, const std::string& otherwise) {
  for (const Json& arg : args)
    if (const std::string text = arg; text.starts_with(name + "="))
      return text.substr(name.size() + 1);
  return otherwise;
}

void expect_torchrun(Case& c, const Json& expected) {
  const int port = distributed::find_free_port();
  std::vector<std::string> command = {torchrun()};
  for (std::string arg : c.at("args")) {
    if (const std::size_t at = arg.find("PORT"); at != std::string::npos)
      arg.replace(at, 4, std::to_string(port));
    command.push_back(arg);
  }
  command.insert(command.end(), {"--no-python", program_beside(kWorker)});
  for (const Json& arg : c.at("script_args")) command.push_back(arg);
  const Launch result = launch(c, command, port);
  expect_json(c, "torchrun: exit_code", result.exit_code, expected.at("exit_code"));
  expect_json(c, "torchrun: attempts", result.attempts, expected.at("attempts"));
  expect_json(c, "torchrun: terminated", result.terminated, expected.at("terminated"));
}

/// Returns the variables that `taper run` sets as torchrun does.
Json common_part(Json attempts) {
  for (Json& attempt : attempts)
    for (Json& worker : attempt) {
      Json common = Json::object();
      for (const char* name : kCommonVariables)
        if (worker.at("variables").contains(name)) common[name] = worker.at("variables").at(name);
      worker["variables"] = common;
    }
  return attempts;
}

/// Compares `taper run`. Its exit status is that of the rank that failed last.
void expect_taper_run(Case& c, const Json& expected) {
  const std::string program = program_beside("taper");
  if (!fs::exists(program)) throw Unsupported("the program taper beside taper_oracle");
  const int port = distributed::find_free_port();
  std::vector<std::string> command = {program,
                                      "run",
                                      "-n",
                                      option_of(c.at("args"), "--nproc-per-node", "1"),
                                      "--max-restarts",
                                      option_of(c.at("args"), "--max-restarts", "0"),
                                      "--master-port",
                                      std::to_string(port),
                                      program_beside(kWorker)};
  for (const Json& arg : c.at("script_args")) command.push_back(arg);
  const Launch result = launch(c, command, port);
  const std::size_t attempts = expected.at("attempts").size();
  int status = 0;
  for (const Json& exit : c.at("exits"))
    if (exit.at(0) == attempts - 1) status = exit.at(2);
  expect_json(c, "taper run: exit status", result.exit_code, status);
  expect_json(c, "taper run: attempts", common_part(result.attempts),
              common_part(expected.at("attempts")));
  expect_json(c, "taper run: terminated", result.terminated, expected.at("terminated"));
}

}  // namespace

void run_elastic(Case& c) {
  const std::string kind = c.text("kind");
  if (kind != "torchrun") throw MalformedCase("unknown kind '" + kind + "'");
  c.ignore({"world", "note"});
  const Json& expected = c.at("expected");
  for (const char* field : {"args", "exits", "script_args", "environment"}) c.at(field);
  expect_taper_run(c, expected);
  expect_torchrun(c, expected);
}

}  // namespace taper::oracle
