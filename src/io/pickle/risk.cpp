// Risk classification of the names in a pickle.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "io/pickle/globals/safe_globals.h"
#include "taper/io/pickle_scan.h"

namespace taper {
namespace {

using Names = std::string_view;

bool is_data(std::string_view name) {
  return io::known_risk(name) == PickleRisk::data || name.starts_with("numpy.dtypes.");
}

bool is_dangerous(std::string_view name) {
  constexpr std::array kModules = {Names("os"),
                                   Names("posix"),
                                   Names("nt"),
                                   Names("sys"),
                                   Names("subprocess"),
                                   Names("commands"),
                                   Names("shutil"),
                                   Names("socket"),
                                   Names("ssl"),
                                   Names("pty"),
                                   Names("runpy"),
                                   Names("importlib"),
                                   Names("imp"),
                                   Names("ctypes"),
                                   Names("_ctypes"),
                                   Names("cffi"),
                                   Names("code"),
                                   Names("codeop"),
                                   Names("pdb"),
                                   Names("bdb"),
                                   Names("timeit"),
                                   Names("cProfile"),
                                   Names("profile"),
                                   Names("trace"),
                                   Names("doctest"),
                                   Names("webbrowser"),
                                   Names("http"),
                                   Names("urllib"),
                                   Names("urllib2"),
                                   Names("requests"),
                                   Names("httpx"),
                                   Names("aiohttp"),
                                   Names("ftplib"),
                                   Names("smtplib"),
                                   Names("telnetlib"),
                                   Names("pickle"),
                                   Names("_pickle"),
                                   Names("cPickle"),
                                   Names("dill"),
                                   Names("cloudpickle"),
                                   Names("joblib"),
                                   Names("marshal"),
                                   Names("types"),
                                   Names("inspect"),
                                   Names("operator"),
                                   Names("_operator"),
                                   Names("functools"),
                                   Names("_functools"),
                                   Names("itertools"),
                                   Names("multiprocessing"),
                                   Names("threading"),
                                   Names("_thread"),
                                   Names("concurrent"),
                                   Names("asyncio"),
                                   Names("signal"),
                                   Names("io"),
                                   Names("_io"),
                                   Names("tempfile"),
                                   Names("glob"),
                                   Names("fileinput"),
                                   Names("linecache"),
                                   Names("zipimport"),
                                   Names("pkgutil"),
                                   Names("pip"),
                                   Names("setuptools"),
                                   Names("distutils"),
                                   Names("platform"),
                                   Names("gc"),
                                   Names("atexit"),
                                   Names("builtins"),
                                   Names("idlelib"),
                                   Names("lib2to3"),
                                   Names("torch.hub"),
                                   Names("torch.load"),
                                   Names("torch.jit"),
                                   Names("torch.utils.cpp_extension"),
                                   Names("torch.ops"),
                                   Names("torch.classes"),
                                   Names("torch.serialization"),
                                   Names("torch.compile"),
                                   Names("torch._dynamo"),
                                   Names("torch._inductor")};
  if (name.starts_with("(")) return true;  // the scanner could not determine the name
  return std::any_of(kModules.begin(), kModules.end(), [&](Names m) {
    return name.starts_with(m) && (name.size() == m.size() || name[m.size()] == '.');
  });
}

/// Returns true for a class in torch.nn.modules, torch.nn.parameter or torch.optim, such as
/// torch.nn.modules.conv.Conv2d or torch.optim.adam.Adam.
bool is_torch_class(std::string_view name) {
  const bool place = name.starts_with("torch.nn.modules.") || name.starts_with("torch.optim.") ||
                     name.starts_with("torch.nn.parameter.");
  const std::size_t dot = name.rfind('.');
  if (!place || dot + 1 >= name.size() || !std::isupper(static_cast<unsigned char>(name[dot + 1])))
    return false;
  return std::count(name.begin(), name.end(), '.') <= 4 &&
         std::none_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot),
                      [](unsigned char c) { return std::isupper(c); });
}

}  // namespace

std::string_view name_of(PickleRisk risk) {
  switch (risk) {
    case PickleRisk::allowed: return "allowed";
    case PickleRisk::data: return "data";
    case PickleRisk::torch_class: return "torch_class";
    case PickleRisk::code: return "code";
    case PickleRisk::dangerous: break;
  }
  return "dangerous";
}

PickleRisk classify_global(std::string_view given, bool called) {
  const std::string name = io::python_name(given);
  if (io::is_safe_global(name)) return PickleRisk::allowed;
  if (is_data(name)) return PickleRisk::data;
  // Bound methods, such as hooks, are pickled as getattr. A call of the result is classified
  // separately.
  if (name == "builtins.getattr") return PickleRisk::code;
  if (is_dangerous(name)) return PickleRisk::dangerous;
  if (is_torch_class(name) || (name.starts_with("torch.") && !called))
    return PickleRisk::torch_class;
  return PickleRisk::code;
}

}  // namespace taper
