"""Asks an engine for SQL that is installed, for a program that cannot load it.

One line of JSON on standard input is the request, lines of JSON on standard output are the answer, and the exit code is 0 also
where that is an error. What engines print themselves goes to standard error.

    {"list": true}
        {"engines": [{"name": "spark", "version": "4.3.0", "lacks": "Java 17 or newer"}, …]}
        All engines, those that are not installed with the version null. None is imported for it.
    {"engine": "duckdb", "at": null, "statements": ["CREATE VIEW …", …], "question": "SELECT …", "most_rows": 10000}
        {"engine": "DuckDB 2.0.0"}
        {"columns": ["rank", …]}
        {"rows": [[0, …], …]}                   as often as there are rows, with 1,000 of them at most
        {"end": 2000, "more": false}            the number of rows sent; true where the answer has more than were asked for
        {"error": "…", "kind": "question"}      instead of any of these and the last line; "engine" where not the question is wrong

`statements` declare the tables by absolute paths. `at` is the master of `spark` (local[*] without one) and the address of
`connect`. Whole numbers are integers of any size, NaN is null, infinities and values that JSON has no kind for are texts.
"""

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # a duckdb.py in the folder where this was started is not the engine

import glob, importlib.metadata, itertools, json, math, os, re, shutil, signal, subprocess, tempfile, time
from decimal import Decimal
from importlib.util import find_spec

BATCH = 1000
FEW = 100_000  # rows that Spark collects at once
ANSI = {"0A", "21", "22", "42", "P0"}  # classes of SQLSTATE that blame the question


def plain(value):
    """A value as JSON has it."""
    if value is None or isinstance(value, (str, int)):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isinf(value):
        return None if math.isnan(value) else value
    return str(value)


def paragraph(text):
    """The first paragraph of a message in one line; the rest points into the statement, or is a list of calls."""
    text = re.split(r"\n\s*\n|\nTraceback|\nStack Trace", text.strip())[0]
    return " ".join(text.split())


def with_line(text, whole):
    """A message with the line that the whole of it names."""
    line = re.search(r"\bline (\d+)(?::|,? pos)", whole, re.IGNORECASE)
    return f"{text} (line {line[1]})" if line else text


def scratch_folder():
    """A folder for what an engine writes. Another process deletes it when this one has ended, in whatever way."""
    folder = tempfile.mkdtemp(prefix="syncline-")
    delete = (
        "import os, shutil, sys, time\n"
        "sys.stdin.read()\n"
        "for wait in [0.1] * 20 + [1] * 30:\n"
        "    shutil.rmtree(sys.argv[1], True)\n"
        "    time.sleep(wait)\n"
        "    if not os.path.exists(sys.argv[1]): break\n"
    )
    null, command = subprocess.DEVNULL, [sys.executable, "-I", "-S", "-c", delete, folder]
    watcher = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=null, stderr=null, cwd="/", start_new_session=True)
    scratch_folder.watchers = [*getattr(scratch_folder, "watchers", ()), watcher]  # its pipe stays open as long as this is kept
    return folder


def damaged_file(statements, read, seconds=10):
    """The first file of the tables that cannot be read, for an error that does not name it, if that is found in time."""
    until = time.monotonic() + seconds
    for place in re.findall(r"'(/[^']*)'", "\n".join(statements)):
        for path in glob.iglob(place if "*" in place else f"{place}/**/*.parquet", recursive=True):
            if time.monotonic() > until:
                return None
            try:
                read(path)
            except Exception:
                return path


class DuckDb:
    def __init__(self, at):
        import duckdb

        self.errors = duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError
        self.connection = duckdb.connect()
        self.title = f"DuckDB {duckdb.__version__}"
        self.connection.execute(f"SET temp_directory = '{scratch_folder()}/duckdb'")
        self.connection.execute("SET python_enable_replacements = false")  # a variable of this program is no table

    def declare(self, statement):
        self.connection.execute(statement)

    def ask(self, question, most):
        answer = self.connection.cursor().execute(question)
        columns = [column[0] for column in answer.description or ()]
        batches = iter(lambda: answer.fetchmany(BATCH), []) if columns else ()
        return columns, itertools.chain.from_iterable(batches)

    def explain(self, error):
        text = str(error)
        files = "failed to import" in text or ".parquet'" in paragraph(text)
        is_question = isinstance(error, self.errors) and not files
        return is_question, with_line(paragraph(text), text) if is_question else paragraph(text)

    def read(self, path):
        path = path.replace("'", "''")
        self.connection.cursor().execute(f"SELECT count(hash(COLUMNS(*))) FROM read_parquet('{path}')").fetchall()


