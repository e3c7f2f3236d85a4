// A flame graph on a canvas, and a table of its functions. The profile is arrays of numbers by node of the tree of calls, in
// preorder: the nodes below a node are the nodes after it, up to its `end`, so every walk is a loop.
"use strict";
(function () {
    const byId = (id) => document.getElementById(id);
    const profile = JSON.parse(byId("profile").textContent);
    const count = profile.up.length, functions = profile.functions.length;
    const parent = new Int32Array(count), depth = new Int32Array(count), end = new Int32Array(count);
    const functionOf = Int32Array.from(profile.function);
    const ROW = 18, INSET = 1, LEAST = 0.4;
    const dark = matchMedia("(prefers-color-scheme: dark)");

    // --- the tree ------------------------------------------------------------------------------------------

    let height = 0;
    for (let node = 1, last = [0]; node < count; node++) {
        const level = depth[node] = depth[node - 1] + 1 - profile.up[node];
        parent[node] = last[level - 1];
        last[level] = node;
        height = Math.max(height, level);
    }
    end.fill(1);
    for (let node = count; node-- > 1;)
        end[parent[node]] += end[node];
    for (let node = 0; node < count; node++)
        end[node] += node;

    // --- amounts of the chosen measure and section ---------------------------------------------------------

    const none = {name: "", unit: "count", self: []};
    let measure = profile.measures[profile.main] || none, section = "";
    let difference = false, self = [], total = [], greatest = 1;
    const width = new Float64Array(count), start = new Float64Array(count);

    // True for the slices that belong to the chosen section. A slice is [value, an earlier slice without this value]; slice 0 has no value.
    function chosenSlices() {
        const chosen = new Array(profile.slices.length).fill(section === "");
        if (section === "-")
            chosen[0] = true;
        else if (section !== "")
            profile.slices.forEach(([value, without], slice) => {
                chosen[slice] = slice > 0 && (value === Number(section) || chosen[without]);
            });
        return chosen;
    }

    // Adds up lists of slice, distances between nodes, and amounts, one after the other.
    function sumUp(lists) {
        const own = new Float64Array(count), chosen = chosenSlices();
        for (let i = 0; i < lists.length; i += 3)
            if (chosen[lists[i]])
                for (let k = 0, node = 0; k < lists[i + 1].length; k++) {
                    node += lists[i + 1][k];
                    own[node] += lists[i + 2][k];
                }
        return own;
    }

    function withSubtrees(own) {
        const sums = own.slice();
        for (let node = count; node-- > 1;)
            sums[parent[node]] += sums[node];
        return sums;
    }

    // With leaves at the root, the self amount of a function is the whole amount of its frame at the root.
    function reverseSelves(side, sums) {
        for (let node = 1; node < count; node++)
            side[node] = parent[node] === 0 ? sums[node] : 0;
    }

    // A frame is as wide as the greater of both sides, node by node, so that frames that are gone keep their place.
    function compute() {
        difference = measure.before !== undefined;
        self = difference ? [sumUp(measure.before), sumUp(measure.after)] : [sumUp(measure.self)];
        total = self.map(withSubtrees);
        for (let node = 0; node < count; node++)
            width[node] = Math.max(Math.abs(self[0][node]), difference ? Math.abs(self[1][node]) : 0);
        width.set(withSubtrees(width));
        if (profile.reverse)
            self.forEach((side, k) => reverseSelves(side, total[k]));
        const next = new Float64Array(height + 2);
        for (let node = 0; node < count; node++) {
            start[node] = next[depth[node]];
            next[depth[node]] += width[node];
            next[depth[node] + 1] = start[node];
        }
    }

    function change(node) {
        if (!difference)
            return Math.min(0, total[0][node]);
        const sides = byId("colour").value === "self" ? self : total;
        return sides[1][node] - sides[0][node];
    }

    // The greatest change below the zoomed frame, so that small changes are visible there.
    function measureChanges() {
        greatest = 0;
        for (let node = zoomed; node < end[zoomed]; node++)
            greatest = Math.max(greatest, Math.abs(change(node)));
        greatest = greatest || 1;
    }

    // --- verdicts ------------------------------------------------------------------------------------------

    // The verdicts are those of all records, so a section has none. A blank: the function was not judged.
    const verdictsKnown = () => measure.verdicts !== undefined && section === "";
    const judged = () => verdictsKnown() && /\S/.test(measure.verdicts);
    const insignificant = (node) => judged() && byId("pale").checked && "~.=".includes(measure.verdicts[functionOf[node]]);
    const verdictText = (node) => verdictsKnown() ? measure.words[measure.verdict[functionOf[node]]] : "";

    // --- words ---------------------------------------------------------------------------------------------

    const units = {
        nanoseconds: [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]],
        bytes: [["TB", 2 ** 40], ["GB", 2 ** 30], ["MB", 2 ** 20], ["kB", 2 ** 10], ["B", 1]],
    };

    // Amounts are whole numbers; measure.parts of them are one unit.
    function amountText(parts) {
        const steps = units[measure.unit], amount = parts / (measure.parts || 1);
        if (!steps) {
            const [whole, decimals] = amount.toFixed(6).replace(/\.?0+$/, "").split(".");
            return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals ? "." + decimals : "");
        }
        if (amount === 0)
            return "0";
        const [unit, size] = steps.find((step) => Math.abs(amount) >= step[1] * (1 - 5e-6)) || steps[steps.length - 1];
        return (amount / size).toFixed(2).replace(/\.00$/, "") + unit;
    }

    function counted(amount) {
        const name = measure.unit in units ? "" : " " + (measure.unit === "count" ? measure.name : measure.unit);
        return amountText(amount) + name;
    }

    // Counts are followed by the name of their measure; for other units the name comes before the amount.
    const heading = (text) => measure.unit === "count" || measure.name === "" ? text : measure.name + ": " + text;

    const signed = (amount) => (amount >= 0 ? "+" : "") + amountText(amount);
    const percent = (amount, whole) => (whole ? 100 * amount / whole : 0).toFixed(2) + "%";

    function ratioText(before, after) {
        if (before === 0)
            return after === 0 ? "" : "new";
        const rise = (after - before) / Math.abs(before);
        return (rise >= 0 ? "+" : "") + (100 * rise).toFixed(2) + "%" + (after === 0 ? ", gone" : ", ratio " + (after / before).toFixed(2));
    }

    function place(number) {
        const file = profile.files[profile.file[number]], line = profile.line[number];
        return file === "" ? "" : line > 0 ? file + ":" + line : file;
    }

    // Distinguishes functions with the same name: the base name of their file, or the whole name if base names are the same too.
    const baseOf = (number) => profile.files[profile.file[number]].replace(/^.*[/\\]/, "");
    function timesOf(text) {
        const times = new Map();
        for (let number = 1; number < functions; number++)
            times.set(text(number), (times.get(text(number)) || 0) + 1);
        return (number) => times.get(text(number));
    }
    const timesNamed = timesOf((number) => profile.functions[number]);
    const timesPlaced = timesOf((number) => profile.functions[number] + "\n" + baseOf(number));

    function fileBeside(number) {
        if (timesNamed(number) < 2)
            return "";
        return timesPlaced(number) > 1 ? profile.files[profile.file[number]] : baseOf(number);
    }

    function amountsText(node) {
        if (!difference)
            return counted(total[0][node]) + ", " + percent(total[0][node], total[0][0]) +
                (self[0][node] ? "; self " + amountText(self[0][node]) : "");
        const [before, after] = [total[0][node], total[1][node]];
        return "before " + amountText(before) + ", after " + counted(after) + ", " + signed(after - before) +
            (before || after ? ", " + ratioText(before, after) : "") +
            (self[0][node] || self[1][node] ? "; self " + amountText(self[0][node]) + " to " + amountText(self[1][node]) : "");
    }

    const nameOf = (node) => profile.functions[functionOf[node]];

    // --- searching -----------------------------------------------------------------------------------------

    const found = new Uint8Array(functions);
    let pattern = "", exact = -1, zoomed = 0, focused = 0;

    // A match inside another match counts once.
    function matchedAmount() {
        const sums = total.map(() => 0);
        for (let node = zoomed; node < end[zoomed];)
            if (found[functionOf[node]]) {
                total.forEach((side, k) => { sums[k] += side[node]; });
                node = end[node];
            } else {
                node++;
            }
        return sums;
    }

    function showMatched() {
        const whole = total.map((side) => side[zoomed]);
        byId("matched").textContent = pattern === "" && exact < 0 ? "" :
            "matched " + matchedAmount().map((sum, k) => counted(sum) + " = " + percent(sum, whole[k])).join(" to ");
    }

    function search() {
        const input = byId("search");
        let test = null;
        input.setAttribute("aria-invalid", "false");
        pattern = input.value;
        if (pattern !== "")
            exact = -1;
        try {
            test = pattern === "" ? null : new RegExp(pattern, byId("case").checked ? "i" : "");
        } catch (error) {
            input.setAttribute("aria-invalid", "true");
            return;
        }
        for (let number = 0; number < functions; number++)
            found[number] = test !== null ? test.test(profile.functions[number]) : number === exact;
        showMatched();
        showTable();
        draw();
        remember();
    }

    // --- drawing -------------------------------------------------------------------------------------------

    const canvas = byId("canvas"), scroll = byId("scroll"), room = byId("room"), context = canvas.getContext("2d", {alpha: false});
    let rootOnTop = profile.inverted, colors = [], theme = {}, drawn = 0;

    function readTheme() {
        const css = getComputedStyle(document.documentElement);
        theme = {};
        for (const name of ["page", "root", "same", "found", "accent", "more", "less", "dim", "ink"])
            theme[name] = css.getPropertyValue("--" + name).trim();
        const dim = Number(theme.dim), hex = (text) => Math.round(parseInt(text, 16) * dim).toString(16).padStart(2, "0");
        colors = Array.from({length: functions}, (_, k) => {
            const text = profile.colors.slice(6 * k, 6 * k + 6);
            return "#" + hex(text.slice(0, 2)) + hex(text.slice(2, 4)) + hex(text.slice(4, 6));
        });
        colors[0] = theme.root;
    }

    // The colour grows with the square root of the change, so that small changes are visible.
    function changeColor(amount) {
        if (amount === 0)
            return theme.same;
        const share = Math.min(1, Math.abs(amount) / greatest), dim = Number(theme.dim);
        const rest = Math.round(dim * (240 - Math.floor(200 * Math.sqrt(share) + 0.5))), full = Math.round(dim * 255);
        return (amount > 0) !== profile.negate ? `rgb(${full},${rest},${rest})` : `rgb(${rest},${rest},${full})`;
    }

    const channels = (color) => color[0] === "#" ? [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16)) : color.match(/\d+/g).map(Number);

    function mix(color, share, other) {
        const rest = channels(other);
        return `rgb(${channels(color).map((part, k) => Math.round(share * part + (1 - share) * rest[k]))})`;
    }

    // Black or white, whichever is more readable: the contrast is at least 4.5 : 1 (WCAG 2.1, relative luminance).
    const inks = new Map();
    function inkOn(color) {
        if (!inks.has(color)) {
            const [red, green, blue] = channels(color).map((part) => part / 255)
                .map((share) => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
            inks.set(color, 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 ? "#ffffff" : "#000000");
        }
        return inks.get(color);
    }

    function colorOf(node) {
        if (found[functionOf[node]])
            return theme.found;
        const amount = change(node);
        if (!difference && amount >= 0)
            return colors[functionOf[node]];
        return insignificant(node) ? mix(changeColor(amount), 1 / 6, theme.same) : changeColor(amount);
    }

    const gone = (node) => difference && total[1][node] === 0 && total[0][node] !== 0;
    const added = (node) => difference && total[0][node] === 0 && total[1][node] !== 0;

    function shorten(text, pixels) {
        let chars = Math.floor(pixels / charWidth);
        if (chars < 3)
            return "";
        if (text.length <= chars && context.measureText(text).width <= pixels)
            return text;
        for (chars = Math.min(chars, text.length); chars > 2; chars--) {
            const short = text.slice(0, chars - 1) + "\u2026";
            if (context.measureText(short).width <= pixels)
                return short;
        }
        return "";
    }

    const levels = () => deepest + 1;
    const rowTop = (level) => (rootOnTop ? level : levels() - 1 - level) * ROW - scroll.scrollTop + offset();
    const offset = () => rootOnTop ? 0 : Math.max(0, scroll.clientHeight - levels() * ROW);
    let deepest = 0, charWidth = 7;

    function box(node, x, pixels, y) {
        const color = depth[node] < depth[zoomed] ? mix(colorOf(node), 0.55, theme.page) : colorOf(node);
        context.fillStyle = color;
        context.fillRect(x, y + INSET, Math.max(pixels - (pixels > 2 ? INSET : 0), LEAST), ROW - INSET);
        if ((gone(node) || added(node)) && pixels > 4) {
            context.strokeStyle = gone(node) ? "#0000a0" : "#a00000";
            context.setLineDash(gone(node) ? [4, 2] : []);
            context.strokeRect(x + 0.5, y + INSET + 0.5, pixels - INSET - 1, ROW - INSET - 1);
        }
        const text = shorten(nameOf(node), pixels - 6);
        if (text !== "") {
            context.fillStyle = inkOn(color);
            context.fillText(text, x + 4, y + ROW / 2 + 1);
        }
    }

    function outline(x, pixels, y) {
        context.setLineDash([]);
        context.strokeStyle = theme.ink;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, Math.max(1, pixels - 2), ROW - 1);
        context.lineWidth = 1;
    }

    // Calls see(node, x, pixels) for the frames of the picture: the zoomed frame, its callers, and the frames below it.
    function eachFrame(see) {
        const across = scroll.clientWidth, scale = width[zoomed] > 0 ? across / width[zoomed] : 0;
        for (let node = zoomed; node !== 0;)
            see(node = parent[node], 0, across);
        for (let node = zoomed; node < end[zoomed];) {
            const pixels = node === zoomed ? across : width[node] * scale;
            if (pixels < LEAST || see(node, (start[node] - start[zoomed]) * scale, pixels) === false)
                node = end[node];
            else
                node++;
        }
    }

    function findDeepest() {
        deepest = 0;
        eachFrame((node) => { deepest = Math.max(deepest, depth[node]); });
    }

    function drawNow() {
        const across = scroll.clientWidth, tall = scroll.clientHeight, ratio = window.devicePixelRatio || 1;
        drawn = 0;
        if (canvas.width !== Math.round(across * ratio) || canvas.height !== Math.round(tall * ratio)) {
            canvas.width = Math.round(across * ratio);
            canvas.height = Math.round(tall * ratio);
            canvas.style.height = tall + "px";
        }
        room.style.height = Math.max(tall, levels() * ROW) + "px";
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.font = '12px system-ui, "DejaVu Sans", Verdana, sans-serif';
        context.textBaseline = "middle";
        charWidth = context.measureText("abcdefghijklmnopqrstuvwxyz::_").width / 29;
        context.fillStyle = theme.page;
        context.fillRect(0, 0, across, tall);
        eachFrame((node, x, pixels) => {
            const y = rowTop(depth[node]);
            if (y > -ROW && y < tall) {
                box(node, x, pixels, y);
                if (node === focused && document.activeElement === canvas)
                    outline(x, pixels, y);
            }
            return true;
        });
    }

    function draw() {
        if (!drawn)
            drawn = requestAnimationFrame(drawNow);
    }

    // --- moving about --------------------------------------------------------------------------------------

    function rescroll() {
        findDeepest();
        room.style.height = Math.max(scroll.clientHeight, levels() * ROW) + "px";
        const y = (rootOnTop ? depth[zoomed] : levels() - 1 - depth[zoomed]) * ROW;
        scroll.scrollTop = rootOnTop ? Math.max(0, y - 3 * ROW) : Math.max(0, y + 4 * ROW - scroll.clientHeight);
    }

    function zoom(node) {
        zoomed = width[node] > 0 ? node : 0;
        focused = zoomed;
        measureChanges();
        byId("reset").disabled = zoomed === 0;
        rescroll();
        showMatched();
        describe(zoomed);
        draw();
        remember();
    }

    const childrenOf = function* (node) {
        for (let child = node + 1; child < end[node]; child = end[child])
            if (width[child] > 0)
                yield child;
    };

    function frameAt(event) {
        const area = canvas.getBoundingClientRect(), across = scroll.clientWidth;
        const y = event.clientY - area.top + scroll.scrollTop - offset();
        const level = rootOnTop ? Math.floor(y / ROW) : levels() - 1 - Math.floor(y / ROW);
        const amount = start[zoomed] + (event.clientX - area.left) / across * width[zoomed];
        let node = zoomed;
        if (level < 0 || level > deepest)
            return -1;
        while (depth[node] > level)
            node = parent[node];
        while (depth[node] < level) {
            let next = -1;
            for (const child of childrenOf(node))
                if (amount >= start[child] && amount < start[child] + width[child])
                    next = child;
            if (next < 0)
                return -1;
            node = next;
        }
        return node;
    }

    function describe(node) {
        const words = node < 0 ? "" : [amountsText(node), verdictText(node)].filter((text) => text !== "").join("; ");
        byId("details").textContent = node < 0 ? "" : nameOf(node) + "  (" + words + ")";
    }

    function showTip(node, event) {
        const tip = byId("tip");
        tip.hidden = node < 0;
        if (node < 0)
            return;
        tip.textContent = [nameOf(node), amountsText(node), verdictText(node), place(functionOf[node])].filter((line) => line !== "").join("\n");
        const area = tip.getBoundingClientRect();
        tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - area.width - 8)) + "px";
        tip.style.top = (event.clientY + 18 + area.height > innerHeight ? event.clientY - area.height - 10 : event.clientY + 18) + "px";
    }

    function moveFocus(node) {
        if (node === undefined)
            return;
        focused = node;
        const y = (rootOnTop ? depth[node] : levels() - 1 - depth[node]) * ROW + offset();
        if (y < scroll.scrollTop)
            scroll.scrollTop = y;
        else if (y + ROW > scroll.scrollTop + scroll.clientHeight)
            scroll.scrollTop = y + ROW - scroll.clientHeight;
        describe(node);
        draw();
    }

    function widest(node) {
        let best;
        for (const child of childrenOf(node))
            if (best === undefined || width[child] > width[best])
                best = child;
        return best;
    }

    function sibling(node, step) {
        const all = node === 0 ? [0] : Array.from(childrenOf(parent[node]));
        return all[all.indexOf(node) + step];
    }

    const keys = {
        Enter: () => zoom(focused),
        " ": () => zoom(focused),
        Escape: () => zoom(0),
        Backspace: () => zoom(parent[zoomed]),
        Home: () => moveFocus(zoomed),
        ArrowLeft: () => moveFocus(sibling(focused, -1)),
        ArrowRight: () => moveFocus(sibling(focused, 1)),
        ArrowUp: () => moveFocus(rootOnTop ? parent[focused] : widest(focused)),
        ArrowDown: () => moveFocus(rootOnTop ? widest(focused) : parent[focused]),
    };

    // --- the table -----------------------------------------------------------------------------------------

    let rows = [], shown = 0, sortBy = "total", descending = true;
    const STEP = 200;

    // The total of a frame counts for its function unless a caller of the frame has the same function.
    function tabulate() {
        const flat = self.map(() => new Float64Array(functions)), cum = self.map(() => new Float64Array(functions));
        const open = new Int32Array(functions), stack = new Int32Array(height + 2);
        let top = 0;
        for (let node = 0; node < count; node++) {
            while (top > depth[node])
                open[stack[--top]]--;
            const number = functionOf[node];
            for (let side = 0; side < self.length; side++) {
                flat[side][number] += self[side][node];
                if (open[number] === 0)
                    cum[side][number] += total[side][node];
            }
            open[number]++;
            stack[top++] = number;
        }
        rows = [];
        for (let number = 1; number < functions; number++) {
            const row = {number, name: profile.functions[number], self: flat[0][number], total: cum[0][number]};
            if (difference)
                Object.assign(row, {
                    before: cum[0][number], after: cum[1][number], delta: cum[1][number] - cum[0][number], own: flat[1][number] - flat[0][number],
                });
            if (cum.some((side) => side[number] !== 0) || flat.some((side) => side[number] !== 0))
                rows.push(row);
        }
    }

    function columns() {
        const whole = total[0][0], tone = (amount) => amount === 0 ? "" : (amount > 0) !== profile.negate ? "more" : "less";
        if (difference)
            return [
                {key: "before", head: "Before", text: (row) => amountText(row.before)},
                {key: "after", head: "After", text: (row) => amountText(row.after)},
                {key: "delta", head: "Change", text: (row) => signed(row.delta), tone: (row) => tone(row.delta)},
                {key: "rise", head: "%", text: (row) => ratioText(row.before, row.after).replace(/, ratio.*/, ""), tone: (row) => tone(row.delta)},
                {key: "own", head: "Self", text: (row) => signed(row.own), tone: (row) => tone(row.own)},
                {key: "name", head: "Function"},
            ];
        return [
            {key: "self", head: "Self", text: (row) => amountText(row.self)},
            {key: "self%", head: "Self %", text: (row) => percent(row.self, whole)},
            {key: "total", head: "Total", text: (row) => amountText(row.total)},
            {key: "total%", head: "Total %", text: (row) => percent(row.total, whole)},
            {key: "name", head: "Function"},
        ];
    }

    function sortValue(row) {
        const key = sortBy.replace("%", "");
        if (key === "rise")
            return row.before === 0 ? Infinity : row.delta / Math.abs(row.before);
        return key === "delta" || key === "own" ? Math.abs(row[key]) : row[key];
    }

    function sortRows() {
        const byName = (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.number - b.number;
        const values = new Map(sortBy === "name" ? [] : rows.map((row) => [row, sortValue(row)]));
        rows.sort((a, b) => {
            const order = sortBy === "name" ? -byName(a, b) : values.get(b) - values.get(a);
            return (descending ? order : -order) || byName(a, b);
        });
    }

    function cell(row, column) {
        const td = document.createElement("td");
        if (column.key !== "name") {
            td.textContent = column.text(row);
            td.className = column.tone ? column.tone(row) : "";
            return td;
        }
        const name = document.createElement("bdi");
        name.dir = "ltr";
        name.textContent = row.name;
        if (fileBeside(row.number) !== "") {
            const file = document.createElement("small");
            file.textContent = fileBeside(row.number);
            name.append(" ", file);
        }
        td.title = row.name + (place(row.number) && "\n" + place(row.number));
        td.append(name);
        return td;
    }

    function addRows() {
        const wanted = pattern === "" ? rows : rows.filter((row) => found[row.number]);
        const some = document.createDocumentFragment(), list = columns();
        for (const row of wanted.slice(shown, shown + STEP)) {
            const tr = document.createElement("tr");
            tr.tabIndex = 0;
            tr.dataset.number = row.number;
            tr.setAttribute("aria-selected", String(row.number === exact));
            tr.append(...list.map((column) => cell(row, column)));
            some.append(tr);
        }
        byId("rows").append(some);
        shown = Math.min(wanted.length, shown + STEP);
        byId("more").hidden = shown === wanted.length;
        byId("more").textContent = `show more (${(wanted.length - shown).toLocaleString("en")} left)`;
        byId("none").hidden = wanted.length > 0;
    }

    function showTable() {
        byId("heads").replaceChildren(...columns().map((column) => {
            const th = document.createElement("th"), button = document.createElement("button");
            button.type = "button";
            button.textContent = column.head + (column.key === sortBy ? (descending ? " \u25be" : " \u25b4") : "");
            button.addEventListener("click", () => {
                descending = column.key === sortBy ? !descending : column.key !== "name";
                sortBy = column.key;
                sortRows();
                showTable();
                byId("heads").children[columns().findIndex((one) => one.key === sortBy)].firstChild.focus();
            });
            th.scope = "col";
            if (column.key === sortBy)
                th.setAttribute("aria-sort", descending ? "descending" : "ascending");
            th.append(button);
            return th;
        }));
        byId("rows").replaceChildren();
        shown = 0;
        addRows();
    }

    // A click on a row marks its function in the picture; a second click removes the mark.
    function choose(tr) {
        const number = Number(tr.dataset.number);
        exact = number === exact ? -1 : number;
        byId("search").value = pattern = "";
        found.fill(0);
        if (exact >= 0)
            found[exact] = 1;
        for (const other of byId("rows").children)
            other.setAttribute("aria-selected", String(Number(other.dataset.number) === exact));
        showMatched();
        draw();
    }

    // --- the page ------------------------------------------------------------------------------------------

    function changeAmounts() {
        compute();
        byId("colour-label").hidden = !difference;
        document.querySelector("main").classList.toggle("difference", difference);
        if (difference && !["before", "after", "delta", "rise", "own", "name"].includes(sortBy))
            sortBy = "delta";
        else if (!difference && !["self", "self%", "total", "total%", "name"].includes(sortBy))
            sortBy = "total";
        byId("subtitle").textContent = [profile.complete ? "" : "incomplete: an input is damaged", profile.subtitle,
            heading(difference ? `before ${amountText(total[0][0])}, after ${counted(total[1][0])}` : counted(total[0][0])),
            profile.reverse ? "leaves at the root" : ""].filter((text) => text !== "").join(" \u00b7 ");
        byId("note").hidden = !difference;
        byId("pale-label").hidden = !difference || !judged();
        byId("note").textContent = (profile.negate ? "blue is more, red is less" : "red is more, blue is less") + ", the stronger the greater; " +
            (judged() ? "pale frames: the change of the function's total is not significant"
                : verdictsKnown() ? "one run on a side: nothing tells a change from chance"
                    : "colours do not show whether a difference is real: profdiff -t text does");
        tabulate();
        sortRows();
        showTable();
        zoom(zoomed);
    }

    function remember() {
        const state = new URLSearchParams();
        if (measure !== profile.measures[profile.main] && measure !== none)
            state.set("m", profile.measures.indexOf(measure));
        if (section !== "")
            state.set("in", section === "-" ? "-" : profile.values[Number(section)]);
        if (zoomed !== 0)
            state.set("z", zoomed);
        if (pattern !== "")
            state.set("s", pattern);
        try {
            history.replaceState(null, "", "#" + state);
        } catch (error) {
            return; // a page inside another one has no address of its own
        }
    }

    function recall() {
        const state = new URLSearchParams(location.hash.slice(1));
        const value = profile.values.indexOf(state.get("in")), node = Number(state.get("z"));
        measure = profile.measures[Number(state.get("m") || profile.main)] || measure;
        section = state.get("in") === "-" ? "-" : value >= 0 ? String(value) : "";
        zoomed = node > 0 && node < count ? Math.floor(node) : 0;
        byId("search").value = state.get("s") || "";
    }

    function fill() {
        const option = (value, text) => new Option(text, value);
        byId("title").textContent = profile.title;
        byId("measure").append(...profile.measures.map((one, k) => option(String(k), one.name)));
        byId("measure-label").hidden = profile.measures.length < 2;
        byId("section-key").textContent = profile.label;
        byId("section").append(option("", "all"), ...profile.values.map((text, k) => option(String(k), text || '""')).sort((a, b) => a.text < b.text ? -1 : 1),
            option("-", "(none)"));
        byId("section-label").hidden = profile.values.length === 0;
        byId("colour").value = profile.own ? "self" : "total";
        byId("flip").setAttribute("aria-pressed", String(rootOnTop));
        byId("measure").value = String(profile.measures.indexOf(measure));
        byId("section").value = section;
    }

    function listen() {
        byId("measure").addEventListener("change", () => { measure = profile.measures[Number(byId("measure").value)]; changeAmounts(); });
        byId("section").addEventListener("change", () => { section = byId("section").value; changeAmounts(); });
        byId("colour").addEventListener("change", () => { measureChanges(); draw(); });
        byId("pale").addEventListener("change", draw);
        byId("search").addEventListener("input", search);
        byId("case").addEventListener("change", search);
        byId("controls").addEventListener("submit", (event) => event.preventDefault());
        byId("reset").addEventListener("click", () => zoom(0));
        byId("flip").addEventListener("click", () => {
            rootOnTop = !rootOnTop;
            byId("flip").setAttribute("aria-pressed", String(rootOnTop));
            rescroll();
            draw();
        });
        byId("more").addEventListener("click", addRows);
        byId("rows").addEventListener("click", (event) => choose(event.target.closest("tr")));
        byId("rows").addEventListener("keydown", (event) => {
            const step = {ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling"}[event.key];
            if (event.key === "Enter" || event.key === " ")
                choose(event.target.closest("tr"));
            else if (step)
                (event.target.closest("tr")[step] || event.target).focus();
            else
                return;
            event.preventDefault();
        });
        canvas.addEventListener("click", (event) => { const node = frameAt(event); if (node >= 0) zoom(node); });
        canvas.addEventListener("mousemove", (event) => { const node = frameAt(event); describe(node); showTip(node, event); });
        canvas.addEventListener("mouseleave", () => { showTip(-1); describe(zoomed); });
        canvas.addEventListener("keydown", (event) => {
            if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey)
                return;
            keys[event.key]();
            event.preventDefault();
        });
        for (const event of ["focus", "blur"])
            canvas.addEventListener(event, draw);
        window.addEventListener("keydown", (event) => {
            const typing = event.target.matches("input, select");
            if ((event.key === "f" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
                byId("search").select();
                byId("search").focus();
                event.preventDefault();
            } else if (event.key === "Escape" && !typing && event.target !== canvas) {
                zoom(0);
            }
        });
        scroll.addEventListener("scroll", draw);
        new ResizeObserver(() => { findDeepest(); draw(); }).observe(scroll);
        dark.addEventListener("change", () => { readTheme(); draw(); });
    }

    recall();
    readTheme();
    fill();
    listen();
    changeAmounts();
    search();
}());
