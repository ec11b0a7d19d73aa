"""Reads filters with a third-party parser (odata-query), and evaluates them with its SQLAlchemy support in SQLite.

Input on standard input, as JSON: {"rows": [{...}], "filters": ["..."], "evaluate": true}. Output: for each filter, the
IDs of the rows for which it is true, or null if filters are only parsed. If a filter can't be parsed, the program exits
with status 1 and prints the filter. Exit status 3: a package is missing.
"""
import datetime
import json
import math
import sys

try:
    from odata_query.grammar import ODataLexer, ODataParser
    import sqlalchemy
    from odata_query.sqlalchemy import apply_odata_core
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

work = json.load(sys.stdin)
lexer, parser = ODataLexer(), ODataParser()
for text in work["filters"]:
    try:
        parser.parse(lexer.tokenize(text))
    except Exception as error:
        print(f"{type(error).__name__}: {error}\n{text}", file=sys.stderr)
        sys.exit(1)
if not work["evaluate"]:
    print(json.dumps([None] * len(work["filters"])))
    sys.exit(0)

engine = sqlalchemy.create_engine("sqlite://")


@sqlalchemy.event.listens_for(engine, "connect")
def prepare(connection, record):
    # Functions that the generated SQL calls, and that SQLite lacks in all or some versions.
    connection.create_function("strpos", 2, lambda text, part: text.find(part) + 1)
    connection.create_function("concat", 2, lambda left, right: left + right)
    connection.create_function("floor", 1, lambda number: float(math.floor(number)))
    connection.create_function("ceil", 1, lambda number: float(math.ceil(number)))
    # OData is case-sensitive.
    connection.execute("PRAGMA case_sensitive_like = ON")


metadata = sqlalchemy.MetaData()
people = sqlalchemy.Table(
    "people",
    metadata,
    sqlalchemy.Column("Id", sqlalchemy.Integer, primary_key=True),
    *(sqlalchemy.Column(name, sqlalchemy.String) for name in ("Name", "Nick")),
    *(sqlalchemy.Column(name, sqlalchemy.Integer) for name in ("Age", "Height")),
    sqlalchemy.Column("Score", sqlalchemy.Float),
    sqlalchemy.Column("Born", sqlalchemy.DateTime),
)
metadata.create_all(engine)
results = []
for row in work["rows"]:
    row["Born"] = datetime.datetime.fromisoformat(row["Born"])
with engine.connect() as connection:
    connection.execute(people.insert(), work["rows"])
    for text in work["filters"]:
        query = apply_odata_core(sqlalchemy.select(people.c.Id), text).order_by(people.c.Id)
        results.append([row[0] for row in connection.execute(query)])
print(json.dumps(results))
