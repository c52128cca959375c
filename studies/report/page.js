"use strict";
// Draws the charts of #data, which charts.py describes: scales, bands, hover, a log switch, hiding.
(function () {
  const charts = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const hidden = new Set();
  const redraws = [];
  const W = 480, H = 290, LEFT = 52, RIGHT = 12, TOP = 12, BOTTOM = 40;

  const colour = (s) => (dark.matches ? s.dark : s.colour);
  const dashes = (s, width) => (s.dash.length ? s.dash.map((d) => d * width).join(" ") : "none");

  function make(parent, name, attributes, text) {
    // The parent's namespace: an element made inside an <svg> is SVG, any other is HTML.
    const node = document.createElementNS(parent.namespaceURI, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    parent.appendChild(node);
    return node;
  }

  function show(value, digits = 3) {
    const short = Number(value.toPrecision(digits)), size = Math.abs(short);
    return size >= 1e5 || (size > 0 && size < 1e-3) ? short.toExponential() : String(short);
  }

  function logTicks(low, high) {
    const ticks = [];
    const subs = high / low > 200 ? [1] : high / low > 20 ? [1, 3] : [1, 2, 5];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
      for (const sub of subs) {
        const tick = sub * Math.pow(10, e);
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(Number(tick.toPrecision(3)));
      }
    }
    return ticks;
  }

  function linearTicks(low, high) {
    const raw = (high - low) / 5;
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
      ticks.push(Number((k * step).toPrecision(6)));
    }
    return ticks;
  }

  function scale(low, high, from, to, log) {
    const f = log ? Math.log : (v) => v;
    const span = f(high) - f(low) || 1;
    const map = (v) => from + ((f(v) - f(low)) / span) * (to - from);
    map.low = low;
    map.ticks = log ? logTicks(low, high) : linearTicks(low, high);
    return map;
  }

  function extent(values, log) {
    const usable = log ? values.filter((v) => v > 0) : values;
    let low = Math.min(...usable), high = Math.max(...usable);
    if (!usable.length) [low, high] = [0.1, 1];
    if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
    return [low, high];
  }

  function scales(chart, series) {
    const xs = series.filter((s) => s.kind !== "level").flatMap((s) => s.x);
    let [x0, x1] = extent(xs, chart.logX);
    if (chart.logX) [x0, x1] = [x0 / 1.3, x1 * 1.3];
    const means = series.flatMap((s) => s.mean);
    let y0, y1;
    if (chart.log) {
      // A standard deviation can reach below zero, so the means set the foot; a range cannot.
      const feet = series.filter((s) => s.spread === "range").flatMap((s) => s.low);
      [y0, y1] = extent(means.concat(feet), true);
      [y0, y1] = [y0 / 1.5, y1 * 1.3];
    } else {
      [y0, y1] = extent(means.concat(series.flatMap((s) => s.high)), false);
      [y0, y1] = [Math.min(0, y0), y1 + 0.05 * (y1 - Math.min(0, y0))];
    }
    return [scale(x0, x1, LEFT, W - RIGHT, chart.logX), scale(y0, y1, H - BOTTOM, TOP, chart.log)];
  }

  function frame(svg, chart, sx, sy) {
    for (const tick of sy.ticks) {
      make(svg, "line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: sy(tick), y2: sy(tick) });
      make(svg, "text", { x: LEFT - 6, y: sy(tick) + 4, "text-anchor": "end" }, show(tick));
    }
    for (const tick of sx.ticks) {
      make(svg, "text", { x: sx(tick), y: H - BOTTOM + 16, "text-anchor": "middle" }, show(tick));
    }
    make(svg, "text", { x: (LEFT + W - RIGHT) / 2, y: H - 6, "text-anchor": "middle" }, chart.xLabel);
  }

  // Ends of the band at point i. On a log axis one standard deviation is taken as a ratio: mean less
  // deviation may be below zero, where such an axis does not reach.
  function ends(s, i, log) {
    const high = s.high[i], mean = s.mean[i];
    return [log && s.spread === "sd" ? (mean * mean) / high : s.low[i], high];
  }

  // The numbers of neighbouring points that the axis can show.
  function runs(s, log) {
    const found = [[]];
    s.mean.forEach((mean, i) => {
      if (!log || mean > 0) found[found.length - 1].push(i);
      else if (found[found.length - 1].length) found.push([]);
    });
    return found.filter((run) => run.length);
  }

  function heightOf(sy, log) {
    const foot = H - BOTTOM;
    return (v) => (log && v <= 0 ? foot : Math.max(-H, Math.min(2 * H, sy(v))));
  }

  function drawBand(plot, s, sx, sy, log) {
    const y = heightOf(sy, log), ink = { class: "band", fill: colour(s), opacity: 0.11 };
    for (const run of runs(s, log)) {
      if (s.kind === "level") {
        const [foot, top] = ends(s, 0, log).map(y);
        make(plot, "rect", { ...ink, x: LEFT, width: W - LEFT - RIGHT, y: top, height: foot - top });
      } else if (s.kind === "line") {
        const at = (i, v) => `${sx(s.x[i]).toFixed(2)} ${y(v).toFixed(2)}`;
        const above = run.map((i) => at(i, ends(s, i, log)[1]));
        const below = run.map((i) => at(i, ends(s, i, log)[0])).reverse();
        make(plot, "path", { ...ink, d: "M" + above.concat(below).join("L") + "Z" });
      }
    }
  }

  function drawLine(plot, s, sx, sy, log) {
    const y = heightOf(sy, log), dot = (i, r) => ({ cx: sx(s.x[i]), cy: y(s.mean[i]), r, fill: colour(s) });
    const ink = { stroke: colour(s), "stroke-width": 2, fill: "none", "stroke-dasharray": dashes(s, 2) };
    for (const run of runs(s, log)) {
      if (s.kind === "level") {
        make(plot, "path", { ...ink, d: `M${LEFT} ${y(s.mean[0])}H${W - RIGHT}` });
      } else if (s.kind === "points") {
        for (const i of run) {
          const [foot, top] = ends(s, i, log).map(y);
          const bar = { ...ink, "stroke-width": 1.5, "stroke-dasharray": "none" };
          make(plot, "path", { ...bar, d: `M${sx(s.x[i])} ${foot}V${top}` });
          make(plot, "circle", dot(i, 4.5));
        }
      } else {
        const at = run.map((i) => `${sx(s.x[i]).toFixed(2)} ${y(s.mean[i]).toFixed(2)}`);
        make(plot, "path", { ...ink, d: "M" + at.join("L") });
        if (run.length === 1) make(plot, "circle", dot(run[0], 4));
      }
    }
  }

  function spreadText(s, i) {
    if (s.spread === "sd") return " \u00b1 " + show((s.high[i] - s.low[i]) / 2, 2);
    if (s.spread === "range") return ` (${show(s.low[i])} to ${show(s.high[i])})`;
    return "";
  }

  // What stands under the cross at abscissa x: each visible series at its own nearest point.
  function readings(series, x) {
    const rows = [];
    for (const s of series) {
      const i = s.kind === "level" ? 0 : s.x.findIndex((v) => Math.abs(v - x) <= 1e-9 * Math.abs(x));
      if (i >= 0) rows.push({ s, i, value: s.mean[i] });
    }
    return rows.sort((a, b) => b.value - a.value);
  }

  function fillTip(tip, chart, x, rows, nearest) {
    tip.replaceChildren();
    make(tip, "div", { class: "soft" }, `${chart.xLabel} ${x}`);
    for (const row of rows) {
      const line = make(tip, "div", row === nearest ? { class: "near" } : {});
      make(line, "i", {}).style.background = colour(row.s);
      line.append(`${row.s.label}: ${show(row.value)}${spreadText(row.s, row.i)}`);
    }
    tip.hidden = false;
  }

  function setUp(figure, chart) {
    const svg = figure.querySelector(".plot"), tip = figure.querySelector(".tip");
    const toggle = figure.querySelector("button");
    let series, sx, sy, xs, at = -1;

    function redraw() {
      series = chart.series.filter((s) => !hidden.has(s.group));
      [sx, sy] = scales(chart, series);
      xs = [...new Set(series.filter((s) => s.kind !== "level").flatMap((s) => s.x))];
      xs.sort((a, b) => a - b);
      svg.replaceChildren();
      frame(svg, chart, sx, sy);
      const clip = `clip-${charts.indexOf(chart)}`;
      const box = { x: LEFT, y: TOP - 6, width: W - LEFT - RIGHT, height: H - TOP - BOTTOM + 6 };
      make(make(svg, "clipPath", { id: clip }), "rect", box);
      const plot = make(svg, "g", { "clip-path": `url(#${clip})` });
      for (const s of series) drawBand(plot, s, sx, sy, chart.log);  // no band over a line
      for (const s of series) drawLine(plot, s, sx, sy, chart.log);
      make(svg, "g", { class: "marks" });
      toggle.textContent = chart.log ? "log" : "linear";
      toggle.setAttribute("aria-label", `vertical axis: ${chart.log ? "log" : "linear"}; switch`);
      leave();
    }

    function leave() {
      at = -1;
      tip.hidden = true;
      svg.querySelector(".marks").replaceChildren();
    }

    function point(index, height) {
      if (!xs.length) return;
      at = Math.max(0, Math.min(xs.length - 1, index));
      const x = xs[at], rows = readings(series, x), marks = svg.querySelector(".marks");
      const off = (row) => Math.abs(sy(row.value) - height);
      const nearest = rows.reduce((a, b) => (off(b) < off(a) ? b : a));
      marks.replaceChildren();
      make(marks, "line", { class: "cross", x1: sx(x), x2: sx(x), y1: TOP, y2: H - BOTTOM });
      for (const row of rows) {
        if (row.s.kind === "level" || (chart.log && row.value <= 0)) continue;
        const r = row === nearest ? 5 : 3;
        make(marks, "circle", { cx: sx(x), cy: sy(row.value), r, fill: colour(row.s) });
      }
      fillTip(tip, chart, x, rows, nearest);
      const box = svg.getBoundingClientRect(), outer = figure.getBoundingClientRect();
      const left = box.left - outer.left + (sx(x) / W) * box.width;
      const room = outer.width - tip.offsetWidth - 4, before = left - tip.offsetWidth - 14;
      const fits = left + 14 <= room || before >= 4;  // else it goes below, not over the curves
      const beside = left + 14 <= room ? left + 14 : before;
      tip.style.left = `${fits ? beside : Math.max(4, room / 2)}px`;
      tip.style.top = `${fits ? box.top - outer.top + 8 : box.bottom - outer.top + 4}px`;
    }

    function read(event) {
      const box = svg.getBoundingClientRect();
      const px = ((event.clientX - box.left) / box.width) * W;
      let best = 0;
      xs.forEach((x, i) => { if (Math.abs(sx(x) - px) < Math.abs(sx(xs[best]) - px)) best = i; });
      point(best, ((event.clientY - box.top) / box.height) * H);
    }

    // A mouse reads while it is over the plot; a finger leaves it at once, and what it read stays
    // until Escape, a tap elsewhere or another reading.
    svg.addEventListener("pointermove", read);
    svg.addEventListener("pointerdown", read);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") leave(); });
    svg.addEventListener("blur", leave);
    window.addEventListener("resize", leave);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") leave(); });
    document.addEventListener("pointerdown", (event) => { if (!svg.contains(event.target)) leave(); });
    svg.addEventListener("keydown", (event) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!move) return;
      event.preventDefault();
      point(at < 0 ? (move > 0 ? 0 : xs.length - 1) : at + move, H / 2);
    });
    toggle.addEventListener("click", () => { chart.log = !chart.log; redraw(); });
    redraws.push(redraw);
    redraw();
  }

  function setUpLegend(legend) {
    const members = charts.filter((_, i) => legend.dataset.charts.split(" ").includes(String(i)));
    const seen = new Set();
    for (const s of members.flatMap((chart) => chart.series)) {
      if (seen.has(s.group)) continue;
      seen.add(s.group);
      const button = make(legend, "button", { type: "button", "aria-pressed": "true" });
      const swatch = button.appendChild(document.querySelector(".plot").cloneNode(false));
      for (const name of ["class", "tabindex", "role", "aria-label"]) swatch.removeAttribute(name);
      swatch.setAttribute("viewBox", "0 0 26 8");
      swatch.setAttribute("aria-hidden", "true");
      const line = make(swatch, "path", { d: "M0 4H26", "stroke-width": 3, "stroke-dasharray": dashes(s, 3) });
      redraws.push(() => line.setAttribute("stroke", colour(s)));
      line.setAttribute("stroke", colour(s));
      button.append(s.label);
      button.addEventListener("click", () => {
        const off = hidden.delete(s.group) ? false : Boolean(hidden.add(s.group));
        button.setAttribute("aria-pressed", String(!off));
        redraws.forEach((redraw) => redraw());
      });
    }
  }

  document.querySelectorAll(".chart").forEach((figure, i) => setUp(figure, charts[i]));
  document.querySelectorAll(".legend").forEach(setUpLegend);
  dark.addEventListener("change", () => redraws.forEach((redraw) => redraw()));
  document.documentElement.dataset.charts = String(redraws.length);
})();
