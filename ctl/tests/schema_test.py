#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: schema_test.py [--all] HCCTL RECORDS..
Compares what commands print with -j with Documentation/schema, as TAP.  A line of RECORDS is the
words of a command, a tab, and what it printed, if anything.  With --all each command of hcctl must
be among them."""

import collections
import json
import pathlib
import subprocess
import sys
import urllib.parse
import warnings

FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'Documentation' / 'schema'
# To check that a schema refuses wrong outputs, outputs are spoilt: SPOILT outputs of each command, and ELEMENTS
# elements of each array in them.
SPOILT, ELEMENTS = 4, 2

try:
    import jsonschema
except ImportError:
    print('1..0 # SKIP there is no jsonschema: apt-get install python3-jsonschema')
    sys.exit(0)
warnings.simplefilter('ignore', DeprecationWarning)
# Options that print JSON, and the names of its schemas in common.json
OPTIONS = {'-V': 'version', '-b': 'batch', '-a': 'all-hosts'}


class Schemas:
    """All schemas of the folder. The schema of a command is in $defs of the file of its object."""

    def __init__(self):
        self.files = {f.stem: json.loads(f.read_text()) for f in sorted(FOLDER.glob('*.json'))}
        self.store = {s['$id']: s for s in self.files.values()}
        self.cache = {}

    def of(self, name, key):
        """The validator for the schema that file NAME has under KEY, or None if there is no such schema."""
        schema = self.files.get(name)
        if schema is None or key not in schema['$defs']:
            return None
        if (name, key) not in self.cache:
            self.cache[name, key] = self.validator(schema, self.looked_up(schema['$defs'][key], schema))
        return self.cache[name, key]

    def looked_up(self, part, schema, inside=()):
        """A copy of a part of a schema in which each reference ($ref) is replaced by what it refers to. jsonschema
        would look up the reference each time that it comes to it, which takes half of its time. A reference is
        kept if it is within what it refers to (the whole would be infinite), or if it has other keys beside it."""
        if isinstance(part, list):
            return [self.looked_up(member, schema, inside) for member in part]
        if not isinstance(part, dict):
            return part
        part = dict(part)
        if '$ref' in part:
            whole = part['$ref'] = urllib.parse.urljoin(schema['$id'], part['$ref'])
            if set(part) <= {'$ref', 'description'} and whole not in inside:
                there, _, pointer = whole.partition('#')
                found = self.store[there]
                for step in pointer.split('/')[1:]:
                    found = found[step]
                return self.looked_up(found, self.store[there], (*inside, whole))
        return {key: self.looked_up(member, schema, inside) for key, member in part.items()}

    def validator(self, schema, reference):
        """Make a validator. New versions of jsonschema find references in a registry, old ones with a resolver."""
        try:
            import referencing  # pylint: disable=import-outside-toplevel
            registry = referencing.Registry().with_contents(self.store.items())
            return jsonschema.Draft202012Validator(reference, registry=registry)
        except (ImportError, TypeError):
            resolver = jsonschema.RefResolver(schema['$id'], schema, store=self.store)
            return jsonschema.Draft202012Validator(reference, resolver=resolver)

    def silent(self, name, key):
        return self.files[name]['$defs'].get(key) is False


class Tap:
    def __init__(self):
        self.number = self.failed = 0

    def result(self, faults, name):
        self.number += 1
        for fault in faults[:10]:
            print(f'# {fault}')
        self.failed += bool(faults)
        print(f'{"not ok" if faults else "ok"} {self.number} - {name}')

    def end(self):
        print(f'1..{self.number}')
        return 1 if self.failed else 0


def hcctl_json(hcctl, *words):
    return json.loads(subprocess.run([hcctl, '-j', *words], capture_output=True, check=True).stdout)


def key_of(words, commands):
    """The schema for what these words of a command line print: its file, and its key in $defs."""
    while words[0].startswith('-c') or words[0].startswith('-p'):
        words = words[1:]
    if words[0] in OPTIONS:
        return 'common', OPTIONS[words[0]]
    if words == ['help']:
        return 'common', 'help'
    if 'help' in words[:2] or '--help' in words:
        return 'common', 'usage'
    if (words[0], '') in commands:
        return words[0], words[0]
    return words[0], words[1]


def read(files, commands):
    """Read the files of records. Returns, for each schema, a list of (words, output); output is None if the command
    has printed nothing."""
    records = collections.defaultdict(list)
    for name in files:
        for line in pathlib.Path(name).read_text().splitlines():
            words, _, output = line.partition('\t')
            records[key_of(words.split(), commands)].append((words, json.loads(output) if output else None))
    return records


def complaint(validator, words, output):
    error = jsonschema.exceptions.best_match(validator.iter_errors(output))
    if error is None:
        return None
    return f'{words}: {"/".join(map(str, error.absolute_path))}: {error.message[:300]}'


def misfits(schemas, key, outputs):
    faults, fit = [], set()
    for words, output in outputs:
        text = json.dumps(output)
        if text in fit:
            continue
        fit.add(text)
        if output is None:
            fault = None if schemas.silent(*key) else f'{words}: nothing was printed'
        else:
            fault = complaint(schemas.of(*key), words, output)
        if fault:
            faults.append(fault)
    return faults


def wrong(value):
    """A value of another type."""
    if isinstance(value, (dict, str)):
        return 12
    return 'nosuch' if not isinstance(value, list) else {'nosuch': []}


def spoilt(value):
    """Spoil a value in one place at a time. Yields what is wrong and where, and the spoilt value."""
    yield 'another type', wrong(value)
    if isinstance(value, dict):
        yield 'one more key', {**value, 'nosuch': True}
        for key, member in value.items():
            for what, bad in spoilt(member):
                yield f'{key}: {what}', {**value, key: bad}
    elif isinstance(value, list):
        for i, member in enumerate(value[:ELEMENTS]):
            for what, bad in spoilt(member):
                yield f'[{i}]: {what}', value[:i] + [bad] + value[i + 1:]


def shortened(value):
    """The value with only the elements of each array that are spoilt. The others would cost time, because all of a
    spoilt value is checked."""
    if isinstance(value, dict):
        return {key: shortened(member) for key, member in value.items()}
    return [shortened(member) for member in value[:ELEMENTS]] if isinstance(value, list) else value


def passes(schemas, key, outputs):
    """Spoil outputs of a command. Returns a list of those that the schema nevertheless accepts."""
    validator = schemas.of(*key)
    several = {}
    # Of outputs that have the same keys, one is enough.
    for words, output in outputs:
        several.setdefault(json.dumps(shape(output), sort_keys=True), (words, output))
    faults = []
    for words, output in list(several.values())[:SPOILT]:
        short = shortened(output)
        output = short if validator.is_valid(short) else output
        faults += [f'{words}: {what}: it passes' for what, bad in spoilt(output) if validator.is_valid(bad)]
        if isinstance(output, dict) and validator.is_valid({}):
            faults.append(f'{words}: an empty object passes')
    return faults


def shape(value):
    if isinstance(value, dict):
        return {key: shape(member) for key, member in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return 0


def not_valid(schema):
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return [str(error)]
    return []


def unlike_help(schemas, commands):
    """Compare the schemas with the commands in the help of hcctl. Returns a list of differences."""
    faults = [f'no schema of hcctl {o} {c}' for o, c in commands if schemas.of(o, c or o) is None]
    objects = {o for o, _ in commands}
    faults += [f'{name}.json is of no object' for name in schemas.files if name != 'common' and name not in objects]
    for name, schema in schemas.files.items():
        refs = {ref['$ref'].rsplit('/', 1)[1] for ref in schema.get('anyOf', [])}
        said = {c or o for o, c in commands if o == name and not schemas.silent(name, c or o)}
        # A schema that is "false" means: the command prints nothing. It must belong to a command; other schemas
        # need not, because others may refer to them.
        own = {(o, c or o) for o, c in commands}
        stray = [key for key, of in schema['$defs'].items() if of is False and (name, key) not in own]
        faults += [f'{name}.json: $defs/{key} is of no command' for key in stray]
        if refs != said:
            faults.append(f'{name}.json: anyOf has not the commands that print: {refs ^ said}')
    return faults


def complaints_fit(schemas, hcctl):
    faults = []
    for words in (['nosuch'], ['tree', 'find'], ['tree', 'find', 'dim', '3', 'fail-node', '1,2,4']):
        said = subprocess.run([hcctl, '-j', *words], capture_output=True, text=True, check=False).stderr
        if not said:
            faults.append(f'{words}: nothing is said')
        for line in said.splitlines():
            faults += filter(None, [complaint(schemas.of('common', 'complaint'), str(words), json.loads(line))])
    return faults


def main():
    words = [word for word in sys.argv[1:] if word != '--all']
    if len(words) < 2:
        sys.exit(__doc__)
    hcctl, files = words[0], words[1:]
    schemas, tap = Schemas(), Tap()
    commands = [(c['object'], c['command']) for c in hcctl_json(hcctl, 'help')['commands']]
    records = read(files, set(commands))
    for name, schema in schemas.files.items():
        tap.result(not_valid(schema), f'{name}.json is a schema')
    tap.result(unlike_help(schemas, commands), 'each command has a schema')
    tap.result(complaints_fit(schemas, hcctl), 'errors and warnings fit')
    for key, outputs in sorted(records.items()):
        name = ' '.join(dict.fromkeys(key))
        if schemas.of(*key) is None:
            tap.result([f'{words}: no schema' for words, _ in outputs], name)
            continue
        tap.result(misfits(schemas, key, outputs), f'{name} fits its schema ({len(outputs)})')
        printed = [(words, output) for words, output in outputs if output is not None]
        if printed and key not in (('common', 'batch'), ('common', 'all-hosts')):
            tap.result(passes(schemas, key, printed), f'{name} does not fit when it is spoilt')
    if len(words) + 1 < len(sys.argv):
        # mpirun needs Open MPI, which only the virtual machine of selftests/mpi has.
        missing = [f'hcctl {o} {c}' for o, c in commands if (o, c or o) not in records and o != 'mpirun']
        tap.result(missing, 'each command was run')
    return tap.end()


sys.exit(main())
