"""Asks an engine for SQL that is installed, for a program that cannot load it.

One line of JSON on standard input is the request, lines of JSON on standard output are the answer. The exit code is 0 also
where that is an error. What engines print themselves goes to standard error.

    {"list": true}
        {"engines": [{"name": "spark", "version": "4.3.0", "lacks": "Java 17 or newer"}, …]}
        All engines, those that are not installed with the version null. None is imported for it.
    {"engine": "duckdb", "at": null, "folder": "/data", "statements": ["CREATE VIEW …", …], "questions": ["SELECT …"],
     "most_rows": 10000}
        {"engine": "DuckDB 2.0.0"}            then, for each question in turn:
        {"columns": ["rank", …]}
        {"rows": [[0, …], …]}                 up to 1,000 rows, as often as there are more
        {"end": 2000, "more": false}          how many rows were sent; true where the answer has more than were asked for
        {"error": "…", "kind": "question"}    instead of the rest, at any time; "engine" where the question is not what is wrong,
                                              "absent" where the engine is not installed

Whoever asks keeps standard input open: once it is closed, nobody waits for the answer, and the program ends.
`folder` is that of the dataset, and `statements` declare its tables by absolute paths. `at` is the master of Spark, local[*] without one, or the address of a server
of Spark Connect. Whole numbers are integers, also those of decimals, and texts beyond 64 bits; NaN is null; infinities and values of other
types are texts.
"""

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # a duckdb.py in the folder where this was started is not the engine

import glob, importlib.metadata, itertools, json, math, os, re, shutil, signal, subprocess, tempfile, threading, time
from decimal import Decimal
from importlib.util import find_spec

BATCH = 1000
watchers = []  # processes that delete folders


class DuckDb:
    title, blaming = None, ()

    def open(self, at):
        import duckdb

        self.blaming = duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError
        self.connection = duckdb.connect()
        self.title = f"DuckDB {duckdb.__version__}"
        self.scratch = scratch_folder()
        self.connection.execute(f"SET temp_directory = '{self.scratch}/duckdb'")
        self.connection.execute("SET python_enable_replacements = false")  # a variable of this program is no table

    def lock(self, folder):
        """From here on questions reach no file but the dataset's, and fetch nothing."""
        places = ", ".join("'" + place.replace("'", "''") + "/'" for place in (folder, self.scratch))
        for setting in (
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            f"allowed_directories = [{places}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self.connection.execute(f"SET {setting}")

    def declare(self, statement):
        self.connection.execute(statement)

    def ask(self, question, most):
        answer = self.connection.cursor().execute(question)
        if answer is None:
            raise self.blaming[0]("There is no statement in the question")
        columns = [column[0] for column in answer.description]
        return columns, itertools.chain.from_iterable(iter(lambda: answer.fetchmany(BATCH), []))

    def explain(self, error):
        text = paragraph(error)
        is_question = isinstance(error, self.blaming) and not re.search(r"failed to import|\.parquet'", text)
        return is_question, text + line_named(error) if is_question else text

    def read(self, path):
        path = path.replace("'", "''")
        self.connection.cursor().execute(f"SELECT count(hash(COLUMNS(*))) FROM read_parquet('{path}')").fetchall()


class DataFusion:
    title = None

    def open(self, at):
        from datafusion import SessionContext

        self.context = SessionContext()
        self.title = f"DataFusion {importlib.metadata.version('datafusion')}"

    def declare(self, statement):
        self.context.sql(statement).collect()

    def ask(self, question, most):
        from datafusion import SQLOptions

        reading = SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)
        frame = self.context.sql_with_options(question, reading)
        batches = (batch.to_pyarrow() for batch in frame.execute_stream())
        rows = (zip(*(column.to_pylist() for column in batch.columns)) for batch in batches)
        return [field.name for field in frame.schema()], itertools.chain.from_iterable(rows)

    def explain(self, error):
        text = re.sub(r"^(DataFusion error: |Arrow error: |External error: |Execution error: )+", "", paragraph(error))
        broken = r"Parquet|Object Store|\bIO error|\bIo error|External error|Resources exhausted|Internal error|os error"
        return isinstance(error, Exception) and not re.search(broken, str(error)), text

    def read(self, path):
        import pyarrow.parquet

        pyarrow.parquet.read_table(path)