class DataFusion:
    def __init__(self, at):
        import datafusion

        self.context = datafusion.SessionContext()
        self.title = f"DataFusion {importlib.metadata.version('datafusion')}"

    def declare(self, statement):
        self.context.sql(statement).collect()

    def ask(self, question, most):
        frame = self.context.sql(question)
        batches = (batch.to_pyarrow() for batch in frame.execute_stream())
        rows = (zip(*(column.to_pylist() for column in batch.columns)) for batch in batches)
        return [field.name for field in frame.schema()], itertools.chain.from_iterable(rows)

    def explain(self, error):
        text = paragraph(str(error)).removeprefix("DataFusion error: ")
        broken = r"Parquet|Object ?Store|\bIO error|External error|Resources exhausted|Internal error|No such file|os error"
        return isinstance(error, Exception) and not re.search(broken, text), text

    def read(self, path):
        import pyarrow.parquet

        pyarrow.parquet.read_table(path)


class Spark:
    read = None  # its errors name the file

    def __init__(self, at):
        if lacks := spark_lacks():
            raise ImportError(f"Spark needs {lacks}")
        for name in ("SPARK_REMOTE", "SPARK_API_MODE", "SPARK_CONNECT_MODE_ENABLED"):
            os.environ.pop(name, None)
        from pyspark.sql import SparkSession

        folder, master = scratch_folder(), at or "local[*]"
        options = {
            "spark.api.mode": "classic",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.warehouse.dir": f"file:{folder}/warehouse",
            "spark.driver.defaultJavaOptions": f"-Djava.io.tmpdir={folder} -Dderby.system.home={folder}",
        }
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            tasks = str(max(8, os.cpu_count() or 1))
            options |= {
                "spark.local.dir": folder,
                "spark.driver.memory": driver_memory(),
                "spark.sql.shuffle.partitions": tasks,
                "spark.sql.sources.parallelPartitionDiscovery.parallelism": tasks,
            }
        if master.startswith("local-cluster"):
            link_home(f"{folder}/home")
        os.chdir(folder)  # Spark writes where it is started
        builder = SparkSession.builder.appName("syncline").master(master)
        for option in options.items():
            builder = builder.config(*option)
        self.session = builder.getOrCreate()
        self.title = f"Spark {self.session.version}"

    def declare(self, statement):
        self.session.sql(statement)

    def ask(self, question, most):
        frame = self.session.sql(question)
        if most < FEW:  # reads no more files than the first rows need
            return frame.columns, frame.limit(most + 1).collect()
        return frame.columns, frame.toLocalIterator()

    def explain(self, error):
        text = str(error)
        if "RpcError" in text or "Rendezvous" in text:
            text = (re.search(r'details = "(.*?)"\s', text) or [text, text])[1]
        state = re.search(r"SQLSTATE: (\w\w)\w{3}", text)
        names = {kind.__name__ for kind in type(error).__mro__}
        is_question = state[1] in ANSI if state else bool(names & {"AnalysisException", "ParseException"})
        first = re.sub(r"^An error occurred while calling \S+\s*:\s*|^\s+", "", text).split("\n")[0]
        first = re.sub(r"\s*SQLSTATE: \w{5}.*", "", re.sub(r"^(\w+\.)+\w+(Exception|Error): ", "", first))
        return is_question, with_line(first, text) if is_question else first


class Connect(Spark):
    def __init__(self, at):
        if lacks := connect_lacks():
            raise ImportError(f"Spark Connect needs {lacks}")
        from pyspark.sql import SparkSession

        self.session = SparkSession.builder.remote(at).getOrCreate()
        self.title = f"Spark Connect {self.session.version}"

    def ask(self, question, most):
        frame = self.session.sql(question)
        return frame.columns, frame.limit(most + 1).toLocalIterator()


