"""CaseFile: the cases of one family, a file <family>.json and its tensors in <family>.safetensors."""
import json
import platform
from importlib.metadata import PackageNotFoundError, version

from safetensors.torch import load_file, save_file


def installed(name):
    if name == "python":
        return platform.python_version()
    try:
        return version(name).split("+")[0]
    except PackageNotFoundError:
        return "not installed"


def references(value):
    """Yields every reference to a tensor, {"t": role}, within a JSON value."""
    if isinstance(value, dict):
        if isinstance(value.get("t"), str):
            yield value
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


class CaseFile:
    """`head` has the entries beside the cases; `tensors` maps `<id>/<role>` to tensors."""

    def __init__(self, name, head, cases, tensors):
        self.name, self.head, self.cases, self.tensors = name, head, cases, tensors

    @staticmethod
    def read(path):
        head = json.loads(path.read_text())
        cases = head.pop("cases")
        return CaseFile(path.stem, head, cases, load_file(path.with_suffix(".safetensors")))

    def of(self, case):
        """The tensors of a case by role."""
        prefix = case["id"] + "/"
        return {key[len(prefix):]: tensor for key, tensor in self.tensors.items() if key.startswith(prefix)}

    def replace(self, case, new, tensors):
        """Replaces a case and all its tensors, given by role."""
        self.cases[self.cases.index(case)] = new
        prefix = case["id"] + "/"
        for key in [key for key in self.tensors if key.startswith(prefix)]:
            del self.tensors[key]
        for role, tensor in tensors.items():
            self.tensors[prefix + role] = tensor.detach().clone().contiguous()

    def write(self, folder):
        """Writes both files, a case per line, with the versions of the installed packages."""
        if "versions" in self.head:
            self.head["versions"] = {name: installed(name) for name in self.head["versions"]}
        if "torch" in self.head:
            self.head["torch"] = installed("torch")
        lines = ",\n".join(json.dumps(case, separators=(",", ":"), allow_nan=False) for case in self.cases)
        text = json.dumps(self.head)[:-1] + ', "cases": [\n' + lines + "\n]}\n"
        (folder / f"{self.name}.json").write_text(text)
        save_file(self.tensors, folder / f"{self.name}.safetensors")