class Spark:
    title, session = None, None
    few = 100_000  # rows that are collected at once

    def open(self, at):
        if lacks := spark_lacks():
            raise ImportError(f"Spark needs {lacks}")
        for name in ("SPARK_REMOTE", "SPARK_API_MODE", "SPARK_CONNECT_MODE_ENABLED"):
            os.environ.pop(name, None)
        from pyspark.sql import SparkSession

        folder, master = scratch_folder(), at or "local[*]"
        options = {
            "spark.api.mode": "classic",
            "spark.ui.enabled": "false",
            "spark.sql.variable.substitute": "false",  # what a question says, and not what a setting of this computer does
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.warehouse.dir": f"file:{folder}/warehouse",
            "spark.driver.defaultJavaOptions": f"-Djava.io.tmpdir={folder} -Dderby.system.home={folder}",
        }
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            tasks = str(max(8, os.cpu_count() or 1))
            options["spark.local.dir"] = folder
            options["spark.driver.memory"] = driver_memory()
            options["spark.sql.shuffle.partitions"] = tasks
            options["spark.sql.sources.parallelPartitionDiscovery.parallelism"] = tasks
        if master.startswith("local-cluster"):
            link_home(f"{folder}/home")
        os.chdir(folder)  # Spark writes where it is started
        builder = SparkSession.builder.appName("syncline").master(master)
        for option in options.items():
            builder = builder.config(*option)
        self.session = builder.getOrCreate()
        self.title = f"Spark {self.session.version}"
        if jvm := getattr(self.session.sparkContext._gateway, "proc", None):  # which writes until it has ended
            watchers[-1].stdin.write(b"%d" % jvm.pid)
            watchers[-1].stdin.flush()

    def declare(self, statement):
        self.session.sql(statement)

    def ask(self, question, most):
        frame = self.session.sql(question)
        if most < self.few:
            return frame.columns, frame.limit(most + 1).collect()  # reads no more files than the first rows need
        return frame.columns, frame.toLocalIterator()

    def explain(self, error):
        text = re.sub(r"^An error occurred while calling \S+\s*:?", "", str(error)).strip()
        if told := re.search(r'details = "(.*?)"\n', text, re.DOTALL):
            text = told[1]
        first = re.sub(r"^(\w+\.)+\w+(Exception|Error): ", "", text.split("\n")[0])
        first = re.sub(r"\s*SQLSTATE: \w{5}.*", "", first)
        state = re.search(r"SQLSTATE: (\w\w)\w{3}", text)
        names = [kind.__name__ for kind in type(error).__mro__]
        is_question = state[1] in ("0A", "21", "22", "42", "P0") if state else "AnalysisException" in names
        return is_question, first + line_named(error) if is_question else first


class Connect(Spark):
    def open(self, at):
        if lacks := connect_lacks():
            raise ImportError(f"Spark Connect needs {lacks}")
        from pyspark.sql import SparkSession
        from pyspark.sql.connect.client.retries import DefaultPolicy

        session = SparkSession.builder.remote(at).getOrCreate()
        policies = session.client.get_retry_policies()
        session.client.set_retry_policies([DefaultPolicy(max_retries=4)])  # not for minutes, where there is no server
        self.title = f"Spark Connect {session.version}"
        session.client.set_retry_policies(policies)
        session.conf.set("spark.sql.variable.substitute", "false")
        self.session = session

    def ask(self, question, most):
        frame = self.session.sql(question)
        return frame.columns, frame.limit(most + 1).toLocalIterator()

    def close(self):
        if self.session:
            self.session.stop()


def scratch_folder():
    """A folder for what an engine writes. Another process deletes it when this one has ended, in whatever way."""
    folder = tempfile.mkdtemp(prefix="syncline-")
    delete = """import os, shutil, sys, time
jvm = int(sys.stdin.read() or 0)
until, gone = time.monotonic() + 60, 0
while jvm and os.path.exists(f"/proc/{jvm}") and time.monotonic() < until:
    time.sleep(0.1)
while gone < 5 and time.monotonic() < until:
    shutil.rmtree(sys.argv[1], True)
    time.sleep(0.2)
    gone = 0 if os.path.exists(sys.argv[1]) else gone + 1"""
    null, command = subprocess.DEVNULL, [sys.executable, "-I", "-S", "-c", delete, folder]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=null, stderr=null, cwd="/", start_new_session=True)
    watchers.append(started)  # its standard input is open as long as this is kept
    return folder