def link_home(folder):
    """Makes a home of Spark of links to the one that is installed: executors on this computer write into its folder `work`."""
    from pyspark.find_spark_home import _find_spark_home

    installed = _find_spark_home()
    os.mkdir(folder)
    for name in set(os.listdir(installed)) - {"work"}:
        os.symlink(os.path.join(installed, name), os.path.join(folder, name))
    os.environ["SPARK_HOME"] = folder


def driver_memory():
    """A quarter of this computer's memory, from 1 to 8 GB."""
    try:
        quarter = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 22
    except (AttributeError, ValueError):
        quarter = 2048
    return f"{min(max(quarter, 1024), 8192)}m"


def spark_lacks():
    spec = find_spec("pyspark")
    folders = [os.environ.get("SPARK_HOME"), *(spec.submodule_search_locations if spec else ())]
    if not any(folder and os.path.isdir(os.path.join(folder, "jars")) for folder in folders):
        return "the package pyspark"
    java = os.path.join(os.environ.get("JAVA_HOME", ""), "bin", "java")
    return None if shutil.which("java") or shutil.which(java) else "Java 17 or newer"


def connect_lacks():
    needed = {"grpc": "grpcio", "grpc_status": "grpcio-status", "pandas": "pandas", "pyarrow": "pyarrow", "zstandard": "zstandard"}
    absent = [package for module, package in needed.items() if not find_spec(module)]
    return f"the packages {', '.join(absent)}" if absent else None


def version(module, packages):
    """The version of an installed module, by the packages that it may come from."""
    if not find_spec(module):
        return None
    for package in packages:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "of unknown version"


SPARK = "pyspark", ("pyspark", "pyspark-client")
ENGINES = {
    "duckdb": (DuckDb, "duckdb", ("duckdb",), lambda: None),
    "datafusion": (DataFusion, "datafusion", ("datafusion",), lambda: None),
    "spark": (Spark, *SPARK, spark_lacks),
    "connect": (Connect, *SPARK, connect_lacks),
}


def installed():
    for name, (_, module, packages, lacks) in ENGINES.items():
        found = {"name": name, "version": version(module, packages)}
        missing = lacks() if found["version"] else None
        yield found | {"lacks": missing} if missing else found


def answer(request, send):
    kind, statements = ENGINES[request["engine"]][0], request["statements"]
    engine, is_declared = None, False
    try:
        engine = kind(request.get("at"))
        send({"engine": engine.title})
        for statement in statements:
            engine.declare(statement)
        is_declared = True
        most = request["most_rows"]
        columns, rows = engine.ask(request["question"], most)
        send({"columns": columns})
        rows, sent = iter(rows), 0
        while batch := list(itertools.islice(rows, min(BATCH, most - sent))):
            send({"rows": [[plain(value) for value in row] for row in batch]})
            sent += len(batch)
        send({"end": sent, "more": next(rows, None) is not None})
    except BrokenPipeError:
        raise
    except BaseException as error:
        is_question, text = engine.explain(error) if engine else (False, Spark.explain(None, error)[1])
        is_question &= is_declared
        if not is_question and engine and engine.read and ".parquet" not in text:
            path = damaged_file(statements, engine.read)
            text = f"{path}: {text}" if path else text
        send({"error": text[:2000] or type(error).__name__, "kind": "question" if is_question else "engine"})


def main():
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what engines print is not part of the answer
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends at once, also inside an engine
    sys.modules["__main__"].__file__ = "client.py"  # without one, Spark Connect thinks that its own tests are running

    def send(line):
        output.write(json.dumps(line, allow_nan=False) + "\n")
        output.flush()

    try:
        request = json.loads(sys.stdin.readline())
        if request.get("list"):
            send({"engines": list(installed())})
        else:
            answer(request, send)
    except BrokenPipeError:
        pass
    os._exit(0)  # engines have threads that would be waited for


if __name__ == "__main__":
    main()
