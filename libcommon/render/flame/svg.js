// Zoom and search of an SVG flame graph. A frame is a <g> of #frames with a title, a rectangle and its label; data-x and
// data-e are its begin and end, as amounts; data-d is its depth. The fragment of the address (#x=..&d=..&s=..) has the
// zoomed frame and the search, so that a view can be sent as a link.
"use strict";
(function () {
    const byId = (id) => document.getElementById(id);
    const graph = byId("frames");
    const pad = Number(graph.dataset.pad), inner = Number(graph.dataset.inner), charWidth = Number(graph.dataset.char);
    const frames = Array.from(graph.children, (g) => {
        const [title, rect, label] = g.children;
        const text = title.textContent;
        return {
            g, rect, label, text,
            name: text.slice(0, text.lastIndexOf(" (")),
            x: Number(rect.dataset.x), end: Number(rect.dataset.e), depth: Number(rect.dataset.d),
            left: rect.getAttribute("x"), width: rect.getAttribute("width"), short: label.textContent, found: false,
        };
    });
    const frameOf = new Map(frames.map((frame) => [frame.g, frame]));
    const root = frames[0];
    let zoomed = root, pattern = "", ignoreCase = false;

    function fit(name, width) {
        const room = Math.floor(width / charWidth);
        if (room < 3)
            return "";
        if (name.length <= room)
            return name;
        return Array.from(name.slice(0, 2 * room)).slice(0, room - 2).join("") + "..";
    }

    function place(frame, left, width) {
        frame.rect.setAttribute("x", left.toFixed(2));
        frame.rect.setAttribute("width", width.toFixed(2));
        frame.label.setAttribute("x", (left + 3).toFixed(2));
        frame.label.textContent = fit(frame.name, width);
        frame.rect.classList.toggle("thin", width < 3);
    }

    function restore(frame) {
        frame.g.classList.remove("out", "above");
        frame.rect.setAttribute("x", frame.left);
        frame.rect.setAttribute("width", frame.width);
        frame.label.setAttribute("x", (Number(frame.left) + 3).toFixed(2));
        frame.label.textContent = frame.short;
        frame.rect.classList.toggle("thin", Number(frame.width) < 3);
    }

    // The frame and the frames below it fill the picture, its callers get the whole width, other frames are hidden.
    function arrange(frame) {
        const above = frame.depth < zoomed.depth && frame.x <= zoomed.x && frame.end >= zoomed.end;
        const inside = frame.depth >= zoomed.depth && frame.x >= zoomed.x && frame.end <= zoomed.end;
        const scale = inner / (zoomed.end - zoomed.x);
        frame.g.classList.toggle("above", above);
        frame.g.classList.toggle("out", !above && !inside);
        if (above)
            place(frame, pad, inner);
        else if (inside)
            place(frame, pad + (frame.x - zoomed.x) * scale, (frame.end - frame.x) * scale);
    }

    function zoom(frame) {
        zoomed = frame.end > frame.x ? frame : root;
        frames.forEach(zoomed === root ? restore : arrange);
        byId("unzoom").classList.toggle("shown", zoomed !== root);
        showMatched();
        remember();
    }

    // Frames are in preorder: a frame that begins before the end of the last match is inside it, and is not counted again.
    function showMatched() {
        let sum = 0, end = -1;
        for (const frame of frames)
            if (frame.found && frame.x >= end && frame.depth >= zoomed.depth && frame.x >= zoomed.x && frame.end <= zoomed.end) {
                sum += frame.end - frame.x;
                end = frame.end;
            }
        const whole = zoomed.end - zoomed.x;
        byId("matched").textContent = pattern === "" ? "" : "Matched: " + (whole > 0 ? 100 * sum / whole : 0).toFixed(1) + "%";
    }

    function search(wanted) {
        let test = null;
        try {
            test = wanted ? new RegExp(wanted, ignoreCase ? "i" : "") : null;
        } catch (error) {
            byId("details").textContent = "no regular expression: " + wanted;
            return;
        }
        pattern = wanted || "";
        for (const frame of frames) {
            frame.found = test !== null && test.test(frame.name);
            frame.g.classList.toggle("found", frame.found);
        }
        byId("search").textContent = pattern === "" ? "Search" : "Reset Search";
        byId("search").classList.toggle("on", pattern !== "");
        showMatched();
        remember();
    }

    function ask() {
        const wanted = prompt("Search for a name (a regular expression, such as ^ext4_):", pattern);
        if (wanted !== null)
            search(wanted);
    }

    function toggleCase() {
        ignoreCase = !ignoreCase;
        byId("ignorecase").classList.toggle("on", ignoreCase);
        search(pattern);
    }

    function remember() {
        const place = new URLSearchParams();
        if (zoomed !== root) {
            place.set("x", zoomed.x);
            place.set("d", zoomed.depth);
        }
        if (pattern !== "")
            place.set("s", pattern);
        if (ignoreCase)
            place.set("i", "1");
        try {
            history.replaceState(null, "", "#" + place);
        } catch (error) {
            return; // a picture inside another document has no address of its own
        }
    }

    function recall() {
        const place = new URLSearchParams(location.hash.slice(1) || location.search);
        const x = Number(place.get("x")), depth = Number(place.get("d")), wanted = place.get("s");
        if (place.has("i"))
            toggleCase();
        const frame = frames.find((f) => f.x === x && f.depth === depth);
        if (frame && frame !== root)
            zoom(frame);
        if (wanted)
            search(wanted);
    }

    const frameAt = (event) => frameOf.get(event.target.closest("#frames > g"));
    graph.addEventListener("click", (event) => {
        const frame = frameAt(event);
        if (frame && !event.ctrlKey && !event.metaKey)
            zoom(frame);
    });
    graph.addEventListener("mouseover", (event) => {
        const frame = frameAt(event);
        if (frame)
            byId("details").textContent = "Function: " + frame.text;
    });
    graph.addEventListener("mouseout", () => { byId("details").textContent = ""; });
    byId("unzoom").addEventListener("click", () => zoom(root));
    byId("search").addEventListener("click", () => { if (pattern === "") ask(); else search(""); });
    byId("ignorecase").addEventListener("click", toggleCase);
    window.addEventListener("keydown", (event) => {
        const control = event.ctrlKey || event.metaKey;
        if (event.key === "F3" || (control && event.key === "f"))
            ask();
        else if (control && event.key === "i")
            toggleCase();
        else if (event.key === "Escape")
            zoom(root);
        else
            return;
        event.preventDefault();
    });
    recall();
}());
