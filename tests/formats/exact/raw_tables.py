"""Reads databases and results of profilers, table by table: spans with their names, times, processes and threads.

What tools write without a name, such as copies, is compared by its times alone."""

import gzip
import json
import re
import sqlite3

from facts import Facts

NUMBER = 0xFFFFFF
CUPTI = "CUPTI_ACTIVITY_KIND_"


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path.replace("?", "%3f"), uri=True)
        self.db.row_factory = sqlite3.Row
        self.db.text_factory = lambda it: it.decode("utf-8", "replace")
        self.names = {row[0] for row in self.db.execute("select name from sqlite_master")}

    def rows(self, table):
        return list(self.db.execute('select * from "%s"' % table)) if table in self.names else []

    def columns(self, table):
        return {row[1] for row in self.db.execute('pragma table_info("%s")' % table)}


def database(path):
    file = Database(path)
    facts = Facts()
    # The graph of causes has arrows that no table draws, and zero is that of the tool.
    facts.unknown |= {"counters", "flows", "unnamed", "zero"}
    if "StringIds" in file.names:
        nsight(file, facts)
    elif "CANN_API" in file.names:
        ascend(file, facts)
    elif any(name.startswith("rocpd_kernel_dispatch") for name in file.names):
        rocpd(file, facts)
    else:
        return None
    return facts


def nsight(file, facts):
    texts = {row["id"]: row["value"] for row in file.rows("StringIds")}
    # Records of events and waits whose call is not in the file are spans of their own, which other tests count.
    facts.unknown.add("more")
    work = {"KERNEL": "demangledName", "MEMCPY": None, "MEMSET": None}
    for table, name in work.items():
        for row in file.rows(CUPTI + table):
            process = (row["globalPid"] >> 24) & NUMBER
            text = texts[row[name]] if name else None
            facts.span(str(process), str(row["streamId"]), text, row["start"], row["end"])
    for table in file.names:
        columns = file.columns(table)
        if not {"start", "end", "globalTid"} <= columns or not columns & {"nameId", "textId"}:
            continue
        for row in file.rows(table):
            process, thread = (row["globalTid"] >> 24) & NUMBER, row["globalTid"] & NUMBER
            name = texts.get(row["nameId"]) if "nameId" in columns else None
            if table == "NVTX_EVENTS":
                if row["eventType"] == 34 or row["end"] is None or row["eventType"] in (33, 39, 75, 76):
                    continue
                name = row["text"] or texts.get(row["textId"])
            else:
                # A version is no part of a name.
                name = re.sub(r"(?<=.)_v[0-9]{4,}$", "", name or "")
            if row["end"] is not None:
                facts.span(str(process), str(thread), name, row["start"], row["end"])


def rocpd(file, facts):
    threads = {row["id"]: (row["pid"], row["tid"]) for row in file.db.execute(
        "select t.id, p.pid, t.tid from rocpd_info_thread t join rocpd_info_process p on p.id = t.pid")}
    del threads
    facts.unknown |= {"process", "thread"}
    for view in ("kernels", "memory_copies", "regions"):
        for row in file.rows(view):
            facts.span("", "", row["name"] if view != "memory_copies" else None, row["start"], row["end"])


def ascend(file, facts):
    texts = {row["id"]: row["value"] for row in file.rows("STRING_IDS")}
    facts.unknown |= {"more", "process", "thread"}
    for row in file.rows("CANN_API"):
        facts.span("", "", texts.get(row["name"]), row["startNs"], row["endNs"])
    for row in file.rows("PYTORCH_API"):
        facts.span("", "", texts.get(row["name"]), int(row["startNs"]), int(row["endNs"]))
    for row in file.rows("TASK"):
        facts.span("", "", None, row["startNs"], row["endNs"])


def rocprofv3(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        processes = json.load(file).get("rocprofiler-sdk-tool")
    if processes is None:
        return None
    facts = Facts()
    facts.unknown |= {"counters", "flows", "process", "thread", "unnamed", "zero"}
    for process in processes:
        kernels = {it["kernel_id"]: it for it in process["kernel_symbols"]}
        for name, rows in process["buffer_records"].items():
            for row in rows:
                if "start_timestamp" not in row:
                    continue
                text = None
                if name == "kernel_dispatch":
                    symbol = kernels.get(row["dispatch_info"]["kernel_id"], {})
                    text = symbol.get("formatted_kernel_name") or symbol.get("kernel_name")
                facts.span("", "", text, row["start_timestamp"], row["end_timestamp"])
    return facts
