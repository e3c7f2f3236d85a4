#!/usr/bin/env python3
"""A second reader and writer of the native stream, made from profstream(5) alone.

    pfs.py random SEED FILE   write a random stream
    pfs.py dump FILE          print what a stream holds, ids resolved, as tests/unit/test_stream prints it;
                              the last line says how the stream ends
    pfs.py frames FILE        print a line for each frame
    pfs.py compare PROGRAM FIRST LAST
                              compare tests/unit/test_stream with this program: random streams of these seeds, and the
                              same streams with one byte changed and correct checks
"""
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

M64 = (1 << 64) - 1
KINDS = ("sample", "flat", "edge")
STRINGS, MEASURES, IMAGES, FUNCTIONS, LOCATIONS, STACKS, LABELS = range(1, 8)
COLUMNS = {MEASURES: 14, IMAGES: 8, FUNCTIONS: 4, LOCATIONS: 7, STACKS: 2, LABELS: 5}
MAX_ROWS, MAX_PAYLOAD, MAX_STRING = 65536, 1 << 24, (1 << 24) - 65536


class Damaged(Exception):
    pass


class Newer(Exception):
    pass


# --- XXH64, seed 0 (the algorithm's public description) ---

PRIME = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & M64


def stripe(lane, word):
    return rotate((lane + word * PRIME[1]) & M64, 31) * PRIME[0] & M64


