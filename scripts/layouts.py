"""Holds offsets and lengths of data items, as `war-rig facts` has them, against GnuCOBOL.

layouts.py WORK BINARY

WORK is a folder of sources that GnuCOBOL compiles, as check-fixtures makes it: `cbl`, `cpy`, and `programs`, a line for each with its
name, its lines and the options it needs. Of each program one is made whose PROCEDURE DIVISION writes the place and the length of every
item that has a name. Tables are written at their largest, and of their items the first.
"""
import json
import os
import re
import subprocess
import sys

WORK, BINARY = sys.argv[1], os.path.abspath(sys.argv[2])
# GnuCOBOL has addresses of eight bytes.
ENVIRONMENT = dict(os.environ, WAR_RIG_SOURCE__POINTER_BYTES="8")
# What LINKAGE items are laid over.
LARGEST = 1000000
COMMON = re.compile(r"(?i)^(.*\bPROGRAM-ID\..*?)\s+(?:IS\s+)?COMMON(?:\s+PROGRAM)?\b")
SECTION = re.compile(r"(?i)^.{0,6} *(WORKING-STORAGE|LINKAGE)\s+SECTION")


def facts(name):
    run = [BINARY, "facts", os.path.join("cbl", name), "--format", "json", "--copybooks", "cpy"]
    return json.loads(subprocess.run(run, cwd=WORK, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout)


def own_items(found, program):
    """The items of a program, with the groups that hold each."""
    items, open_groups = [], []
    for item in found["data_items"]:
        if item["program"] != program["program_id"]:
            continue
        item = dict(item, above=[])
        if item["level"] not in (66, 78, 88):
            while open_groups and (item["level"] in (1, 77) or open_groups[-1]["level"] >= item["level"]):
                open_groups.pop()
            item["above"] = list(open_groups)
            open_groups.append(item)
        elif item["level"] == 66:
            item["above"] = open_groups[:1]
        items.append(item)
    return items


def reference(item):
    """The words by which the PROCEDURE DIVISION names the first occurrence of an item."""
    named = [group["name"] for group in reversed(item["above"]) if group["name"] != "FILLER"]
    depth = sum(1 for group in item["above"] + [item] if group["occurs"])
    words = [item["name"]] + [word for name in named for word in ("OF", name)]
    return words + (["(" + " ".join("1" * depth) + ")"] if depth else [])


def wrapped(words):
    lines, line = [], " " * 11
    for word in words:
        if len(line) + 1 + len(word) > 72:
            lines.append(line)
            line = " " * 15
        line += " " + word
    return lines + [line]


def program_of(lines, found, program):
    """The lines of the program that writes, and the items it writes of."""
    own = [d for d in found["divisions"] if d["program"] == program["program_id"]]
    first = min(d["line"] for d in own)
    procedure = [d["line"] for d in own if d["name"] == "PROCEDURE"]
    data = [d for d in own if d["name"] == "DATA"]
    if not data:
        return None, []
    end = procedure[0] - 1 if procedure else data[-1]["end_line"]
    items = own_items(found, program)
    out = [COMMON.sub(r"\1", line) for line in lines[first - 1:end]]
    area = [
        "       01  WAR-RIG-P POINTER.",
        "       01  WAR-RIG-N REDEFINES WAR-RIG-P BINARY-DOUBLE UNSIGNED.",
        "       01  WAR-RIG-BASE BINARY-DOUBLE UNSIGNED.",
        "       01  WAR-RIG-PLACE PIC 9(9).",
        "       01  WAR-RIG-LENGTH PIC 9(9).",
        "       01  WAR-RIG-AREA PIC X(%d)." % LARGEST,
    ]
    working = next((at for at, line in enumerate(out) if SECTION.match(line) and "WORKING" in line.upper()), None)
    linkage = next((at for at, line in enumerate(out) if SECTION.match(line) and "LINKAGE" in line.upper()), len(out))
    if working is not None:
        out[working + 1:working + 1] = area
    else:
        out[linkage:linkage] = ["       WORKING-STORAGE SECTION."] + area
    out.append("       PROCEDURE DIVISION.")
    out.append("       WAR-RIG-WRITES.")
    for item in items:
        if item["section"] == "LINKAGE" and item["level"] in (1, 77) and item["name"] != "FILLER" and not item["redefines"]:
            out += wrapped(["SET", "ADDRESS", "OF", item["name"], "TO", "ADDRESS", "OF", "WAR-RIG-AREA"])
    for item in items:
        if item.get("depending_on"):
            out += wrapped(["MOVE", str(item["occurs"]), "TO", item["depending_on"]])
    written = []
    for number, item in enumerate(items):
        if item["name"] == "FILLER" or item["level"] in (78, 88) or (item["above"] and item["above"][0]["name"] == "FILLER"):
            continue
        if item["section"] in ("REPORT", "SCREEN", "COMMUNICATION") or item["length"] is None:
            continue
        record = (item["above"] or [item])[0]
        out += wrapped(["SET", "WAR-RIG-P", "TO", "ADDRESS", "OF"] + reference(record))
        out += wrapped(["MOVE", "WAR-RIG-N", "TO", "WAR-RIG-BASE"])
        out += wrapped(["SET", "WAR-RIG-P", "TO", "ADDRESS", "OF"] + reference(item))
        out += wrapped(["SUBTRACT", "WAR-RIG-BASE", "FROM", "WAR-RIG-N", "GIVING", "WAR-RIG-PLACE"])
        out += wrapped(["MOVE", "LENGTH", "OF"] + reference(item) + ["TO", "WAR-RIG-LENGTH"])
        out += wrapped(["DISPLAY", "'%d '" % number, "WAR-RIG-PLACE", "' '", "WAR-RIG-LENGTH"])
        written.append(number)
    out.append("           STOP RUN.")
    return out, [(number, items[number]) for number in written]


def main():
    os.makedirs(os.path.join(WORK, "layouts"), exist_ok=True)
    done, compared, wrong = set(), 0, []
    for row in open(os.path.join(WORK, "programs")):
        name, _, options = row.rstrip("\n").split("\t")
        if name in done:
            continue
        done.add(name)
        with open(os.path.join(WORK, "cbl", name), encoding="latin-1") as source:
            lines = source.read().split("\n")
        found = facts(name)
        for number, program in enumerate(found["programs"]):
            # A function would have to return something.
            if not re.search(r"(?i)\bPROGRAM-ID\b", "\n".join(lines[program["start_line"] - 1:program["end_line"]])):
                continue
            out, items = program_of(lines, found, program)
            if not items:
                continue
            written = "%s-%d" % (name.split(".")[0], number)
            with open(os.path.join(WORK, "layouts", written + ".cbl"), "w", encoding="latin-1") as source:
                source.write("\n".join(out) + "\n")
            folders = ["-I", "../cpy", "-I", "../cpy/PENLIB"]
            compiled = subprocess.run(["cobc", "-x", "-std=ibm", "-w"] + folders + options.split() + [written + ".cbl"],
                                      cwd=os.path.join(WORK, "layouts"), capture_output=True, text=True)
            if compiled.returncode:
                wrong.append("%s: %s" % (written, compiled.stderr.strip()[-2000:]))
                continue
            ran = subprocess.run(["./" + written], cwd=os.path.join(WORK, "layouts"), capture_output=True, text=True)
            said = {int(n): (int(at), int(length)) for n, at, length in map(str.split, ran.stdout.splitlines())}
            for number, item in items:
                compared += 1
                ours = (item["offset"], item["length"])
                if said.get(number) != ours:
                    place = "%s:%s" % (item.get("file") or name, item["line"])
                    wrong.append("%s %s `%s`: offset and length %s, GnuCOBOL %s"
                                 % (written, place, item["name"], ours, said.get(number)))
    for line in wrong:
        print("FAIL  " + line)
    print("%d data items of %d programs compared, %d differ" % (compared, len(done), len(wrong)))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
