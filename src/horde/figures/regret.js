// Regret curves: choose a panel and a variant, toggle policies, point to read, drag to zoom.
"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 48, right: 28, top: 26, bottom: 38 };
// Shorter drags are taken for an unsteady hand.
const LEAST_DRAG = 8;
const find = (id) => document.getElementById(id);
const chart = find("chart");
const hidden = new Set();
let zoom = null;
let start = null;
let view = null;
let reading = 0;

function element(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function chosen() {
  return DATA.panels[find("panel").value];
}

function panel() {
  return chosen().variants[find("variant").value];
}

// The whole panel: all rounds, and what the shown curves reach once the first rounds' noise is over;
// of their bands, whose noise lasts longer, what they reach later.
function extent(shown) {
  const last = panel().rounds.at(-1);
  const [settled, narrow] = [0.02, 0.2].map((share) => panel().rounds.findIndex((round) => round >= share * last));
  const values = shown.flatMap((curve) => [
    ...curve.mean.slice(settled), ...(curve.low ?? []).slice(narrow), ...(curve.high ?? []).slice(narrow),
  ]);
  const low = Math.min(...values), high = Math.max(...values);
  const margin = 0.05 * Math.max(high - low, 0.02);
  return { x: [0, last], y: [Math.max(low - margin, 0), high + margin] };
}

function ticks([low, high], count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const places = Math.max(0, -Math.floor(Math.log10(step)));
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push([k * step, places]);
  return found;
}

function written(value, places) {
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}

function draw() {
  const { width, height } = chart.getBoundingClientRect();
  const shown = panel().curves.filter((curve) => !hidden.has(curve.policy));
  const { x, y } = zoom ?? (shown.length ? extent(shown) : { x: [0, panel().rounds.at(-1)], y: [0, 1] });
  const across = (v) => MARGIN.left + ((v - x[0]) / (x[1] - x[0])) * (width - MARGIN.left - MARGIN.right);
  const up = (v) => height - MARGIN.bottom - ((v - y[0]) / (y[1] - y[0])) * (height - MARGIN.top - MARGIN.bottom);
  view = { x, y, width, height, across, up };
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  chart.replaceChildren();
  for (const [value, places] of ticks(x, width < 600 ? 4 : 8)) {
    element("line", { class: "grid", x1: across(value), x2: across(value), y1: MARGIN.top, y2: height - MARGIN.bottom }, chart);
    element("text", { x: across(value), y: height - MARGIN.bottom + 16, "text-anchor": "middle" }, chart, written(value, places));
  }
  for (const [value, places] of ticks(y, 6)) {
    element("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: up(value), y2: up(value) }, chart);
    element("text", { x: MARGIN.left - 6, y: up(value) + 4, "text-anchor": "end" }, chart, written(value, places));
  }
  element("text", { x: width - MARGIN.right, y: height - 4, "text-anchor": "end" }, chart, "Round");
  element("text", { x: 0, y: 12 }, chart, "Cumulative regret over Random's");
  const clip = element("clipPath", { id: "inside" }, element("defs", {}, chart));
  element("rect", { x: MARGIN.left, y: MARGIN.top, width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom }, clip);
  const inside = element("g", { "clip-path": "url(#inside)" }, chart);
  element("line", { class: "one", x1: MARGIN.left, x2: width - MARGIN.right, y1: up(1), y2: up(1) }, inside);
  const points = (values) => values.map((value, k) => `${across(panel().rounds[k]).toFixed(1)},${up(value).toFixed(1)}`);
  for (const curve of shown) {
    if (curve.low) {
      const band = [...points(curve.low), ...points(curve.high).reverse()].join("L");
      element("path", { d: `M${band}Z`, fill: curve.colour, opacity: 0.13 }, inside);
    }
  }
  for (const curve of shown) {
    const line = { d: `M${points(curve.mean).join("L")}`, fill: "none", stroke: curve.colour, "stroke-width": 2 };
    element("path", { ...line, "stroke-dasharray": curve.dashes }, inside);
  }
  element("line", { id: "cursor", class: "one", y1: MARGIN.top, y2: height - MARGIN.bottom, visibility: "hidden" }, inside);
  element("rect", { id: "box", class: "box", visibility: "hidden" }, inside);
}

function legend() {
  find("legend").replaceChildren();
  for (const curve of panel().curves) {
    const button = document.createElement("button");
    const line = element("svg", { width: 30, height: 8 }, button);
    element("line", { x1: 0, x2: 30, y1: 4, y2: 4, stroke: curve.colour, "stroke-width": 2.5, "stroke-dasharray": curve.dashes }, line);
    button.append(curve.label);
    button.setAttribute("aria-pressed", !hidden.has(curve.policy));
    button.onclick = () => {
      if (!hidden.delete(curve.policy)) hidden.add(curve.policy);
      button.setAttribute("aria-pressed", !hidden.has(curve.policy));
      redraw();
    };
    find("legend").append(button);
  }
}

function redraw() {
  draw();
  read(reading);
}

function restart() {
  zoom = null;
  legend();
  draw();
  read(panel().rounds.length - 1);
}

function changePanel() {
  const variants = Object.keys(chosen().variants);
  find("variant").replaceChildren(...variants.map((name) => new Option(DATA.variants[name] ?? name, name)));
  find("about").textContent = chosen().about;
  restart();
}

// The values at the k-th checkpoint, best first.
function read(k) {
  reading = k;
  const { rounds, curves } = panel();
  find("round").textContent = `Round ${rounds[k].toLocaleString("en")}: cumulative regret over Random's`;
  const shown = curves.filter((curve) => !hidden.has(curve.policy)).sort((a, b) => a.mean[k] - b.mean[k]);
  find("values").replaceChildren(...shown.map((curve) => {
    const row = document.createElement("tr");
    const interval = curve.low ? `${curve.low[k].toFixed(4)} to ${curve.high[k].toFixed(4)}` : "";
    row.append(...[curve.label, curve.mean[k].toFixed(4), interval].map((text) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      return cell;
    }));
    return row;
  }));
  const cursor = find("cursor");
  cursor.setAttribute("x1", view.across(rounds[k]));
  cursor.setAttribute("x2", view.across(rounds[k]));
  cursor.setAttribute("visibility", "visible");
}

function place(event) {
  const box = chart.getBoundingClientRect();
  const share = (event.clientX - box.left - MARGIN.left) / (view.width - MARGIN.left - MARGIN.right);
  const rise = (view.height - MARGIN.bottom - (event.clientY - box.top)) / (view.height - MARGIN.top - MARGIN.bottom);
  const along = ([low, high], part) => low + Math.min(Math.max(part, 0), 1) * (high - low);
  return { x: along(view.x, share), y: along(view.y, rise) };
}

function nearest(round) {
  const { rounds } = panel();
  return rounds.reduce((best, value, k) => (Math.abs(value - round) < Math.abs(rounds[best] - round) ? k : best), 0);
}

// The part of the view between two places; all of an axis along which they are too close.
function between(from, to) {
  const range = (axis, position) =>
    Math.abs(position(to[axis]) - position(from[axis])) > LEAST_DRAG ? [from[axis], to[axis]].sort((a, b) => a - b) : view[axis];
  return { x: range("x", view.across), y: range("y", view.up) };
}

chart.addEventListener("pointerdown", (event) => {
  start = place(event);
  // The drag goes on, and ends here, where the pointer leaves the chart.
  chart.setPointerCapture(event.pointerId);
});
chart.addEventListener("pointermove", (event) => {
  const here = place(event);
  read(nearest(here.x));
  if (!start) return;
  const { x, y } = between(start, here);
  const [left, right] = x.map(view.across), [bottom, top] = y.map(view.up);
  const visibility = x === view.x && y === view.y ? "hidden" : "visible";
  for (const [key, value] of Object.entries({ x: left, y: top, width: right - left, height: bottom - top, visibility })) {
    find("box").setAttribute(key, value);
  }
});
chart.addEventListener("pointerup", (event) => {
  if (!start) return;
  const here = place(event), { x, y } = between(start, here);
  start = null;
  if (x !== view.x || y !== view.y) zoom = { x, y };
  draw();
  read(nearest(here.x));
});
chart.addEventListener("pointercancel", () => {
  start = null;
  find("box").setAttribute("visibility", "hidden");
});
find("reset").onclick = restart;
find("panel").onchange = changePanel;
find("variant").onchange = restart;
addEventListener("resize", redraw);

find("panel").replaceChildren(...DATA.panels.map(({ label }, place) => new Option(label, place)));
changePanel();
