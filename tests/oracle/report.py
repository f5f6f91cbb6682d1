"""Says what is wrong with a report in HTML, as Python's own parser reads it.

    python3 tests/oracle/report.py figures REPORT.html FOLDER
    python3 tests/oracle/report.py markup REPORT.html NAME

FOLDER holds what `syncline idle`, `critical-path` and `statistics` say in JSON. Exit code 1 and a sentence for everything wrong.
"""

import json
import os
import sys
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

TAGS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "dl", "dt", "dd", "table", "tr", "th", "td", "img"}
IDLE = ["busy_ns", "host_ns", "host_sync_ns", "dependency_ns", "latency_ns", "unknown_ns", "after_ns", "rank_wait_ns"]


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.tags, self.pictures, self.texts = {}, Counter(), [], []
        self.wrong, self.table, self.cell = [], None, None

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        attributes = dict(attributes)
        if tag not in TAGS:
            self.wrong.append(f"a tag {tag}")
        for key, value in attributes.items():
            if key.startswith("on") or key in ("href", "srcset", "action"):
                self.wrong.append(f"an attribute {key}")
            if key == "src" and not value.startswith("data:image/svg+xml"):
                self.wrong.append(f"something loaded: {value[:60]}")
        if tag == "table":
            self.table = self.tables.setdefault(attributes.get("data-table"), [])
        elif tag == "tr" and self.table is not None:
            self.table.append([])
        elif tag in ("td", "th") and self.table:
            value = attributes.get("data-value")
            self.cell = [tag, "", None if value is None else int(value)]
            self.table[-1].append(self.cell)
        elif tag == "img":
            self.pictures.append(unquote(attributes["src"].split(",", 1)[1]))

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = None
        elif tag == "table":
            self.table = None

    def handle_data(self, data):
        self.texts.append(data)
        if self.cell is not None:
            self.cell[1] += data

    def rows(self, name):
        return [row for row in self.tables.get(name, []) if row and row[0][0] == "td"]


def read(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    return page


def lines(folder, name):
    with open(os.path.join(folder, name + ".jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def figures(path, folder):
    page = read(path)
    wrong = page.wrong
    wanted = [(it["lane"], [it[key] for key in IDLE]) for it in lines(folder, "idle") if it["type"] == "idle"]
    have = [(row[0][1], [cell[2] for cell in row[1:]]) for row in page.rows("idle")]
    if have != wanted[:40]:
        wrong.append(f"idle: {have[:2]} and not {wanted[:2]}")
    steps = [it["to_ns"] - it["from_ns"] for it in lines(folder, "idle") if it["type"] == "iteration"]
    if [row[3][2] for row in page.rows("iterations")] != steps[:40]:
        wrong.append("iterations take other times")
    uses = Counter()
    for it in lines(folder, "critical-path"):
        if it["type"] == "path":
            uses[it["what"]] += it["to_ns"] - it["from_ns"]
    if {row[0][1]: row[1][2] for row in page.rows("path")} != dict(uses):
        wrong.append(f"the path is made of {dict(uses)}")
    operations = [it for it in lines(folder, "statistics") if it["group"] == "streams"]
    keys = ["count", "total_ns", "median_ns", "p95_ns", "max_ns"]
    wanted = Counter(tuple(it[key] for key in keys) for it in operations)
    have = Counter((row[2][2], row[3][2], row[5][2], row[6][2], row[7][2]) for row in page.rows("operations"))
    if have - wanted or (len(operations) <= 20 and wanted - have):
        wrong.append(f"operations: {sorted((have - wanted))[:2]}")
    for picture in page.pictures:
        if not picture.startswith("<svg ") or not picture.endswith("</svg>\n") or "http://" in picture.replace("http://www.w3.org/", ""):
            wrong.append(f"a picture is no drawing: {picture[:80]}")
    tell(wrong)


def markup(path, name):
    page = read(path)
    wrong = page.wrong
    if page.tags["script"] or "http://example.org" in "".join(page.tags):
        wrong.append("there is a script")
    if not any(name in text for text in page.texts):
        wrong.append("the name is not there as text")
    tell(wrong)


def tell(wrong):
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    {"figures": figures, "markup": markup}[sys.argv[1]](*sys.argv[2:])
