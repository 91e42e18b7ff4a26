"""Copies cases of selected layers or functions from a larger set into tests/oracle_cases.

    python tests/golden/oracle_cases.py SET tests/oracle_cases FAMILY:NAME,NAME,... ...

SET is a directory of case files (<family>.json, <family>.safetensors) as taper_oracle reads them. A name may also
be the id of a case. A family without names is copied completely.
"""
import json
import pathlib
import struct
import sys


def read(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + length]), data[8 + length:]


def copy(source, target, family, names):
    whole = json.loads((source / f"{family}.json").read_text())
    whole["cases"] = [c for c in whole["cases"] if not names or c.get("name") in names or c["id"] in names]
    header, data = read(source / f"{family}.safetensors")
    kept, body = {}, b""
    ids = tuple(c["id"] + "/" for c in whole["cases"])
    for key, entry in header.items():
        if key.startswith(ids):
            begin, end = entry["data_offsets"]
            kept[key] = dict(entry, data_offsets=[len(body), len(body) + end - begin])
            body += data[begin:end]
    text = json.dumps(kept, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (target / f"{family}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    cases = ",\n".join(json.dumps(c, separators=(",", ":")) for c in whole.pop("cases"))
    head = json.dumps(whole, separators=(",", ":"))
    (target / f"{family}.json").write_text(f'{head[:-1]},"cases":[\n{cases}\n]}}\n')


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    for argument in sys.argv[3:]:
        family, _, names = argument.partition(":")
        copy(source, target, family, set(names.split(",")) if names else set())


main()