def link_home(folder):
    """Makes a home of Spark of links to the installed one: executors on this computer write into its folder `work`."""
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
    homes = [os.environ.get("SPARK_HOME"), *(spec.submodule_search_locations if spec else ())]
    if not find_spec("py4j") or not any(os.path.isdir(f"{home}/jars") for home in homes):
        return "the package pyspark"
    java = os.path.join(os.environ.get("JAVA_HOME", ""), "bin", "java")
    return None if shutil.which("java") or shutil.which(java) else "Java 17 or newer"


def connect_lacks():
    modules = {"grpc": "grpcio", "grpc_status": "grpcio-status", "pandas": "pandas", "pyarrow": "pyarrow"}
    absent = [package for module, package in modules.items() if not find_spec(module)]
    return f"the packages {', '.join(absent)}" if absent else None


ENGINES = {
    "duckdb": (DuckDb, ["duckdb"], None),
    "datafusion": (DataFusion, ["datafusion"], None),
    "spark": (Spark, ["pyspark", "pyspark-client"], spark_lacks),
    "connect": (Connect, ["pyspark", "pyspark-client"], connect_lacks),
}


def list_engines():
    """Each engine with the version of its package, the first of which has the name of the module."""
    for name, (_, packages, lacks) in ENGINES.items():
        found = {"name": name, "version": None}
        if find_spec(packages[0]):
            installed = (read_version(package) for package in packages)
            found["version"] = next(filter(None, installed), "of unknown version")
            if missing := lacks and lacks():
                found["lacks"] = missing
        yield found


def read_version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, Decimal) and value.is_finite():
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if value is None or isinstance(value, (str, int)):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, float) and not math.isinf(value):
        return None if math.isnan(value) else value
    return str(value)


def paragraph(error):
    """The first paragraph of a message in one line; the rest points into the statement, or lists calls."""
    text = re.split(r"\n\s*\n|\nTraceback|\nStack Trace", str(error).strip())[0]
    return " ".join(text.split())


def line_named(error):
    """The line of the question that a message points at, to be added to a message."""
    line = re.search(r"\bline (\d+)(?::|,? pos)", str(error), re.IGNORECASE)
    return f" (line {line[1]})" if line else ""


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


def answer_one(engine, question, most, send):
    columns, rows = engine.ask(question, most)
    send({"columns": columns})
    rows, sent = iter(rows), 0
    while batch := list(itertools.islice(rows, min(BATCH, most - sent))):
        send({"rows": [[plain(value) for value in row] for row in batch]})
        sent += len(batch)
    send({"end": sent, "more": next(rows, None) is not None})


def end_with_input():
    """Ends the program once whoever asked has gone."""
    sys.stdin.read()
    os._exit(0)


def answer(request, send):
    """Answers questions by `send`, which writes a line."""
    engine, statements, most = ENGINES[request["engine"]][0](), request["statements"], request["most_rows"]
    is_ready = False
    try:
        interrupt = signal.getsignal(signal.SIGINT)
        engine.open(request.get("at"))
        signal.signal(signal.SIGINT, interrupt)  # Spark has set one that waits
        send({"engine": engine.title})
        for statement in statements:
            engine.declare(statement)
        if hasattr(engine, "lock"):
            engine.lock(request["folder"])
        is_ready = True
        for question in request["questions"]:
            answer_one(engine, question, most, send)
    except BrokenPipeError:
        pass  # nobody listens any more
    except BaseException as error:
        is_question, text = engine.explain(error)
        is_question = is_question and is_ready
        if not is_question and engine.title and hasattr(engine, "read") and ".parquet" not in text:
            path = damaged_file(statements, engine.read)
            text = f"{path}: {text}" if path else text
        kind = "absent" if isinstance(error, ImportError) else "question" if is_question else "engine"
        send({"error": text[:2000] or type(error).__name__, "kind": kind})
    if hasattr(engine, "close"):
        engine.close()


def main():
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what engines print is not part of the answer
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends at once, also inside an engine
    sys.modules["__main__"].__file__ = "client.py"  # without a file, Spark Connect takes the program for its own tests

    def send(line):
        output.write(json.dumps(line, allow_nan=False) + "\n")
        output.flush()

    request = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_input, daemon=True).start()
    if request.get("list"):
        send({"engines": list(list_engines())})
    else:
        answer(request, send)
    os._exit(0)  # engines have threads that would be waited for


if __name__ == "__main__":
    main()
