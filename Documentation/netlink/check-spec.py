#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the netlink specification with the uapi header and the module's policies.

Names, values and types must agree, and each command must take exactly the
attributes that the specification lists for it. This script needs python3-yaml.
"""

import pathlib
import re
import sys

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
HEADER = TOP / 'uapi/linux/hypercube.h'
POLICIES = TOP / 'module/netlink/netlink.c'
SPEC = TOP / 'Documentation/netlink/specs/hypercube.yaml'

flaws = []


def expect(ok, text):
    if not ok:
        flaws.append(text)


def c_name(prefix, name):
    return (prefix + name).upper().replace('-', '_')


def header_enums(text):
    """Return the values and comments of all enumerators, and the values of numeric defines."""
    values, comments = {}, {}
    for body in re.findall(r'^enum[^{;]*\{(.*?)^\};', text, re.M | re.S):
        value = -1
        for name, given, comment in re.findall(
                r'^\t(\w+)(?:\s*=\s*([^,/]+))?,?[ \t]*(?:/\*(.*?)\*/)?', body, re.M | re.S):
            if name.startswith('__') or name.endswith('_MAX'):
                continue
            value = eval(given) if given else value + 1  # the header is trusted
            values[name], comments[name] = value, comment.strip()
    for name, value in re.findall(r'^#define\s+(\w+)\s+(\d+)$', text, re.M):
        values[name] = int(value)
    return values, comments


def check_definitions(spec, values):
    for definition in spec['definitions']:
        name = definition['name']
        if definition['type'] == 'const':
            expect(values.get(c_name('hypercube-', name)) == definition['value'],
                   f'constant {name} differs from the header')
            continue
        flags = definition['type'] == 'flags'
        stem = 'link-f-' if name == 'link-state' else name.removesuffix('-type') + '-'
        for i, entry in enumerate(definition['entries']):
            value = 1 << i if flags else definition.get('value-start', 0) + i
            expect(values.get(c_name('hypercube-' + stem, entry['name'])) == value,
                   f'{name}: {entry["name"]} is not {value} in the header')


def check_attributes(spec, values, comments):
    seen = set()
    for space in spec['attribute-sets']:
        for i, attr in enumerate(space['attributes'], 1):
            name = c_name(space['name-prefix'], attr['name'])
            seen.add(name)
            expect(values.get(name) == i, f'{name} is not {i} in the header')
            expect(attr['type'] == 'pad' or attr.get('doc'), f'{name} is not described')
            said = re.match(r'(u8|u32|u64|s32|string|binary|flag|nest)\b(, multi)?',
                            comments.get(name, ''))
            if said:
                expect(said[1] == attr['type'] and bool(said[2]) == attr.get('multi-attr', False),
                       f'{name} is {attr["type"]} here, {said[0]} in the header')
    for name in values:
        expect(not name.startswith('HYPERCUBE_A_') or name in seen, f'{name} is not described')


def check_commands(spec, values):
    operations = spec['operations']
    listed = [c_name(operations['name-prefix'], op['name']) for op in operations['list']]
    wanted = [name for name in values if name.startswith('HYPERCUBE_CMD_')]
    expect(listed == wanted, 'the commands differ from the header, or their order does')
    expect([values[name] for name in wanted] == list(range(1, len(wanted) + 1)),
           'the header does not count commands from 1')


def rows_written_out(text):
    """Expand the macros that write table rows for requests; their arguments are names."""
    define = re.compile(r'^#define (\w+)\(([\w, ]+)\)\s*\\\n((?:.*\\\n)*.*\n)', re.M)
    macros = [found for found in define.findall(text) if '.cmd' in found[2]]
    text = define.sub('', text)
    for name, params, body in macros:
        def row(call, params=params.split(', '), body=body.replace('\\\n', '\n')):
            given = dict(zip(params, call[1].split(', ')))
            return re.sub(r'(?<!\.)\b\w+\b', lambda word: given.get(word[0], word[0]), body)
        text = re.sub(rf'\b{name}\(([\w, ]+)\)', row, text)
    return text


def module_policies(text):
    policies = {}
    for name, body in re.findall(r'nla_policy (\w+)\[.*?\] = \{\n(.*?)\n\};', text, re.S):
        policies[name] = dict(re.findall(r'\[(\w+)\]\s*= (.*?),?$', body, re.M))
    ops = {}
    for body in re.findall(r'\{\s*(\.cmd[^{}]*)\}', rows_written_out(text)):
        command = re.search(r'\.cmd\s*= (\w+)', body)[1]
        policy = policies[re.search(r'TAKES\((\w+)\)', body)[1] + '_policy']
        ops[command] = (policy, 'GENL_UNS_ADMIN_PERM' in body, '.doit' in body, 'DUMPS' in body)
    return ops


def policy_type(rule):
    named = {'NAME_POLICY': 'string', 'NODE_POLICY': 'u32', 'DIM_POLICY': 'u32',
             'PORT_POLICY': 'u32'}
    said = re.search(r'NLA_(NUL_STRING|BINARY|FLAG|U8|U32|U64)', rule)
    if said:
        return said[1].lower().replace('nul_', '')
    return named.get(rule) or ('binary' if rule.startswith('BINARY') else rule)


def check_policies(spec, ops):
    spaces = {space['name']: space for space in spec['attribute-sets']}
    for op in spec['operations']['list']:
        command = c_name('hypercube-cmd-', op['name'])
        if 'do' not in op and 'dump' not in op:
            expect(command not in ops, f'{op["name"]} is a command of the module')
            continue
        if command not in ops:
            flaws.append(f'the module has no {op["name"]}')
            continue
        policy, admin, do, dump = ops[command]
        expect(admin == ('admin-perm' in op.get('flags', [])), f'{op["name"]}: permission differs')
        expect((do, dump) == ('do' in op, 'dump' in op), f'{op["name"]}: do or dump differs')
        space = spaces[op['attribute-set']]
        types = {attr['name']: attr['type'] for attr in space['attributes']}
        takes = {name for kind in ('do', 'dump')
                 for name in op.get(kind, {}).get('request', {}).get('attributes', [])}
        has = {name.replace('HC_A_FABRIC', c_name(space['name-prefix'],
                                                  space['attributes'][0]['name'])): rule
               for name, rule in policy.items()}
        wants = {c_name(space['name-prefix'], name): name for name in takes}
        expect(set(wants) == set(has), f'{op["name"]} takes {sorted(has)} in the module')
        for name in set(wants) & set(has):
            expect(policy_type(has[name]) == types[wants[name]],
                   f'{op["name"]}: {name} has another type in the module')


def main():
    spec = yaml.safe_load(SPEC.read_text())
    values, comments = header_enums(HEADER.read_text())
    check_definitions(spec, values)
    check_attributes(spec, values, comments)
    check_commands(spec, values)
    check_policies(spec, module_policies(POLICIES.read_text()))
    for flaw in flaws:
        print(f'{SPEC.relative_to(TOP)}: {flaw}', file=sys.stderr)
    return 1 if flaws else 0


if __name__ == '__main__':
    sys.exit(main())
