'use strict';
// Draws the timeline of a run from the JSON in #data (timeline.go has its shape; stamps are microseconds).
// Only what lies in view is drawn, and what is narrower than a pixel is joined, so that 100,000 operations cost no more
// than a hundred. Texts of the record are only ever set as text, never as markup.
(() => {
  const D = JSON.parse(document.getElementById('data').textContent);
  const box = document.getElementById('tl'), mini = document.getElementById('mini'), range = document.getElementById('range');
  const NS = 'http://www.w3.org/2000/svg';
  const LANE = 38, KEYROW = 17, AXIS = 22, FAULTROW = 15, CALLOUT = 24, MINI = 46;
  const OUTCOME = ['granted', 'refused', 'outcome unknown', 'never returned'];
  const MARK = ['kill', 'exit', 'lost', 'gap', 'extend'];
  const text = i => (D.texts && D.texts[i]) || '';
  const clamp = (v, lo, hi) => Math.min(hi, Math.max(lo, v));
  const lanes = D.lanes || [], faults = D.faults || [], overlaps = D.overlaps || [];
  let cursor = -1, [a, b] = D.view, tips = [], late = null, picked = -1, queued = false, W = 900, gutter = 88;

  // ---- helpers -----------------------------------------------------------------------------------------------------
  function el(parent, name, attrs, tip) {
    const e = document.createElementNS(NS, name);
    for (const k in attrs) e.setAttribute(k, attrs[k]);
    if (tip) { e.setAttribute('data-tip', tips.length); tips.push(tip); }
    parent.appendChild(e);
    return e;
  }
  function label(parent, x, y, cls, s, anchor) {
    const t = el(parent, 'text', { x, y, class: cls, 'text-anchor': anchor || 'start' });
    t.textContent = s;
    return t;
  }
  const X = t => gutter + (t - a) / (b - a) * (W - gutter);
  function dur(us) {
    const v = Math.abs(us);
    if (v < 1000) return Math.round(us) + ' µs';
    if (v < 1e4) return (us / 1e3).toFixed(1) + ' ms';
    if (v < 1e6) return Math.round(us / 1e3) + ' ms';
    return (us / 1e6).toFixed(v < 1e7 ? 2 : 1) + ' s';
  }
  const sec = us => (us / 1e6).toFixed(3) + ' s';
  const ofLock = key => D.keys > 1 ? ', lock ' + key : '';

  // ---- what each thing says ----------------------------------------------------------------------------------------
  function holdTip(l, h) {
    let s = l.label + ', acquisition ' + h[5] + ofLock(h[6]) + '\ninside ' + sec(h[1]) + ' to ' + sec(h[2]) + ' (' + dur(h[2] - h[1]) + ')\nwaited ' + dur(h[1] - h[0]);
    s += h[3] < 0 ? '\nno lease' : '\nlease to ' + sec(h[3]) + (h[2] > h[3] ? ': outlasted by ' + dur(h[2] - h[3]) : '');
    return s + '\n' + text(h[7]);
  }
  const waitTip = (l, w) => l.label + ', acquire ' + w[3] + ofLock(w[4]) + '\n' + sec(w[0]) + ' for ' + dur(w[1] - w[0]) + ': ' + OUTCOME[w[2]] + (w[5] ? '\n' + text(w[5]) : '');

  // ---- layout ------------------------------------------------------------------------------------------------------
  const rowsOfFaults = Math.min(8, Math.max(1, faults.length));
  const calloutRows = Math.min(3, overlaps.length);
  const top0 = AXIS + (faults.length ? rowsOfFaults * FAULTROW + 4 : 4) + calloutRows * CALLOUT;
  // On paper there is room for the clients of the violations and a few others.
  const tops = [], ROOM = 9;
  let height = top0, paper = false, spared = 0;
  function layout() {
    tops.length = 0;
    height = top0;
    spared = 0;
    const many = paper && lanes.length > ROOM;
    let room = ROOM - lanes.filter(l => l.kind === 'node' || l.witness).length;
    for (const l of lanes) {
      tops.push(height);
      if (l.kind === 'node') height += 20 + KEYROW * Math.max(1, l.rows || 0);
      else if (many && !l.witness && room-- <= 0) spared++;
      else height += lanes.length > 24 ? 24 : paper ? 28 : LANE;
    }
    tops.push(height);
    if (spared) height += 16;
    height += 6;
  }
  layout();
  const laneH = i => tops[i + 1] - tops[i];

  // ---- drawing -----------------------------------------------------------------------------------------------------
  function draw() {
    queued = false;
    W = Math.max(320, box.clientWidth || 900);
    gutter = W < 560 ? 62 : 88;
    tips = [];
    const svg = document.createElementNS(NS, 'svg');
    svg.setAttribute('viewBox', '0 0 ' + W + ' ' + height);
    svg.setAttribute('class', 'tlsvg');
    svg.setAttribute('aria-hidden', 'true'); // the story in words and the table of commands say it to a screen reader
    const defs = el(svg, 'defs', {});
    const clip = el(defs, 'clipPath', { id: 'plotarea' });
    el(clip, 'rect', { x: gutter, y: 0, width: W - gutter, height });
    pattern(defs, 'hatch', 8, 'hatch0', 'hatch1');
    pattern(defs, 'overrun', 5, 'over0', 'over1');
    const g = el(svg, 'g', { 'clip-path': 'url(#plotarea)' });
    late = document.createElementNS(NS, 'g');
    axis(g); bands(g);
    lanes.forEach((l, i) => {
      if (!laneH(i)) return;
      el(svg, 'path', { class: 'sep', d: 'M0 ' + (tops[i] + .5) + 'H' + W });
      label(svg, 2, tops[i] + (l.kind === 'node' ? 18 : laneH(i) / 2 + 4), 'lanelabel' + (l.witness ? ' strong' : ''), l.label);
      if (l.kind === 'node') node(g, l, i); else { bins(g, l, i); client(g, l, i); }
    });
    if (spared) label(svg, 2, height - 8, 'lanelabel', spared + ' clients of ' + lanes.filter(l => l.kind === 'client').length + ' are not drawn on paper');
    const pills = new Array(Math.max(1, calloutRows)).fill(-1e9);
    overlaps.forEach((o, i) => overlap(g, o, i, pills));
    g.appendChild(late); // texts stay readable above bands and hatching
    if (cursor >= a && cursor <= b) el(svg, 'path', { class: 'cursor', d: 'M' + X(cursor) + ' ' + (AXIS - 4) + 'V' + height });
    if (picked >= 0) outline(g);
    box.replaceChildren(svg, tip);
    drawMini();
    box.dataset.from = Math.round(a); box.dataset.to = Math.round(b);
    const all = a <= 0 && b >= D.end;
    range.textContent = all ? 'the whole run, ' + sec(D.end) : sec(a) + ' to ' + sec(b) + ' (' + dur(b - a) + ') of ' + sec(D.end);
  }
  function pattern(defs, id, size, c0, c1) {
    const p = el(defs, 'pattern', { id, width: size, height: size, patternTransform: 'rotate(45)', patternUnits: 'userSpaceOnUse' });
    el(p, 'rect', { width: size, height: size, class: c0 });
    el(p, 'rect', { width: size / 2.8, height: size, class: c1 });
  }
  function axis(g) {
    const want = (W - gutter) / (W < 560 ? 80 : 110);
    let step = Math.pow(10, Math.floor(Math.log10((b - a) / want)));
    for (const m of [1, 2, 5, 10]) if (step * m >= (b - a) / want) { step *= m; break; }
    step = Math.max(1, step);
    const digits = clamp(6 - Math.floor(Math.log10(step) + 1e-9), 0, 6);
    for (let t = Math.ceil(a / step) * step; t <= b; t += step) {
      el(g, 'path', { class: 'grid', d: 'M' + X(t) + ' ' + (AXIS - 4) + 'V' + height });
      label(g, X(t) + 3, 13, 'axis', (t / 1e6).toFixed(digits) + ' s');
    }
  }
  function bands(g) {
    const ends = new Array(rowsOfFaults).fill(-1e9);
    let unnamed = 0;
    for (const f of faults) {
      const open = f.open, x0 = X(f.from), x1 = open ? W : Math.max(X(f.to), x0 + 1);
      if (x1 < gutter || x0 > W) continue;
      const y = AXIS, cls = 'band' + (open ? ' open' : '');
      if (!open) el(g, 'rect', { class: cls, x: Math.max(gutter - 4, x0), y, width: Math.max(1, Math.min(W + 4, x1) - Math.max(gutter - 4, x0)), height: height - y }, f.text);
      el(g, 'path', { class: 'bandedge', d: 'M' + x0 + ' ' + y + 'V' + height }, f.text);
      if (!open && x1 - x0 > 3) el(g, 'path', { class: 'bandedge', d: 'M' + x1 + ' ' + y + 'V' + height }, f.text);
      const s = (f.aimed ? '▲ ' : '') + f.label + (x0 < gutter && open ? ' (earlier)' : ''), w = s.length * 6.1 + 10, at = Math.max(gutter + 2, x0 + 3);
      const row = ends.findIndex(e => e <= at);
      if (row < 0) { unnamed++; continue; }
      ends[row] = open ? 1e9 : at + w;
      const ly = y + row * FAULTROW;
      if (open) el(late, 'path', { class: 'lasting', d: 'M' + (at + w) + ' ' + (ly + 8.5) + 'H' + (W + 5) }, f.text);
      label(late, at, ly + 12, 'faultlabel', s).setAttribute('data-tip', tips.push(f.text) - 1);
    }
    if (unnamed) label(late, W - 4, AXIS + rowsOfFaults * FAULTROW - 3, 'faultlabel', 'and ' + unnamed + ' more: zoom in', 'end');
  }
  // Sums stand in where single operations are not on the page.
  function bins(g, l, i) {
    if (!l.bins) return;
    const n = l.bins.length / 2, width = D.end / n, per = Math.max(1, Math.ceil(1.5 / ((W - gutter) * width / (b - a))));
    for (let k = Math.max(0, Math.floor(a / width / per) * per); k < n && k * width < b; k += per) {
      let inside = 0, got = 0, m = Math.min(per, n - k);
      for (let j = k; j < k + m; j++) { inside += l.bins[2 * j]; got += l.bins[2 * j + 1]; }
      if (!inside) continue;
      for (const [lo, hi] of outside(k * width, (k + m) * width)) {
        const h = (laneH(i) - 12) * inside / m / 1000;
        el(g, 'rect', { class: 'bin', x: X(lo), y: tops[i + 1] - 6 - h, width: Math.max(.5, X(hi) - X(lo)), height: h },
          l.label + ', ' + sec(k * width) + ' to ' + sec((k + m) * width) + '\ninside ' + Math.round(inside / m / 10) + ' % of the time, ' + got + ' acquisitions\n(summed up to keep the page small)');
      }
    }
  }
  function outside(lo, hi) {
    let parts = [[lo, hi]];
    for (const [c, d] of D.detail || []) parts = parts.flatMap(([p, q]) => d <= p || c >= q ? [[p, q]] : [[p, c], [d, q]].filter(([x, y]) => y > x));
    return parts;
  }
  function client(g, l, i) {
    const y = tops[i], h = laneH(i), mid = y + h / 2, bar = h - 16 > 8 ? h - 16 : h - 8, y0 = mid - bar / 2;
    let last = -1e9;
    for (const w of l.waits || []) {
      if (w[1] < a || w[0] > b) continue;
      const x0 = X(w[0]), x1 = X(w[1]);
      if (x1 < last + 1) continue; // hidden by the one before
      last = x1;
      waitLine(g, x0, x1, mid, ['', ' failed', ' unknown', ' unknown'][w[2]], waitTip(l, w));
      if (w[2] === 1 && x1 - x0 > 9) el(g, 'path', { class: 'x', d: 'M' + (x1 - 4) + ' ' + (mid - 3) + 'l5 6m0 -6l-5 6' });
      if (w[2] > 1 && x1 - x0 > 14) label(g, x1 - 8, mid - 4, 'q', '?');
    }
    // Holds narrower than a pixel are joined; how high they stand says how much of that time the client was inside.
    let run = null;
    const flush = () => {
      if (!run) return;
      const alone = run.n === 1 && run.x1 - run.x0 > .4;
      const high = alone ? bar : Math.max(2, (h - 12) * Math.min(1, run.sum / Math.max((b - a) / (W - gutter), run.to - run.from)));
      el(g, 'rect', { class: 'hold many', x: run.x0, y: alone ? y0 : tops[i + 1] - 6 - high, width: Math.max(1, run.x1 - run.x0), height: high },
        run.n === 1 ? run.tip : l.label + ': ' + run.n + ' holds, ' + sec(run.from) + ' to ' + sec(run.to) + '\nzoom in to see each');
      run = null;
    };
    for (let k = 0; k < (l.holds || []).length; k++) {
      const d = l.holds[k];
      if (Math.max(d[2], d[4]) < a || d[0] > b) continue;
      const x0 = X(d[1]), x1 = X(d[2]);
      if (x1 - x0 < 1.5 && !d[8]) {
        if (x0 - X(d[0]) > 3) waitLine(g, X(d[0]), x0, mid, '', holdTip(l, d));
        if (run && x0 - run.x1 < 1.5 && run.x1 - run.x0 < 4) { run.x1 = Math.max(run.x1, x1); run.n++; run.to = d[2]; run.sum += d[2] - d[1]; } else {
          const joins = run && x0 - run.x1 < 1.5 && run.n > 1, from = joins ? run.to : d[1], start = joins ? run.x1 : x0;
          flush();
          run = { x0: start, x1, n: 1, from, to: d[2], sum: d[2] - d[1], tip: holdTip(l, d) };
        }
        continue;
      }
      flush();
      hold(g, l, d, l.holds[k + 1], x0, x1, y0, bar, mid);
    }
    flush();
    for (const m of l.marks || []) mark(g, l, m, mid, h);
  }
  function waitLine(g, x0, x1, y, cls, t) {
    if (x1 - x0 < .7) return;
    el(g, 'path', { class: 'wait' + cls, d: 'M' + Math.max(gutter - 5, x0) + ' ' + y + 'H' + Math.min(W + 5, x1) });
    el(g, 'rect', { class: 'hit', x: x0, y: y - 6, width: x1 - x0, height: 12 }, t);
  }
  function hold(g, l, d, next, x0, x1, y, bar, mid) {
    const t = holdTip(l, d);
    waitLine(g, X(d[0]), x0, mid, '', t);
    const stop = next ? X(next[0]) : 1e9;
    if (d[3] >= 0 && (d[8] || !d[9])) {
      const e = Math.min(X(d[3]), stop, W + 9);
      if (e > x1 + 2) {
        el(g, 'rect', { class: 'lease', x: x1, y: y + 2, width: e - x1, height: bar - 4 }, t);
        if (e - x1 > 120 && e <= W) label(g, e - 4, mid + 4, 'small', 'lease', 'end');
      }
    }
    if (d[3] >= 0 && d[3] >= a && d[3] <= b && (d[8] || d[3] < (d[4] || D.end))) {
      el(g, 'path', { class: 'leaseend', d: 'M' + X(d[3]) + ' ' + (y - 3) + 'v' + (bar + 6) }, l.label + ', ' + sec(d[3]) + '\nthe lease of acquisition ' + d[5] + ' ends');
      if (stop - X(d[3]) > 70 || stop > W) label(late, Math.min(X(d[3]) + 3, W - 56), y - 2, 'small', 'lease ends');
    }
    const r = el(g, 'rect', { class: 'hold' + (d[8] ? ' inwitness' : ''), x: x0, y, width: Math.max(1.5, x1 - x0), height: bar, rx: 2 }, t);
    if (d[3] >= 0 && d[2] > d[3]) el(g, 'rect', { class: 'over', x: Math.max(x0, X(d[3])), y, width: Math.max(1, x1 - Math.max(x0, X(d[3]))), height: bar }, t);
    if (d[4] > d[2]) waitLine(g, x1, X(d[4]), mid, ' release', l.label + ': release took ' + dur(d[4] - d[2]) + '\n' + text(d[7]));
    const s = 'inside ' + dur(d[2] - d[1]);
    if (Math.min(x1, W) - Math.max(x0, gutter) > s.length * 6.4 + 8) label(late, Math.max(x0, gutter) + 6, mid + 4, 'inbar', s);
    return r;
  }
  function mark(g, l, m, mid, h) {
    if (m[0] < a || m[0] > b) return;
    const x = X(m[0]), kind = MARK[m[1]], t = l.label + ', ' + sec(m[0]) + '\n' + text(m[2]);
    if (kind === 'kill' || kind === 'exit') {
      el(g, 'path', { class: 'killmark', d: 'M' + (x - 6) + ' ' + (mid - 6) + 'l12 12m0 -12l-12 12' });
      if (kind === 'kill') label(g, x + 9, mid + 4, 'killtext', 'killed');
    } else if (kind === 'lost') el(g, 'path', { class: 'lostmark', d: 'M' + x + ' ' + (mid - h / 2 + 3) + 'l5 8h-10z' }), label(late, x + 7, mid - h / 2 + 11, 'small', 'told: lost');
    else if (kind === 'extend') el(g, 'path', { class: 'extendmark', d: 'M' + x + ' ' + (mid + h / 2 - 8) + 'v6' });
    else el(g, 'path', { class: 'gapmark', d: 'M' + x + ' ' + (mid - h / 2 + 3) + 'v' + (h - 6) });
    el(g, 'rect', { class: 'hit', x: x - 7, y: mid - h / 2, width: 14, height: h }, t);
  }
  function node(g, l, i) {
    const y = tops[i];
    for (const r of l.roles || []) {
      if (r[1] < a || r[0] > b) continue;
      const what = text(r[2]), x0 = Math.max(gutter - 4, X(r[0])), x1 = Math.min(W + 4, X(r[1]));
      if (x1 <= x0) continue;
      el(g, 'path', { class: 'role ' + what, d: 'M' + x0 + ' ' + (y + 6) + 'H' + x1 });
      if (what === 'down' && r[0] >= a) { el(g, 'path', { class: 'killmark', d: 'M' + (x0 - 5) + ' ' + (y + 1) + 'l10 10m0 -10l-10 10' }); }
      if (x1 - x0 > what.length * 6 + 18) label(g, Math.max(gutter + 4, x0 + (what === 'down' ? 9 : 4)), y + 18, 'small', what === 'down' ? 'killed' : what);
      el(g, 'rect', { class: 'hit', x: x0, y, width: x1 - x0, height: 12 }, l.label + ': ' + what + ' from ' + sec(r[0]) + ' to ' + sec(r[1]));
    }
    for (const s of l.spans || []) {
      if (s[1] < a || s[0] > b) continue;
      const x0 = Math.max(gutter - 4, X(s[0])), x1 = Math.min(W + 4, X(s[1])), ky = y + 18 + s[2] * KEYROW, name = text(s[3]);
      if (x1 - x0 < .3) continue;
      el(g, 'rect', { class: 'key', x: x0, y: ky + 4, width: Math.max(1, x1 - x0), height: KEYROW - 5 }, l.label + ', ' + sec(s[0]) + ' to ' + sec(s[1]) + ' (' + dur(s[1] - s[0]) + ')\n' + text(s[4]) + ', ' + text(s[5]) + '\nowner: ' + name);
      if (x1 - x0 > name.length * 6 + 10) label(g, x0 + 5, ky + KEYROW - 4, 'inkey', name);
    }
    let last = -9;
    for (const c of l.ticks || []) {
      const t = c[1] || c[0];
      if (t < a || c[0] > b || X(c[0]) < last + 1) continue;
      last = X(c[0]);
      el(g, 'path', { class: 'tick', d: 'M' + last + ' ' + (y + 3) + 'v6' });
      el(g, 'rect', { class: 'hit', x: last - 2, y: y + 1, width: 4, height: 10 }, sec(c[0]) + ' ' + text(c[2]) + ': ' + text(c[3]) + ' → ' + text(c[4]));
    }
  }
  // A violation: framed, named, and across the lanes of all who take part; hatched where they were inside together.
  function overlap(g, o, n, pills) {
    if (o.to < a || o.from > b || !o.lanes || !o.lanes.length) return;
    const x0 = Math.max(gutter - 4, X(o.from)), x1 = Math.max(x0 + 3, Math.min(W + 4, X(o.to)));
    const lo = Math.min(...o.lanes), hi = Math.max(...o.lanes), y0 = tops[lo] + 3, y1 = tops[hi + 1] - 3;
    const e = el(g, 'g', { class: 'overlap' + (o.point ? ' point' : ''), id: n ? 'overlap' + n : 'overlap' });
    if (!o.point) for (const i of o.lanes) el(e, 'rect', { class: 'both', x: x0, y: tops[i] + 3, width: x1 - x0, height: laneH(i) - 6 }, o.label);
    el(e, 'rect', { class: 'bothframe', x: x0, y: y0, width: x1 - x0, height: y1 - y0 });
    const w = o.label.length * 6.7 + 20, mid = clamp((x0 + x1) / 2, gutter + w / 2 + 2, W - w / 2 - 2), at = clamp((x0 + x1) / 2, x0, x1);
    let row = pills.findIndex(end => end <= mid - w / 2 - 4);
    if (row < 0) row = pills.length - 1;
    pills[row] = mid + w / 2;
    const cy = top0 - CALLOUT * (row + 1);
    el(e, 'path', { class: 'bothstem', d: 'M' + at + ' ' + (cy + 20) + 'V' + y0 });
    const f = el(late, 'g', { class: 'overlap' });
    el(f, 'rect', { class: 'bothpill', x: mid - w / 2, y: cy + 1, width: w, height: 20, rx: 10 });
    label(f, mid, cy + 15, 'bothtext', o.label, 'middle');
  }

  // ---- mini-map ----------------------------------------------------------------------------------------------------
  function drawMini() {
    const svg = document.createElementNS(NS, 'svg'), M = t => t / D.end * W, cl = lanes.filter(l => l.kind === 'client');
    svg.setAttribute('viewBox', '0 0 ' + W + ' ' + MINI);
    el(svg, 'rect', { class: 'miniback', x: 0, y: 0, width: W, height: MINI });
    for (const f of faults) el(svg, 'path', { class: 'bandedge', d: 'M' + M(f.from) + ' 0V' + MINI });
    const h = Math.max(1, (MINI - 8) / Math.max(1, cl.length));
    cl.forEach((l, i) => {
      const px = density(l);
      for (let x = 0, from = -1; x <= px.length; x++) {
        const on = x < px.length && px[x] > 0;
        if (on && from < 0) from = x;
        if (!on && from >= 0) { el(svg, 'rect', { class: 'minihold', x: from, y: 4 + i * h + h * .15, width: x - from, height: Math.max(.8, h * .7) }); from = -1; }
      }
    });
    for (const o of overlaps) el(svg, 'rect', { class: 'minibad' + (M(o.to) - M(o.from) > 12 ? ' wide' : ''), x: M(o.from) - 1, y: 0, width: Math.max(3, M(o.to) - M(o.from)), height: MINI });
    el(svg, 'path', { class: 'minishade', d: 'M0 0H' + M(a) + 'V' + MINI + 'H0zM' + M(b) + ' 0H' + W + 'V' + MINI + 'H' + M(b) + 'z' });
    el(svg, 'rect', { class: 'miniview', x: M(a), y: .75, width: Math.max(3, M(b) - M(a)), height: MINI - 1.5, rx: 3 });
    mini.replaceChildren(svg);
  }
  function density(l) {
    if (l.px && l.px.length === Math.round(W)) return l.px;
    const px = new Uint8Array(Math.round(W));
    const fill = (from, to) => px.fill(1, Math.floor(from / D.end * W), Math.max(Math.floor(from / D.end * W) + 1, Math.ceil(to / D.end * W)));
    for (const h of l.holds || []) fill(h[1], h[2]);
    if (l.bins) { const n = l.bins.length / 2; for (let k = 0; k < n; k++) if (l.bins[2 * k] > 0) fill(k * D.end / n, (k + 1) * D.end / n); }
    return l.px = px;
  }

  // ---- moving ------------------------------------------------------------------------------------------------------
  function show(lo, hi) {
    const min = Math.min(20, D.end), w = clamp(hi - lo, min, D.end);
    lo = clamp((lo + hi) / 2 - w / 2, 0, D.end - w);
    a = lo; b = lo + w;
    if (!queued) { queued = true; requestAnimationFrame(draw); }
  }
  function zoom(k, at) { if (at === undefined) at = (a + b) / 2; show(at - (at - a) * k, at + (b - at) * k); }
  const move = k => show(a + (b - a) * k, b + (b - a) * k);
  let nextViolation = 0;
  // One violation after the other, the first one first.
  const home = () => { const o = overlaps[nextViolation++ % Math.max(1, overlaps.length)], v = o ? o.view : D.view; show(v[0], v[1]); };
  const flat = lanes.flatMap((l, i) => (l.holds || []).map(h => ({ l, i, h }))).sort((p, q) => p.h[1] - q.h[1]);
  function pick(step) {
    if (!flat.length) return;
    if (picked < 0) { picked = flat.findIndex(f => f.h[1] >= a); if (picked < 0) picked = flat.length - 1; }
    else picked = clamp(picked + step, 0, flat.length - 1);
    const { l, h } = flat[picked], w = b - a, len = Math.max(20, h[2] - h[1]);
    if (len > w * .9 || len < w / 200) show(h[1] - len / 2, h[2] + len / 2);
    else if (h[1] < a || h[2] > b) show((h[1] + h[2] - w) / 2, (h[1] + h[2] + w) / 2);
    else show(a, b);
    range.textContent = '';
    requestAnimationFrame(() => { range.textContent = holdTip(l, h).replace(/\n/g, ', '); });
  }
  function outline(g) {
    const { i, h } = flat[picked];
    el(g, 'rect', { class: 'picked', x: X(h[1]) - 3, y: tops[i] + 3, width: Math.max(8, X(h[2]) - X(h[1]) + 6), height: laneH(i) - 6, rx: 4 });
  }
  function nextFault() {
    if (!faults.length) return;
    const mid = (a + b) / 2, f = faults.find(f => f.from > mid + 1) || faults[0], w = b - a < D.end ? b - a : D.end / 10;
    show(f.from - w / 2, f.from + w / 2);
  }
  const actions = { in: () => zoom(.5), out: () => zoom(2), left: () => move(-.25), right: () => move(.25), all: () => show(0, D.end), witness: home };
  const keys = { '+': 'in', '=': 'in', '-': 'out', '_': 'out', '[': 'left', ']': 'right', '0': 'all', v: 'witness' };
  document.querySelectorAll('[data-do]').forEach(e => e.addEventListener('click', () => actions[e.dataset.do]()));
  box.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (keys[e.key]) actions[keys[e.key]]();
    else if (e.key === 'n' || e.key === 'p') pick(e.key === 'n' ? 1 : -1);
    else if (e.key === 'f') nextFault();
    else if (e.key === 'Escape') { picked = -1; tip.hidden = true; show(a, b); } else return;
    e.preventDefault();
  });
  const timeAt = (e, r) => a + (e.clientX - r.left - gutter) / (r.width - gutter) * (b - a);
  box.addEventListener('wheel', e => {
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
    if (sideways) { e.preventDefault(); move((e.deltaX || e.deltaY) / 900); return; }
    if (!(e.ctrlKey || e.metaKey || document.activeElement === box)) return; // the page scrolls on
    e.preventDefault();
    zoom(Math.exp(clamp(e.deltaY, -120, 120) / 300), clamp(timeAt(e, box.getBoundingClientRect()), a, b));
  }, { passive: false });
  let drag = null;
  box.addEventListener('pointerdown', e => { if (e.button === 0) { drag = { x: e.clientX, a, b }; box.focus({ preventScroll: true }); } });
  addEventListener('pointermove', e => {
    if (!drag) return;
    const k = (drag.x - e.clientX) / (box.clientWidth - gutter) * (drag.b - drag.a);
    tip.hidden = true;
    if (Math.abs(drag.x - e.clientX) > 2) show(drag.a + k, drag.b + k);
  });
  addEventListener('pointerup', () => { drag = null; held = false; });
  let held = false;
  const jump = e => { const r = mini.getBoundingClientRect(), t = (e.clientX - r.left) / r.width * D.end, w = b - a; show(t - w / 2, t + w / 2); };
  mini.addEventListener('pointerdown', e => { held = true; jump(e); e.preventDefault(); });
  addEventListener('pointermove', e => { if (held) jump(e); });

  // ---- tooltip -----------------------------------------------------------------------------------------------------
  const tip = document.createElement('div');
  tip.className = 'tip'; tip.hidden = true; tip.setAttribute('role', 'tooltip');
  box.addEventListener('pointermove', e => {
    const at = e.target.closest && e.target.closest('[data-tip]');
    if (!at || drag && Math.abs(drag.x - e.clientX) > 2) { tip.hidden = true; return; }
    const r = box.getBoundingClientRect();
    tip.textContent = tips[at.getAttribute('data-tip')];
    tip.hidden = false;
    tip.style.left = clamp(e.clientX - r.left + 14, 0, Math.max(0, r.width - tip.offsetWidth - 4)) + 'px';
    tip.style.top = e.clientY - r.top + 16 + 'px';
  });
  box.addEventListener('pointerleave', () => { tip.hidden = true; });

  // ---- copy --------------------------------------------------------------------------------------------------------
  document.querySelectorAll('[data-copy]').forEach(e => e.addEventListener('click', async () => {
    const code = document.getElementById(e.dataset.copy);
    try { await navigator.clipboard.writeText(code.textContent); e.textContent = 'Copied'; } catch {
      const s = getSelection(); s.removeAllRanges(); const r = document.createRange(); r.selectNodeContents(code); s.addRange(r); e.textContent = 'Selected';
    }
    setTimeout(() => { e.textContent = 'Copy'; }, 1500);
  }));

  // A frame out of sight is not laid out, and porcupine measures its texts: it is filled when it is seen.
  const frame = document.querySelector('iframe.slice');
  if (frame) new IntersectionObserver((es, o) => { if (es.some(e => e.isIntersecting)) { o.disconnect(); setTimeout(async () => { frame.srcdoc = await unpack('slice'); }, 100); } }).observe(frame);

  const onPaper = is => { paper = is; layout(); draw(); };
  addEventListener('beforeprint', () => onPaper(true));
  addEventListener('afterprint', () => onPaper(false));
  new ResizeObserver(() => { if (Math.abs(box.clientWidth - W) > 1) show(a, b); }).observe(box);
  // What viewer.js needs: the data, the words, and a cursor that is drawn, and brought into view.
  window.lockbenchTimeline = { D, text, sec, dur, cursor(t, follow) {
    cursor = t;
    const w = b - a;
    if (follow && (t < a || t > b)) show(t - w / 2, t + w / 2); else show(a, b);
  } };
  draw();
})();

