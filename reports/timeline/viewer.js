'use strict';
// Steps through the events of a run, from the same JSON as timeline.js, and says what is so at the cursor: what each
// node holds and for how long still, what each client does, what is under way. Texts are only ever set as text.
(() => {
  const T = window.lockbenchTimeline, D = T.D, text = T.text, sec = T.sec, dur = T.dur;
  const panel = document.getElementById('steps');
  if (!panel) return;
  const list = panel.querySelector('.steplist'), state = panel.querySelector('.state'), said = panel.querySelector('.said');
  const OUTCOME = ['is granted the lock', 'is refused', 'does not know the outcome', 'never returned'];
  const clients = D.lanes.filter(l => l.kind === 'client'), nodes = D.lanes.filter(l => l.kind === 'node');

  const short = s => s.replace(/\b([0-9a-f]{6})[0-9a-f-]{10,}([0-9a-f]{4})\b/g, '$1…$2'); // as the diagram has tokens; the timeline has all of it

  // ---- all steps, in order of time ---------------------------------------------------------------------------------
  const all = [];
  const add = (t, kind, who, what) => { if (t >= 0 && t <= D.end) all.push({ t, kind, who, what: short(what) }); };
  for (const l of clients) {
    for (const w of l.waits || []) {
      add(w[0], 'call', l.label, 'asks for the lock');
      if (w[2] < 3) add(w[1], 'end', l.label, OUTCOME[w[2]] + (w[5] ? ': ' + text(w[5]) : ''));
    }
    for (const h of l.holds || []) {
      add(h[0], 'call', l.label, 'asks for the lock');
      add(h[1], 'inside', l.label, 'is inside');
      add(h[2], 'leaves', l.label, h[2] >= D.end ? 'is still inside at the end of the record' : 'is surely inside no longer: ' + text(h[7]));
      if (h[3] >= 0 && h[3] < (h[4] || D.end)) add(h[3], 'lease', l.label + ':', 'its lease ends' + (h[2] > h[3] ? ', and it is still inside' : ''));
    }
    for (const m of l.marks || []) add(m[0], 'mark', l.label, text(m[2]));
  }
  for (const l of nodes) {
    for (const c of l.ticks || []) {
      add(c[0], 'sent', text(c[2]), '→ ' + l.label + ': ' + text(c[3]));
      if (c[1]) add(c[1], 'reply', l.label, '→ ' + text(c[2]) + ': ' + text(c[4]));
    }
    for (const k of l.spans || []) {
      if (k[6]) add(k[1], 'lease', l.label + ':', 'the key of ' + text(k[3]) + ' expires');
    }
  }
  const faults = D.faults || [];
  for (const f of faults) {
    add(f.from, 'fault', '▲', f.text);
    if (!f.open && f.to > f.from) add(f.to, 'fault', '▲', 'end of: ' + f.label);
  }
  for (const o of D.overlaps || []) add(o.from, 'bad', '✕', o.label);
  all.sort((p, q) => p.t - q.t);
  all.forEach((s, i) => { s.n = i; });
  let at = -1, steps = all; // those that the filter leaves

  // ---- the filter --------------------------------------------------------------------------------------------------
  const words = panel.querySelector('[type=search]'), witness = panel.querySelector('[type=checkbox]');
  const told = (D.overlaps || []).map(o => ({ who: (o.lanes || []).map(i => D.lanes[i].label), from: o.view[0], to: o.view[1] }));
  const ofWitness = s => s.kind === 'fault' || s.kind === 'bad' ||
    told.some(o => s.t >= o.from && s.t <= o.to && o.who.some(w => (s.who + s.what).includes(w)));
  // A client's name is one word, and client 1 is not client 10.
  const has = (s, w) => w.startsWith('client ') ? (s.replace(/[^a-z0-9]/g, ' ') + ' ').includes(w + ' ') : s.includes(w);
  function filter() {
    const want = words.value.toLowerCase().match(/client \d+|\S+/g) || [], now = steps[at] ? steps[at].t : 0;
    steps = all.filter(s => (!witness || !witness.checked || ofWitness(s)) && want.every(w => has((s.who + ' ' + s.what).toLowerCase(), w)));
    at = Math.max(0, steps.findIndex(s => s.t >= now));
    if (steps.length) return show(true);
    said.textContent = 'No step has these words.';
    list.replaceChildren();
  }
  for (const e of [words, witness]) if (e) e.addEventListener('input', filter);

  // ---- what is so at a time ----------------------------------------------------------------------------------------
  const last = (list, holds) => { let found = null; for (const x of list || []) if (holds(x)) found = x; return found; };
  function phase(l, t) {
    const dead = last(l.marks, m => m[1] === 0 && m[0] <= t);
    if (dead) return ['killed', 'bad'];
    const h = last(l.holds, h => h[0] <= t && t <= Math.max(h[2], h[4]));
    if (h && t >= h[1] && t <= h[2]) {
      if (h[3] < 0) return ['inside, no lease', 'in'];
      return [t <= h[3] ? 'inside, lease for ' + dur(h[3] - t) : 'inside, lease over since ' + dur(t - h[3]), t <= h[3] ? 'in' : 'bad'];
    }
    if (h && t > h[2]) return ['releases', ''];
    const w = h || last(l.waits, w => w[0] <= t && t <= w[1]);
    return w ? ['waits for ' + dur(t - w[0]), 'waits', t - w[0]] : ['rests', 'rests'];
  }
  // Of many clients those that only wait, and those that rest, have one line each.
  const MANY = 16;
  function phases(t) {
    const all = clients.map(l => [l.label, ...phase(l, t)]);
    if (all.length <= MANY) return all;
    const of = kind => all.filter(r => r[2] === kind), waiting = of('waits'), resting = of('rests');
    const out = all.filter(r => r[2] !== 'waits' && r[2] !== 'rests');
    if (waiting.length) out.push([waiting.length + ' wait', ranges(waiting) + ', the longest for ' + dur(Math.max(...waiting.map(r => r[3]))), 'waits']);
    if (resting.length) out.push([resting.length + ' rest', ranges(resting), 'rests']);
    return out;
  }
  // "clients 2 to 7, 9" of labels that end in numbers.
  function ranges(rows) {
    const ns = rows.map(r => +r[0].split(' ').pop()).sort((p, q) => p - q), out = [];
    for (let i = 0, j; i < ns.length; i = j) {
      for (j = i + 1; j < ns.length && ns[j] === ns[j - 1] + 1;) j++;
      out.push(j - i > 2 ? ns[i] + ' to ' + ns[j - 1] : ns.slice(i, j).join(', '));
    }
    return (ns.length > 1 ? 'clients ' : 'client ') + out.join(', ');
  }
  function keys(l, t) {
    const out = [];
    for (const k of l.spans || []) {
      if (k[0] > t || t >= k[1]) continue;
      const lease = last(l.leases, x => x[0] === k[2] && x[1] <= t && x[1] >= k[0]);
      out.push(short(text(k[4])) + ' (' + text(k[3]) + ')' + (lease ? ', expires in ' + dur(lease[2] - t) : ', no expiry known'));
    }
    return out.length ? out.join('; ') : 'no key of a lock';
  }
  function role(l, t) {
    const r = last(l.roles, r => r[0] <= t && t <= r[1]);
    return r ? text(r[2]) : '';
  }
  function underWay(t) {
    const out = faults.filter(f => f.from <= t && (f.open || t < f.to)).map(f => ['▲ ' + f.label, 'fault']);
    const sent = new Map(); // the same to several nodes is one line
    for (const l of nodes) {
      for (const c of l.ticks || []) {
        if (c[0] > t || (c[1] ? t >= c[1] : t - c[0] >= 1e6)) continue;
        const key = c[2] + ' ' + c[3], x = sent.get(key) || { c, to: [], from: c[0] };
        x.to.push(l.label);
        x.from = Math.min(x.from, c[0]);
        sent.set(key, x);
      }
    }
    for (const x of sent.values()) out.push([text(x.c[2]) + ' → ' + x.to.join(', ') + ': ' + short(text(x.c[3])) + ' (sent ' + dur(t - x.from) + ' ago)', '']);
    return out.length > 12 ? [...out.slice(0, 12), ['and ' + (out.length - 12) + ' more', '']] : out;
  }

  // ---- showing it --------------------------------------------------------------------------------------------------
  function make(tag, cls, s) {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (s !== undefined) e.textContent = s;
    return e;
  }
  function table(title, rows) {
    const t = make('table'), c = make('caption', '', title), b = make('tbody');
    for (const [name, what, cls] of rows) {
      const r = make('tr', cls), h = make('th', '', name);
      h.scope = 'row';
      r.append(h, make('td', '', what));
      b.append(r);
    }
    t.append(c, b);
    return t;
  }
  function show(follow) {
    const s = steps[at];
    if (!s) return;
    const t = s.t;
    said.textContent = 'Step ' + (at + 1) + ' of ' + steps.length + ', ' + sec(t) + ': ' + s.who + ' ' + s.what;
    state.replaceChildren(
      table('Clients', phases(t)),
      table('Nodes', nodes.map(l => [l.label, [role(l, t), keys(l, t)].filter(Boolean).join('; '), role(l, t) === 'down' ? 'bad' : ''])),
      table('Under way', underWay(t).map(([w, cls]) => ['', w, cls])));
    const from = Math.max(0, Math.min(at - 6, steps.length - 16)), rows = [];
    for (let i = from; i < Math.min(steps.length, from + 16); i++) {
      const x = steps[i], li = make('li', x.kind + (i === at ? ' now' : ''));
      const go = make('button', '', x.who + ' ' + x.what);
      go.type = 'button';
      go.tabIndex = -1;
      go.addEventListener('click', () => select(i, true));
      li.append(make('span', 't', (x.t / 1e6).toFixed(6)), go);
      if (i === at) li.setAttribute('aria-current', 'step');
      rows.push(li);
    }
    list.replaceChildren(...rows);
    T.cursor(t, follow);
  }
  function select(i, write) {
    if (!steps.length) return;
    at = Math.min(steps.length - 1, Math.max(0, i));
    panel.hidden = false;
    panel.dataset.step = steps[at].n + 1;
    show(true);
    if (write) history.replaceState(null, '', '#step=' + (steps[at].n + 1));
  }
  // The first step: that of the violation, or the first of all.
  const first = () => Math.max(0, steps.findIndex(s => s.kind === 'bad'));
  const go = { prev: () => select(at < 0 ? first() : at - 1, true), next: () => select(at < 0 ? first() : at + 1, true),
    first: () => select(0, true), last: () => select(steps.length - 1, true) };
  // The next event that is no command and no call, or the one before.
  const quiet = s => ['sent', 'reply', 'call', 'end'].includes(s.kind);
  const skip = by => { let i = at + by; while (steps[i] && quiet(steps[i])) i += by; if (steps[i]) select(i, true); };
  go.up = () => skip(-1);
  go.down = () => skip(1);
  const keysOf = { PageUp: 'up', PageDown: 'down', ArrowLeft: 'prev', ArrowRight: 'next', Home: 'first', End: 'last' };
  document.querySelectorAll('[data-step-do]').forEach(e => e.addEventListener('click', () => go[e.dataset.stepDo]()));
  for (const where of [document.getElementById('tl'), panel]) {
    where.addEventListener('keydown', e => {
      if (e.target === words || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || !keysOf[e.key]) return;
      go[keysOf[e.key]]();
      e.preventDefault();
    });
  }
  function fromHash() {
    const m = /^#step=(\d{1,7})$/.exec(location.hash);
    if (!m) return false;
    if (!steps.some(s => s.n === +m[1] - 1)) { // the filter hides it
      words.value = '';
      if (witness) witness.checked = false;
      steps = all;
    }
    select(Math.max(0, steps.findIndex(s => s.n === +m[1] - 1)), false);
    return true;
  }
  addEventListener('hashchange', fromHash);
  if (!fromHash() && steps.length) { at = first(); show(false); }
})();
