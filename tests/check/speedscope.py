#!/usr/bin/env python3
"""Loads profiles into speedscope in a real browser and prints its table of functions: speedscope.py MODULES FILE PICTURE

A line for each function: total, self, name, as in the sandwich view. Exit status 77: there is no Chromium."""
import base64
import os
import re
import sys
import time

import chromium


def wait(page, script, what):
    for _ in range(200):
        if page.run(script):
            return
        time.sleep(0.05)
    raise SystemExit(f"speedscope shows no {what}: {page.run('document.body.innerText')}")


def main():
    modules, path, picture = sys.argv[1:]
    if not chromium.program():
        raise SystemExit(77)
    loader = os.path.abspath("loader.js")
    with open(path, "rb") as file, open(loader, "w", encoding="ascii") as out:
        out.write(f'speedscope.loadFileFromBase64("{os.path.basename(path)}", "{base64.b64encode(file.read()).decode()}")')
    with chromium.Page() as page:
        page.open(os.path.join(modules, "speedscope/dist/release/index.html"), "#localProfilePath=" + loader)
        wait(page, "[...document.querySelectorAll('div')].some((div) => div.textContent === '🥪Sandwich')", "profile")
        page.picture(picture)
        page.run("[...document.querySelectorAll('div')].find((div) => div.textContent === '🥪Sandwich').click()")
        wait(page, "document.querySelectorAll('tr').length > 1", "table")
        for cells in page.run("[...document.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.innerText))"):
            values = [re.sub(r"\s+", " ", cell).strip() for cell in cells]
            if len(values) == 3 and "%" in values[0]:
                print("\t".join(values))
        if page.complaints():
            raise SystemExit("\n".join(page.complaints()))


main()
