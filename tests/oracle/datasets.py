#!/usr/bin/env python3
"""datasets.py ENGINE DATASET [QUESTION.sql…]: answers questions over a dataset on an engine that knows nothing of Syncline.

ENGINE is duckdb, datafusion or sqlite. The tables are declared by the dataset's own tables.ENGINE.sql; those of sqlite are filled
with the rows that DuckDB reads. Prints one JSON object: for each
question, by the name of its file without .sql, {"columns": […], "rows": [[…], …]}. Without questions it answers the text on
standard input, by the name "-"."""
import json, os, sys

engine, dataset, *questions = sys.argv[1:]
texts = {os.path.basename(path)[:-4]: open(path, encoding="utf-8").read() for path in questions}
if not texts:
    texts["-"] = sys.stdin.read()
os.chdir(dataset)


def statements(path):
    """The statements of a file, which end with `;` at the end of a line."""
    with open(path, encoding="utf-8") as file:
        parts = file.read().split(";\n")
    return [part for part in parts if part.strip()]


if engine == "duckdb":
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads=2")
    for statement in statements("tables.duckdb.sql"):
        connection.execute(statement)

    def ask(text):
        answer = connection.execute(text)
        return [column[0] for column in answer.description], answer.fetchall()

elif engine == "datafusion":
    from datafusion import SessionConfig, SessionContext

    context = SessionContext(SessionConfig({"datafusion.execution.target_partitions": "2"}))
    for statement in statements("tables.datafusion.sql"):
        context.sql(statement).collect()

    def ask(text):
        frame = context.sql(text)
        rows = [row for batch in frame.collect() for row in zip(*(column.to_pylist() for column in batch.columns))]
        return [field.name for field in frame.schema()], rows

elif engine == "sqlite":
    import duckdb, sqlite3

    files, connection = duckdb.connect(), sqlite3.connect(":memory:")
    for statement in statements("tables.duckdb.sql"):
        files.execute(statement)
    for (table,) in files.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall():
        answer = files.execute(f"SELECT * FROM {table}")
        columns = ", ".join(column[0] for column in answer.description)
        connection.execute(f"CREATE TABLE {table} ({columns})")
        marks = ", ".join("?" for _ in answer.description)
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", answer.fetchall())
    connection.execute("CREATE INDEX spans_id ON spans (run, rank, id)")
    connection.execute("CREATE INDEX spans_kind ON spans (run, rank, kind, ts)")

    def ask(text):
        answer = connection.execute(text)
        return [column[0] for column in answer.description], answer.fetchall()

else:
    sys.exit(f"there is no engine {engine}")


def plain(value):
    return value if value is None or isinstance(value, (int, float, str)) else float(value)


answers = {}
for name, text in texts.items():
    try:
        columns, rows = ask(text)
    except Exception as error:
        sys.exit(f"{engine}, {name}: {error}")
    answers[name] = {"columns": columns, "rows": [[plain(value) for value in row] for row in rows]}
json.dump(answers, sys.stdout)
sys.stdout.flush()
os._exit(0)
