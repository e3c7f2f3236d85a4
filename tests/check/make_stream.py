#!/usr/bin/env python3
"""Makes a native stream from a description in JSON: make_stream.py <DESCRIPTION >STREAM. A frame is [name, file, line, first line, image,
address], of which the last may be missing, or an object with the fields of Tables.place. A numeric label may be
{"num": 5, "unit": "bytes"}. A measure is an object with at least a name. A name given as a list is its bytes.

    {"measures": [{"name": "wall", "unit": "nanoseconds", "num": 10000000, "raw_unit": "tick", "main": 1}],
     "records": [{"stack": [["main"], ["f", "f.pl", 3]], "labels": [["section", "req"], ["pid", 7]], "values": {"wall": 2}},
                 {"kind": "flat", "at": ["f"], "values": {...}}, {"kind": "edge", "caller": ["f"], "callee": ["g"], ...}],
     "meta": [["origin", "key", "value"]], "texts": [["f.pl", 3, "the line"]], "incomplete": false}
"""
import importlib.util
import json
import os
import struct
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location('pfs', os.path.join(os.path.dirname(__file__), '..', 'reference', 'pfs.py'))
pfs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pfs)

KINDS, ROLES = ['sample', 'flat', 'edge'], ['self', 'inclusive', 'count']
NATURES, AGGREGATIONS = ['unknown', 'sampled', 'timed', 'exact'], ['sum', 'max']


class Tables:
    def __init__(self):
        self.rows = {domain: {} for domain in range(1, 8)}

    def add(self, domain, row):
        if not any(row if isinstance(row, tuple) else (row,)):
            return 0
        return self.rows[domain].setdefault(row, len(self.rows[domain]) + 1)

    def string(self, text):
        return self.add(pfs.STRINGS, bytes(text) if isinstance(text, list) else text.encode())

    def location(self, frame):
        if isinstance(frame, dict):
            return self.place(**frame)
        name, file, line, start, image, address = (frame + ['', '', 0, 0, '', 0][len(frame):])
        image = self.add(pfs.IMAGES, (self.string(image),) + (0,) * 7)
        function = self.add(pfs.FUNCTIONS, (self.string(name), 0, self.string(file), start))
        return self.add(pfs.LOCATIONS, (function, line, image, address, 0, 0, 0))

    def place(self, name='', system='', file='', start=0, line=0, column=0, image=None, address=0, kind=0, inlined=0):
        """Adds a frame with all its fields. An image is a name, or [name, identifier, start, limit, offset, text start, text size, flags]."""
        fields = isinstance(image, (list, tuple)) and any(isinstance(field, str) for field in image)
        image = tuple(image) if fields else (image or '',)
        row = (self.string(image[0]), self.string(image[1] if len(image) > 1 else '')) + image[2:]
        image = self.add(pfs.IMAGES, row + (0,) * (8 - len(row)))
        function = self.add(pfs.FUNCTIONS, (self.string(name), self.string(system), self.string(file), start))
        return self.add(pfs.LOCATIONS, (function, line, image, address, column, kind, inlined))

    def stack(self, frames):
        node = 0
        for frame in frames:
            node = self.add(pfs.STACKS, (node, self.location(frame)))
        return node

    def labels(self, pairs):
        at = 0
        for key, value in pairs:
            value = {'num': value} if isinstance(value, int) else value
            number = isinstance(value, dict)
            text = self.string(value.get('unit', '') if number else value)
            at = self.add(pfs.LABELS, (at, self.string(key), text, int(number), value['num'] if number else 0))
        return at

    def measure(self, m):
        return self.add(pfs.MEASURES, (
            self.string(m['name']), self.string(m.get('unit', 'count')), KINDS.index(m.get('kind', 'sample')),
            ROLES.index(m.get('role', 'self')), NATURES.index(m.get('nature', 'unknown')),
            AGGREGATIONS.index(m.get('aggregation', 'sum')), m.get('num', 1), m.get('den', 1), m.get('period', 0),
            self.string(m.get('raw_unit', '')), m.get('main', 0), m.get('period_parts', 0), pfs.SIDES.index(m.get('side', '')), m.get('runs', 0)))

    def bytes(self, domain):
        rows = list(self.rows[domain])
        if not rows:
            return b''
        if domain == pfs.STRINGS:
            ends = [sum(map(len, rows[:i + 1])) for i in range(len(rows))]
            payload = pfs.column_bytes(1, ends) + pfs.column_bytes(2, [int(b'\xff' not in row) for row in rows]) + b''.join(rows)
        else:
            columns = [list(column) for column in zip(*rows)]
            later = [number | 0x8000 * (number in pfs.LATER.get(domain, ())) for number in range(1, len(columns) + 1)]
            payload = b''.join(pfs.column_bytes(number, column) for number, column in zip(later, columns) if any(column))
        return pfs.frame_bytes('D', domain, payload, len(rows), 1)


def record_columns(tables, record, numbers):
    kind = record.get('kind', 'sample')
    columns = {2: tables.labels(record.get('labels', []))}
    if kind == 'sample':
        columns[1] = tables.stack(record.get('stack', []))
    elif kind == 'flat':
        columns[3] = tables.location(record['at'])
    else:
        columns[3], columns[4] = tables.location(record['caller']), tables.location(record['callee'])
    for name, value in record['values'].items():
        columns[256 + numbers[kind, name] - 1] = value
    return KINDS.index(kind), columns


def stream(about):
    tables, body = Tables(), b''
    numbers = {(m.get('kind', 'sample'), m['name']): tables.measure(m) for m in about['measures']}
    records = [record_columns(tables, record, numbers) for record in about.get('records', [])]
    meta = [[tables.string(text) for text in row] for row in about.get('meta', [])]
    for name, line, text in about.get('texts', []):
        text = text.encode()
        columns = [(1, len(name) + len(text)), (2, len(name)), (3, line)]
        body += pfs.frame_bytes('s', 0, b''.join(pfs.column_bytes(n, [v]) for n, v in columns if v) + name.encode() + text, 1)
    if meta:
        body += pfs.frame_bytes('M', 0, b''.join(pfs.column_bytes(i + 1, list(c)) for i, c in enumerate(zip(*meta)) if any(c)), len(meta))
    for kind, columns in records:
        payload = b''.join(pfs.column_bytes(number, [value]) for number, value in sorted(columns.items()) if value)
        body += pfs.frame_bytes('B', kind + 1, payload, 1, len(tables.rows[pfs.STACKS]) + 1)
    totals = b''
    for m in about['measures']:
        kind = KINDS.index(m.get('kind', 'sample'))
        values = [columns.get(255 + numbers[KINDS[kind], m['name']], 0) for of, columns in records if of == kind]
        total = max(values + [0]) if m.get('aggregation') == 'max' else sum(values)
        totals += total.to_bytes(16, 'little', signed=True)
    out = pfs.frame_bytes('H', 0, struct.pack('<BB6x', 1, 0)) + b''.join(tables.bytes(domain) for domain in range(1, 8)) + body
    end = struct.pack('<Q', len(records)) + totals
    end += struct.pack('<Q', len(out) + 32 + len(end) + 8)
    return out + pfs.frame_bytes('E', 0, end, len(records), int(about.get('incomplete', False)))


if __name__ == '__main__':
    sys.stdout.buffer.write(stream(json.load(sys.stdin)))
