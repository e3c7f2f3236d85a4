#!/usr/bin/env python3
"""Lists the commands that tests call and that a bare system with configure's packages does not have.

usage: commands.py KNOWN FILE...

KNOWN is a table of commands: a line 'NEED: COMMAND...' for each need of configure, and 'essential' for what every
Debian has. FILE is a shell script, a bats file or a Python script. A command is fine if KNOWN has it, if a function
of the file or of tests/lib has its name, if it is one of the project's programs, or if the file asks for it by
'command -v' or shutil.which (and can skip the test). The output is one line 'FILE:LINE: COMMAND ...' for each
other command.
"""
import os
import re
import subprocess
import sys

KEYWORDS = {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"}
# number of words that a wrapper takes before the command it runs
WRAPPERS = {"run": 0, "expect": 0, "fails": 2, "env": 0, "exec": 0, "nice": 0, "timeout": 1, "xargs": 0, "eval": 0}
META = " \t\n;&|()<>"


class Script:
    """The commands that a shell script calls, the functions that it defines and the commands that it asks for. Methods that read a
    part of the text take its start and return the place after it."""

    def __init__(self, text):
        self.text, self.calls, self.functions, self.asked = text, [], set(), set()
        self.heredocs = []
        self.scan(0, None)

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def skip_heredocs(self, at):
        for word, strip in self.heredocs:
            while at < len(self.text):
                end = self.text.find("\n", at)
                end = len(self.text) if end < 0 else end
                body, at = self.text[at:end], end + 1
                if (body.lstrip("\t") if strip else body) == word:
                    break
        self.heredocs = []
        return at

    def quoted(self, at):
        """Reads a string in double quotes that begins at 'at', and the commands inside it."""
        at += 1
        while at < len(self.text) and self.text[at] != '"':
            at = self.expansion(at)
        return at + 1

    def expansion(self, at):
        """Reads one character, escape or expansion."""
        text = self.text
        if text[at] == "\\":
            return at + 2
        if text.startswith("$((", at):
            return text.find("))", at) + 2
        if text.startswith("$(", at):
            return self.scan(at + 2, ")")
        if text.startswith("${", at):
            at += 2
            while at < len(text) and text[at] != "}":
                at = self.quoted(at) if text[at] == '"' else self.expansion(at)
            return at + 1
        return at + 1

    def word(self, at):
        """Reads the word that begins at 'at'."""
        text = self.text
        while at < len(text) and text[at] not in META:
            if text[at] == "'":
                at = text.find("'", at + 1) + 1
            elif text.startswith("$'", at):
                at += 2
                while text[at] != "'":
                    at += 2 if text[at] == "\\" else 1
                at += 1
            elif text[at] == '"':
                at = self.quoted(at)
            else:
                at = self.expansion(at)
        return at

    def blanks(self, at):
        while at < len(self.text) and (self.text[at] in " \t" or self.text.startswith("\\\n", at)):
            at += 2 if self.text[at] == "\\" else 1
        return at

    def pattern(self, at):
        """Reads a case's pattern, or its esac."""
        while at < len(self.text):
            if self.text[at].isspace():
                at += 1
            elif self.text[at] == "#":
                at = self.text.find("\n", at)
            elif re.match(r"esac\b", self.text[at:]):
                return at, False
            else:
                break
        at += self.text.startswith("(", at)
        while at < len(self.text) and self.text[at] != ")":
            at = self.text.find("'", at + 1) + 1 if self.text[at] == "'" else \
                self.quoted(at) if self.text[at] == '"' else self.expansion(at)
        return at + 1, True

    def scan(self, at, closer):
        """Reads commands up to the closer."""
        text, command, skip, cases, header = self.text, True, 0, 0, False
        while at < len(text):
            at = self.blanks(at)
            if at >= len(text):
                break
            c = text[at]
            if c == closer:
                return at + 1
            if c == "\n":
                at, command, skip = at + 1, True, 0
                if self.heredocs:
                    at = self.skip_heredocs(at)
            elif c == "#":
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif text.startswith(";;", at):
                at, inside = self.pattern(at + 2)
                cases, command, skip = cases - (not inside), True, 0
            elif c in ";|&":
                at, command, skip = at + 1, True, 0
            elif text.startswith("((", at):
                at = text.find("))", at) + 2
            elif c == "(":
                at, command = self.scan(at + 1, ")"), False
            elif c == ")":
                at, command = at + 1, True
            elif c in "<>":
                at = self.redirection(at)
            else:
                end = self.word(at)
                word = text[at:end]
                if header and word == "in":
                    end, inside = self.pattern(end)
                    header, command, cases = False, True, cases + inside
                elif word == "case" and command:
                    header, command = True, False
                elif command:
                    command, skip, end = self.command(word, at, end, skip)
                at = end
        return at

    def redirection(self, at):
        text = self.text
        if text.startswith("<<<", at):
            return self.word(self.blanks(at + 3))
        if text.startswith("<<", at):
            strip = text.startswith("<<-", at)
            begin = self.blanks(at + 2 + strip)
            end = self.word(begin)
            self.heredocs.append((text[begin:end].strip("'\"").replace("\\", ""), strip))
            return end
        if text.startswith((">(", "<("), at):
            return self.scan(at + 2, ")")
        at += 1
        while at < len(text) and text[at] in "<>&|":
            at += 1
        return self.word(self.blanks(at))

    def command(self, word, at, end, skip):
        """Handles a word that may be a command. Returns whether a command follows, after how many words, and the place to read next."""
        text = self.text
        if skip:
            return True, skip - 1, end
        if word in KEYWORDS:
            return True, 0, end
        if re.match(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=", word):
            if word.endswith("=") and text.startswith("(", end):
                return True, 0, self.array(end + 1)
            return True, 0, end
        if text.startswith("()", end):
            self.functions.add(word)
            return True, 0, end + 2
        if word in WRAPPERS:
            begin = self.blanks(end)
            while text.startswith(("-", '"$'), begin) and word != "fails":
                end = self.word(begin)
                begin = self.blanks(end)
            return True, WRAPPERS[word], end
        if word == "[[":
            return False, 0, self.condition(end)
        if word == "command":
            match = re.match(r" -v +([\w.+-]+)", text[end:])
            if match:
                self.asked.add(match.group(1))
        elif re.fullmatch(r"[A-Za-z_][\w.+-]*|\[", word):
            self.calls.append((word, self.line(at)))
        return False, 0, end

    def condition(self, at):
        """Reads a condition up to its ]]."""
        while at < len(self.text) and not self.text.startswith("]]", at):
            at = self.quoted(at) if self.text[at] == '"' else self.expansion(at)
        return at + 2

    def array(self, at):
        while at < len(self.text) and self.text[at] != ")":
            at = at + 1 if self.text[at].isspace() else max(self.word(at), at + 1)
        return at + 1


class Python:
    """The commands that a Python script runs by a literal name, and the commands that it asks for."""

    def __init__(self, text):
        self.functions = set()
        self.asked = set(re.findall(r'which\("([\w.+-]+)"\)', text))
        self.calls = [(match.group(1), text.count("\n", 0, match.start()) + 1)
                      for match in re.finditer(r'subprocess\.\w+\(\s*\["([\w.+-]+)"', text)]


def read(name):
    with open(name, encoding="utf-8") as file:
        return Python(file.read()) if name.endswith(".py") else Script(file.read())


def main():
    known, files = sys.argv[1], sys.argv[2:]
    fine = set(subprocess.run(["bash", "-c", "compgen -b; compgen -k"], capture_output=True, text=True, check=True)
               .stdout.split())
    with open(known, encoding="utf-8") as lines:
        fine.update(word for line in lines if not line.startswith("#") for word in line.partition(":")[2].split())
    fine.update(name[:-4] for name in os.listdir("tools") if name.endswith(".ggo"))
    scripts = {name: read(name) for name in files}
    for name, script in scripts.items():
        if name.startswith("tests/lib/"):
            fine.update(script.functions, script.asked)
    for name, script in scripts.items():
        for word, line in script.calls:
            if word not in fine and word not in script.functions and word not in script.asked:
                print(f"{name}:{line}: {word} is a command that configure does not install; ask 'command -v' first")


if __name__ == "__main__":
    main()