def xxh64(data):
    at, size = 0, len(data)
    if size >= 32:
        lanes = [(PRIME[0] + PRIME[1]) & M64, PRIME[1], 0, -PRIME[0] & M64]
        while size - at >= 32:
            words = struct.unpack_from("<4Q", data, at)
            lanes = [stripe(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        acc = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & M64
        for lane in lanes:
            acc = ((acc ^ stripe(0, lane)) * PRIME[0] + PRIME[3]) & M64
    else:
        acc = PRIME[4]
    acc = (acc + size) & M64
    while size - at >= 8:
        acc ^= stripe(0, struct.unpack_from("<Q", data, at)[0])
        acc = (rotate(acc, 27) * PRIME[0] + PRIME[3]) & M64
        at += 8
    if size - at >= 4:
        acc ^= struct.unpack_from("<I", data, at)[0] * PRIME[0] & M64
        acc = (rotate(acc, 23) * PRIME[1] + PRIME[2]) & M64
        at += 4
    for byte in data[at:]:
        acc = rotate(acc ^ (byte * PRIME[4] & M64), 11) * PRIME[0] & M64
    acc = (acc ^ acc >> 33) * PRIME[1] & M64
    acc = (acc ^ acc >> 29) * PRIME[2] & M64
    return acc ^ acc >> 32


assert xxh64(b"") == 0xEF46DB3751D8E999
assert xxh64(b"xxhash" * 10) == xxh64(bytearray(b"xxhash" * 10))


def low32(data):
    return xxh64(data) & 0xFFFFFFFF


def signed(value):
    value &= M64
    return value - (1 << 64) if value >> 63 else value


# --- reading ---


class Frame:
    def __init__(self, data, at):
        if len(data) - at < 32:
            raise Damaged("cut in a header at %d" % at)
        head = data[at:at + 32]
        (magic, letter, self.flags, self.domain, self.size, self.raw, self.rows, self.base, check,
         header_check) = struct.unpack("<4sBBHIIIIII", head)
        self.offset, self.type = at, chr(letter)
        if magic != b"\x89PFS" or header_check != low32(head[:28]):
            raise Damaged("header at %d" % at)
        if self.size > MAX_PAYLOAD or self.raw > MAX_PAYLOAD:
            raise Damaged("size at %d" % at)
        self.total = 32 + self.size + -self.size % 8
        if len(data) - at < self.total:
            raise Damaged("cut in a frame at %d" % at)
        stored = data[at + 32:at + 32 + self.size]
        if check != low32(stored) or any(data[at + 32 + self.size:at + self.total]):
            raise Damaged("payload at %d" % at)
        if not self.flags & 1 and self.raw != self.size or self.raw > 1040 * self.size:
            raise Damaged("raw size at %d" % at)
        self.payload = stored

    def inflate(self):
        if self.flags & ~1:
            raise Newer("flags")
        if self.flags & 1:
            inflater = zlib.decompressobj()
            try:
                self.payload = inflater.decompress(self.payload)
            except zlib.error as error:
                raise Damaged("deflated payload at %d" % self.offset) from error
            if not inflater.eof or inflater.unused_data or len(self.payload) != self.raw:
                raise Damaged("deflated payload at %d" % self.offset)


# columns with bit 15, which readers of version 0.1 skip
LATER = {MEASURES: (13, 14)}
SIDES = ("", "before", "after", "delta")


def side_of(name):
    """The side that the name of a measure ends with, for streams without the column of sides."""
    for side, word in enumerate(SIDES[1:], 1):
        if name.endswith(b"." + word.encode()) or name == word.encode() != b"delta":
            return side
    return 0


def columns_of(frame, known, tail=False, later=()):
    """{number: values as unsigned numbers}, with zeros for columns that the frame lacks, and the bytes after the columns."""
    out, at, last, end, rows = {}, 0, -1, len(frame.payload), frame.rows
    while at < end:
        if end - at < 16:
            raise Damaged("column header at %d" % frame.offset)
        number, encoding, width, size, minimum = struct.unpack_from("<HBBIQ", frame.payload, at)
        at += 16
        if number <= last:
            raise Damaged("column order at %d" % frame.offset)
        last = number
        data = frame.payload[at:at + size]
        if at + size + -size % 8 > end or any(frame.payload[at + size:at + size + -size % 8]):
            raise Damaged("column size at %d" % frame.offset)
        at += size + -size % 8
        if number & 0x8000:
            if number & 0x7FFF not in later:
                continue
            number &= 0x7FFF
        elif number in later:
            raise Newer("column %d" % number)
        if encoding != 0 or not known(number):
            raise Newer("column %d" % number)
        if width not in (0, 1, 2, 4, 8) or size != width * rows:
            raise Damaged("column width at %d" % frame.offset)
        stored = [int.from_bytes(data[i:i + width], "little") for i in range(0, size, width)] if width else [0] * rows
        out[number] = [(minimum + x) & M64 for x in stored]
        if tail and number == 1:
            end = len(frame.payload) - out[1][-1]
    if at != end:
        raise Damaged("columns at %d" % frame.offset)
    return out, frame.payload[end:]


class Segment:
    def __init__(self, offset):
        self.offset, self.records, self.kind_records = offset, 0, [0, 0, 0]
        self.tables = {domain: [None] for domain in range(1, 8)}
        self.totals = []

    def get(self, domain, number):
        if number >= len(self.tables[domain]):
            raise Damaged("id %d of table %d" % (number, domain))
        return self.tables[domain][number]


class Reader:
    """Lines of a dump from the bytes of a stream."""

    def __init__(self, data):
        self.lines, self.measures, self.incomplete, self.segment = [], set(), False, None
        self.waiting = ([], [], [])
        at = 0
        try:
            while at < len(data):
                frame = Frame(data, at)
                self.take(frame)
                at += frame.total
            if self.segment is not None or at == 0:
                raise Damaged("no end")
            self.result = "failed" if self.incomplete else "whole"
        except Damaged as error:
            self.result, self.why = "failed", error
        except Newer as error:
            self.result, self.why = "newer", error
        self.barrier()
        self.lines += sorted(self.measures)
        self.lines.append(self.result)

    def barrier(self):
        for lines in self.waiting:
            self.lines += lines
            lines.clear()

    def take(self, frame):
        if not frame.type.isascii() or not frame.type.isalpha():
            raise Damaged("type at %d" % frame.offset)
        if frame.type in "HE" and frame.flags or frame.type in "HEMs" and frame.domain:
            raise Newer("flags or domain")
        if frame.type == "H":
            self.head(frame)
        elif self.segment is None:
            raise Damaged("frame %s outside of a segment" % frame.type)
        elif frame.type in "DBMs":
            frame.inflate()
            if not 1 <= frame.rows <= MAX_ROWS:
                raise Damaged("rows at %d" % frame.offset)
            {"D": self.table, "B": self.block, "M": self.metadata, "s": self.texts}[frame.type](frame)
        elif frame.type == "E":
            self.end(frame)
        elif frame.type.isupper():
            raise Newer(frame.type)

    def head(self, frame):
        if self.segment is not None or (frame.size, frame.rows, frame.base) != (8, 0, 0):
            raise Damaged("head at %d" % frame.offset)
        if frame.payload[0] != 1:
            raise Newer("version")
        self.segment = Segment(frame.offset)

    # tables

    def string(self, number):
        return self.segment.get(STRINGS, number) or ""

    def table(self, frame):
        if frame.domain not in range(1, 8):
            raise Newer("table %d" % frame.domain)
        table = self.segment.tables[frame.domain]
        if frame.base != len(table) or (frame.rows > 1 and frame.rows > frame.raw):
            raise Damaged("base at %d" % frame.offset)
        if frame.domain == STRINGS:
            return self.strings(frame, table)
        count = COLUMNS[frame.domain]
        found, _ = columns_of(frame, lambda number: 1 <= number <= count, later=LATER.get(frame.domain, ()))
        zeros = [0] * frame.rows
        rows = list(zip(*[found.get(number + 1, zeros) for number in range(count)]))
        row = {MEASURES: self.measure, IMAGES: self.image, FUNCTIONS: self.function, LOCATIONS: self.location,
               STACKS: self.stack, LABELS: self.label}[frame.domain]
        for fields in rows:
            if not any(fields):
                raise Damaged("empty row")
            table.append(row(*fields))
        if frame.domain == MEASURES:
            self.measures.update("measure " + text for _, _, text in table[frame.base:])
        return None

    def strings(self, frame, table):
        found, tail = columns_of(frame, lambda number: number in (1, 2), tail=True)
        begin, flags = 0, found.get(2, [0] * frame.rows)
        for end, flag in zip(found.get(1, [0] * frame.rows), flags):
            if end < begin or end > len(tail) or flag > 1 or end - begin > MAX_STRING:
                raise Damaged("string at %d" % frame.offset)
            table.append(show(tail[begin:end], flag))
            begin = end

    def measure(self, name, unit, kind, role, nature, aggregation, num, den, period, raw_unit, main, parts, side, runs):
        if kind > 2 or role > 2 or nature > 3 or aggregation > 1 or main > 1 or side > 3 or runs > 1:
            raise Damaged("measure")
        name, unmarked = self.string(name), self.string(name).rstrip("u")
        told = side_of(bytes.fromhex(unmarked))
        if side not in (0, told):
            name = unmarked + ("." + SIDES[side]).encode().hex() + name[len(unmarked):]
        text = "%s,%s,%s,%d,%d,%d,%d,%d,%d/%d,%s,%d,%s%s" % (
            name, self.string(unit), KINDS[kind], role, nature, aggregation, num or 1, den or 1, period, parts or 1,
            self.string(raw_unit), main, "runs" if runs else "", SIDES[side or told])
        self.segment.totals.append(None if aggregation else 0)
        return kind, aggregation, text

    def image(self, name, identifier, *numbers):
        return "%s,%s,%s" % (self.string(name), self.string(identifier), ",".join(map(str, numbers)))

    def function(self, name, system_name, file, line):
        return "%s,%s,%s,%d" % (self.string(name), self.string(system_name), self.string(file), signed(line))

    def location(self, function, line, image, address, column, kind, inlined):
        if column >> 32 or kind > 7 or inlined > 1:
            raise Damaged("location")
        return "(%s)(%s),%d,%d,%d,%d,%d" % (
            self.segment.get(FUNCTIONS, function) or "", self.segment.get(IMAGES, image) or "", signed(line), address,
            column, kind, inlined)

    def stack(self, parent, location):
        if location == 0:
            raise Damaged("stack")
        return (self.segment.get(STACKS, parent) or ()) + (self.segment.get(LOCATIONS, location),)

    def label(self, parent, key, text, numeric, number):
        if numeric > 1:
            raise Damaged("label")
        own = "%s=%s,%d,%d" % (self.string(key), self.string(text), numeric, signed(number))
        return (self.segment.get(LABELS, parent) or ()) + (own,)

    # frames with rows in order

    def block(self, frame):
        if frame.domain not in (1, 2, 3):
            raise Newer("block %d" % frame.domain)
        segment, kind = self.segment, frame.domain - 1
        if frame.base != len(segment.tables[STACKS]):
            raise Damaged("base at %d" % frame.offset)
        ids = {0: (1, 2), 1: (2, 3), 2: (2, 3, 4)}[kind]
        found, _ = columns_of(frame, lambda number: number in ids or number == 5 or number >= 256)
        zeros = [0] * frame.rows
        values = sorted(number for number in found if number >= 256)
        for number in values:
            if segment.get(MEASURES, number - 255)[0] != kind:
                raise Damaged("measure of another kind")
        self.totals(kind, frame.rows, {number - 256: found[number] for number in values})
        stack, labels, location, callee, time = [found.get(number, zeros) for number in range(1, 6)]
        lines = []
        for i in range(frame.rows):
            place = (";".join(segment.get(STACKS, stack[i]) or ()), segment.get(LOCATIONS, location[i]) or "",
                     segment.get(LOCATIONS, callee[i]) or "")
            amounts = ["%s:%d" % (segment.get(MEASURES, n - 255)[2], signed(found[n][i])) for n in values if found[n][i]]
            lines.append("%s %d [%s] %s {%s}" % (
                KINDS[kind], signed(time[i]), " ".join(segment.get(LABELS, labels[i]) or ()),
                place[0] if kind == 0 else place[1] if kind == 1 else place[1] + " " + place[2], " ".join(sorted(amounts))))
        self.waiting[kind].extend(lines)
        segment.records += frame.rows

    def totals(self, kind, rows, values):
        segment = self.segment
        for k, (of, aggregation, _) in enumerate(segment.tables[MEASURES][1:]):
            if of != kind:
                continue
            amounts = [signed(x) for x in values.get(k, [0])]
            if aggregation:
                before = segment.totals[k]
                if before is None and segment.kind_records[kind]:
                    before = 0
                segment.totals[k] = max(amounts if before is None else amounts + [before])
            else:
                segment.totals[k] += sum(amounts)
        segment.kind_records[kind] += rows

    def metadata(self, frame):
        if frame.base != self.segment.records & 0xFFFFFFFF:
            raise Damaged("base at %d" % frame.offset)
        found, _ = columns_of(frame, lambda number: 1 <= number <= 3)
        lines = ["meta " + " ".join(self.string(found[n][i]) if n in found else "" for n in (1, 2, 3))
                 for i in range(frame.rows)]
        self.barrier()
        self.lines += lines

    def texts(self, frame):
        if frame.base:
            raise Damaged("base at %d" % frame.offset)
        found, tail = columns_of(frame, lambda number: 1 <= number <= 4, tail=True)
        ends, name_ends, lines, flags = [found.get(number, [0] * frame.rows) for number in (1, 2, 3, 4)]
        begin, lines_out = 0, []
        for i in range(frame.rows):
            if not begin <= name_ends[i] <= ends[i] <= len(tail) or flags[i] > 3:
                raise Damaged("text at %d" % frame.offset)
            name, text = tail[begin:name_ends[i]], tail[name_ends[i]:ends[i]]
            lines_out.append("text %d %s %s" % (lines[i], show(name, flags[i] & 1), show(text, flags[i] >> 1)))
            begin = ends[i]
        self.barrier()
        self.lines += lines_out

    def end(self, frame):
        segment = self.segment
        if frame.base > 3:
            raise Newer("end")
        count = 0 if frame.base & 2 else len(segment.totals)
        if frame.size != 16 + 16 * count:
            raise Damaged("end at %d" % frame.offset)
        records, = struct.unpack_from("<Q", frame.payload, 0)
        length, = struct.unpack_from("<Q", frame.payload, frame.size - 8)
        totals = [int.from_bytes(frame.payload[8 + 16 * k:24 + 16 * k], "little", signed=True) for k in range(count)]
        if records != segment.records or frame.rows != records & 0xFFFFFFFF:
            raise Damaged("records")
        if length != frame.offset + frame.total - segment.offset:
            raise Damaged("length")
        if count and totals != [total or 0 for total in segment.totals]:
            raise Damaged("totals %s, not %s" % (totals, segment.totals))
        self.incomplete |= bool(frame.base & 1)
        self.segment = None


def show(data, flag):
    """A string in hex; u: the producer says that the string is UTF-8, and it is not ASCII."""
    return data.hex() + ("u" if flag and not all(byte < 128 for byte in data) else "")


# --- writing ---


def frame_bytes(letter, domain, payload, rows=0, base=0, level=0):
    raw, flags = len(payload), 0
    if level:
        payload, flags = zlib.compress(payload, level), 1
    head = struct.pack("<4sBBHIIIII", b"\x89PFS", ord(letter), flags, domain, len(payload), raw, rows, base, low32(payload))
    return head + struct.pack("<I", low32(head)) + payload + bytes(-len(payload) % 8)


def column_bytes(number, values, chance=None):
    """A column of the smallest width or, by chance, a greater width, with any minimum."""
    low = min(values)
    span = max(values) - low
    widths = [width for width in (0, 1, 2, 4, 8) if span < 256 ** width]
    width = widths[0]
    if chance and chance.random() < 0.3:
        width = chance.choice(widths)
        low -= chance.randint(0, min(256 ** width - 1 - span, max(low, 0)))
    data = b"".join(((value - low) & M64).to_bytes(width, "little") for value in values)
    return struct.pack("<HBBIQ", number, 0, width, len(data), low & M64) + data + bytes(-len(data) % 8)


class RandomSegment:
    def __init__(self, chance):
        self.chance, self.out = chance, frame_bytes("H", 0, struct.pack("<BB6x", 1, chance.choice((0, 0, 7))))
        self.counts = dict.fromkeys(range(1, 8), 1)
        self.seen = {domain: set() for domain in range(1, 8)}
        self.measures, self.records, self.same = [], [], set()
        for _ in range(chance.randint(1, 12)):
            step = chance.choice((self.tables, self.tables, self.block, self.block, self.metadata, self.texts, self.unknown))
            step()

    def emit(self, letter, domain, payload, rows, base=0):
        level = self.chance.choice((0, 0, 0, 1, 9))
        self.out += frame_bytes(letter, domain, payload, rows, base, level)

    def columns(self, named):
        return b"".join(column_bytes(number, values, self.chance) for number, values in named
                        if any(values) or self.chance.random() < 0.2)

    def skipped(self):
        if self.chance.random() < 0.8:
            return b""
        data = self.chance.randbytes(self.chance.randint(0, 20))
        return struct.pack("<HBBIQ", 0x8000 | self.chance.randint(256, 0x7FFF), 9, 77, len(data), 5) + data + bytes(-len(data) % 8)

    def number(self):
        return self.chance.choice((0, 0, 1, 2, 255, 256, 70000, 1 << 33, self.chance.randint(-(1 << 63), (1 << 63) - 1), -1, -300))

    def an_id(self, domain):
        return self.chance.randrange(self.counts[domain])

    def how_many(self, usual):
        """A number of rows, rarely more than a batch of the library holds."""
        return 9000 if self.chance.random() < 0.03 else self.chance.choice(usual)

    def tables(self):
        self.strings()
        for domain in range(MEASURES, LABELS + 1):
            if self.chance.random() < 0.8:
                self.rows(domain)

    def strings(self):
        rows = []
        for _ in range(self.chance.randint(1, 8)):
            data = self.chance.choice((self.chance.randbytes(self.chance.randint(1, 9)), "grüße".encode(), b"plain\0nul",
                                       self.chance.choice((b"n.before", b"after", b"n.after", b"delta", b"n.delta"))))
            flag = self.chance.randint(0, 1)
            if (data, flag) not in self.seen[STRINGS]:
                self.seen[STRINGS].add((data, flag))
                rows.append((data, flag))
        if not rows:
            return
        ends = [sum(len(data) for data, _ in rows[:i + 1]) for i in range(len(rows))]
        payload = column_bytes(1, ends, self.chance) + self.columns([(2, [flag for _, flag in rows])]) + self.skipped()
        self.emit("D", STRINGS, payload + b"".join(data for data, _ in rows), len(rows), self.counts[STRINGS])
        self.counts[STRINGS] += len(rows)

    def row(self, domain, own):
        pick, an_id, number = self.chance.randint, self.an_id, self.number
        unsigned = lambda: number() & M64
        return {
            MEASURES: lambda: (an_id(1), an_id(1), pick(0, 2), pick(0, 2), pick(0, 3), pick(0, 1), pick(0, 9), pick(0, 9),
                               pick(0, 3), an_id(1), pick(0, 1), pick(0, 3), max(0, pick(-3, 3)), max(0, pick(-9, 1))),
            IMAGES: lambda: (an_id(1), an_id(1)) + tuple(unsigned() for _ in range(6)),
            FUNCTIONS: lambda: (an_id(1), an_id(1), an_id(1), number()),
            LOCATIONS: lambda: (an_id(4), number(), an_id(3), unsigned(), unsigned() >> 32, pick(0, 7), pick(0, 1)),
            STACKS: lambda: (pick(0, own - 1), an_id(5)),
            LABELS: lambda: (pick(0, own - 1), an_id(1), an_id(1), pick(0, 1), number()),
        }[domain]()

    def rows(self, domain):
        rows = []
        for _ in range(self.chance.randint(1, 6 if domain == MEASURES else 30)):
            row = self.row(domain, self.counts[domain] + len(rows))
            if any(row) and row not in self.seen[domain] and (domain != STACKS or row[1]) and not self.clash(domain, row):
                self.seen[domain].add(row)
                rows.append(row)
        if not rows:
            return
        later = [number | 0x8000 * (number in LATER.get(domain, ())) for number in range(1, len(rows[0]) + 1)]
        payload = self.columns([(number, list(values)) for number, values in zip(later, zip(*rows))]) + self.skipped()
        if len(payload) < len(rows):
            payload += struct.pack("<HBBIQ", 0xFFFF, 0, 0, 40, 0) + bytes(40)
        self.emit("D", domain, payload, len(rows), self.counts[domain])
        self.counts[domain] += len(rows)
        if domain == MEASURES:
            self.measures += [(row[2], row[5]) for row in rows]

    def clash(self, domain, row):
        """True if the segment has a measure that a merge takes for the same. A good writer starts a new segment."""
        same = (row[0], row[1], row[2], row[5]) if domain == MEASURES else None
        if same in self.same:
            return True
        if same:
            self.same.add(same)
        return False

    def block(self):
        chance, kind = self.chance, self.chance.randint(0, 2)
        rows = self.how_many((1, 2, 9, 300))
        tables = {1: STACKS, 2: LABELS, 3: LOCATIONS, 4: LOCATIONS}
        named = [(number, [self.an_id(tables[number]) for _ in range(rows)]) for number in ((1, 2), (2, 3), (2, 3, 4))[kind]
                 if chance.random() < 0.9]
        if chance.random() < 0.3:
            named.append((5, [self.number() for _ in range(rows)]))
        values = {}
        for k, (of, _) in enumerate(self.measures):
            if of == kind and chance.random() < 0.8:
                column = [self.number() if chance.random() < 0.5 else chance.randint(0, 200) for _ in range(rows)]
                if chance.random() < 0.2:
                    column = [self.number()] * rows
                values[k] = column
                named.append((256 + k, column))
        self.emit("B", kind + 1, self.columns(named) + self.skipped(), rows, self.counts[STACKS])
        self.records += [(kind, {k: column[i] for k, column in values.items()}) for i in range(rows)]

    def metadata(self):
        rows = self.how_many((1, 2, 5))
        named = [(number, [self.an_id(STRINGS) for _ in range(rows)]) for number in (1, 2, 3)]
        self.emit("M", 0, self.columns(named) + self.skipped(), rows, len(self.records) & 0xFFFFFFFF)

    def texts(self):
        chance, tail, rows = self.chance, b"", []
        for _ in range(self.how_many((1, 2, 5))):
            tail += chance.randbytes(chance.randint(0, 5))
            name_end = len(tail)
            tail += chance.randbytes(chance.randint(0, 9))
            rows.append((len(tail), name_end, chance.randint(0, 1000), chance.randint(0, 3)))
        first = column_bytes(1, [row[0] for row in rows], chance) if tail else b""
        named = [(i + 1, list(values)) for i, values in enumerate(zip(*rows))]
        self.emit("s", 0, first + self.columns(named[1:]) + self.skipped() + tail, len(rows))

    def unknown(self):
        self.emit(self.chance.choice("axz"), self.chance.randint(0, 9), self.chance.randbytes(self.chance.randint(0, 50)),
                  self.chance.randint(0, 1 << 32 - 1), 3)

    def end(self, base):
        totals = b""
        for k, (kind, aggregation) in enumerate(self.measures):
            values = [values.get(k, 0) for of, values in self.records if of == kind]
            total = max(values, default=0) if aggregation else sum(values)
            totals += total.to_bytes(16, "little", signed=True)
        if base & 2:
            totals = b""
        payload = struct.pack("<Q", len(self.records)) + totals
        payload += struct.pack("<Q", len(self.out) + 32 + len(payload) + 8)
        return self.out + frame_bytes("E", 0, payload, len(self.records), base)


def random_stream(seed):
    chance = random.Random(seed)
    return b"".join(RandomSegment(chance).end(chance.choice((0, 0, 0, 0, 0, 0, 1, 2, 3))) for _ in range(chance.randint(1, 3)))


def mutated(data, chance):
    """The stream with one byte of a frame's header or payload changed, and with correct checks."""
    frames, at = [], 0
    while at < len(data):
        frames.append(Frame(data, at))
        at += frames[-1].total
    frame = chance.choice(frames)
    frame.inflate()
    at, size = frame.offset, frame.size
    head, payload = bytearray(data[at:at + 24]), bytearray(data[at + 32:at + 32 + size])
    if frame.raw and chance.random() < 0.8:
        payload = bytearray(frame.payload)
        payload[chance.randrange(chance.choice((len(payload), min(len(payload), 32))))] ^= chance.choice((1, 2, 128, 255))
        if frame.flags & 1:
            payload = zlib.compress(payload)
            head[8:12] = struct.pack("<I", len(payload))
    else:
        head[chance.randrange(4, 24)] ^= chance.choice((1, 2, 3, 128, 255))
    head += struct.pack("<I", low32(payload))
    head += struct.pack("<I", low32(head))
    return data[:at] + head + payload + bytes(-len(payload) % 8) + data[at + frame.total:]


def compare(program, first, last):
    with tempfile.TemporaryDirectory() as folder:
        one, two = os.path.join(folder, "one"), os.path.join(folder, "two")

        def run(*words):
            return subprocess.run([program, *words], stdout=subprocess.PIPE, check=True).stdout.decode()

        def expect(what, got, expected):
            if got != expected:
                shown = [(i, a, b) for i, (a, b) in enumerate(zip(got.split("\n"), expected.split("\n"))) if a != b]
                sys.exit("seed %d: %s differs: %s" % (seed, what, shown[:1] or (len(got), len(expected))))

        def dump(data):
            return "\n".join(Reader(data).lines) + "\n"

        for seed in range(first, last + 1):
            data = random_stream(seed)
            with open(one, "wb") as file:
                file.write(data)
            lines = dump(data)
            expect("what is read", run("dump", one), lines)
            run("rewrite", one, two, str(seed % 11 + 1), str(seed % 3))
            with open(two, "rb") as file:
                expect("what is written", dump(file.read()), lines)
            expect("the copy's result", run("copy", one, two), lines.split("\n")[-2] + "\n")
            with open(two, "rb") as file:
                expect("the copy", repr(file.read()), repr(data))
            chance = random.Random(seed)
            for _ in range(8):
                bad = mutated(data, chance)
                with open(one, "wb") as file:
                    file.write(bad)
                expect("what is read of a changed stream", run("dump", one), dump(bad))


def main(words):
    if len(words) == 3 and words[0] == "random":
        with open(words[2], "wb") as file:
            file.write(random_stream(int(words[1])))
    elif len(words) == 4 and words[0] == "compare":
        compare(words[1], int(words[2]), int(words[3]))
    elif len(words) == 2 and words[0] in ("dump", "frames"):
        with open(words[1], "rb") as file:
            data = file.read()
        if words[0] == "dump":
            print("\n".join(Reader(data).lines))
            return
        at = 0
        while at < len(data):
            frame = Frame(data, at)
            print("%d %s %d %d %d %d %d %d" % (at, frame.type, frame.domain, frame.rows, frame.base, frame.size, frame.raw, frame.flags))
            at += frame.total
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
