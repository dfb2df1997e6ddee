'use strict';
// Shows the list of a store (serve_list.go has its shape), filters and sorts it, and asks for it again every two seconds.
// Names and words of the store are only ever set as text, never as markup.
(() => {
  const $ = id => document.getElementById(id);
  let D = JSON.parse($('data').textContent), etag = '', sort = { key: 'time', down: true }, fresh = new Set();
  const picked = { verdict: '', kind: '' };
  const STATE = { violated: 'violated', valid: 'valid', unknown: 'unknown', passed: 'valid', failed: 'violated', broke: 'violated', running: 'running' };
  const SYMBOL = { violated: '✕', valid: '✓', unknown: '?', running: '…' };

  function add(parent, name, cls, text) {
    const e = document.createElement(name);
    if (cls) e.className = cls;
    if (text) e.textContent = text;
    parent.appendChild(e);
    return e;
  }
  function link(parent, item, file, text) {
    const a = add(parent, 'a', '', text);
    a.href = '/store/' + item.path + '/' + file; // item.path is escaped by the server
    return a;
  }
  const when = t => { const m = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(t); return m ? m[1] + '-' + m[2] + '-' + m[3] + ' ' + m[4] + ':' + m[5] + ':' + m[6] : t; };

  function row(x) {
    const tr = document.createElement('tr');
    tr.dataset.path = x.path;
    if (fresh.has(x.path)) tr.className = 'new';
    const time = add(tr, 'td', 'time');
    time.title = x.time;
    if (x.page) mark(time, x);
    time.append(when(x.time));
    const name = add(tr, 'td', 'name');
    if (x.page) link(name, x, x.page, x.kind === 'run' ? x.impl || x.name : x.name); else name.textContent = x.name;
    add(tr, 'td', 'fault', x.nemesis);
    const said = add(tr, 'td', 'said'), state = STATE[x.verdict] || 'na';
    if (x.verdict) {
      const chip = add(said, 'span', 'chip ' + state);
      if (SYMBOL[state]) add(chip, 'span', '', SYMBOL[state] + ' ').setAttribute('aria-hidden', 'true');
      chip.append(x.verdict);
    } else add(said, 'span', 'chip na', x.kind);
    if (x.letters) add(said, 'span', 'letters', x.letters.join(' '));
    if (x.expect && !x.as_expected) add(said, 'span', 'not', 'expected ' + x.expect);
    if (x.summary) add(said, 'p', '', x.summary);
    add(tr, 'td', 'environment', x.environment);
    const look = add(tr, 'td', 'look');
    if (x.page) link(look, x, x.page, x.kind === 'run' ? 'report' : x.kind);
    if (x.kind === 'run') { look.append(' · '); link(look, x, 'plots.html', 'plots'); }
    if (x.files && x.files.length) {
      look.append(' · ');
      const d = add(look, 'details');
      add(d, 'summary', '', 'files');
      for (const f of x.files) link(d, x, f, f);
    }
    return tr;
  }

  // Two things of one kind can be compared: the earlier is A.
  let marked = [];
  function mark(cell, x) {
    const box = add(cell, 'input');
    box.type = 'checkbox';
    box.checked = marked.some(m => m.path === x.path);
    box.setAttribute('aria-label', 'compare ' + x.name + ' of ' + when(x.time));
    box.addEventListener('change', () => {
      marked = marked.filter(m => m.path !== x.path && m.kind === x.kind);
      if (box.checked) marked = [...marked.slice(-1), x];
      document.querySelectorAll('.runs .time input').forEach(b => { b.checked = marked.some(m => m.path === b.closest('tr').dataset.path); });
      pair();
    });
  }
  function pair() {
    const two = [...marked].sort((a, b) => a.time < b.time ? -1 : 1);
    $('pair').replaceChildren();
    if (two.length === 1) $('pair').textContent = 'Tick another ' + two[0].kind + ' to compare it with ' + two[0].name + ' of ' + when(two[0].time) + '.';
    if (two.length < 2) return;
    const query = two.map((x, i) => 'ab'[i] + '=' + x.path.replace(/[&+=;]/g, encodeURIComponent)).join('&');
    add($('pair'), 'a', '', 'Compare ' + two.map(x => x.name + ' of ' + when(x.time)).join(' with ')).href = '/compare?' + query;
  }

  function matches(x) {
    const find = $('find').value.trim().toLowerCase();
    if (picked.verdict && x.verdict !== picked.verdict || picked.kind && x.kind !== picked.kind) return false;
    return find.split(/\s+/).every(w => [x.name, x.impl, x.nemesis, x.environment, x.verdict, x.summary, x.time, (x.letters || []).join('')].some(s => (s || '').toLowerCase().includes(w)));
  }
  function draw() {
    const items = D.items.filter(matches).sort((a, b) => {
      const [p, q] = [a[sort.key] || '', b[sort.key] || ''];
      return (p < q ? -1 : p > q ? 1 : a.time < b.time ? 1 : -1) * (sort.down ? -1 : 1);
    });
    const open = new Set([...document.querySelectorAll('.runs tr:has(details[open])')].map(e => e.dataset.path));
    const body = $('runs').tBodies[0], shown = items.slice(0, 1000), focus = document.activeElement && document.activeElement.closest('tr');
    body.replaceChildren(...grouped(shown));
    for (const tr of body.rows) if (open.has(tr.dataset.path)) tr.querySelector('details').open = true;
    if (focus && focus.dataset.path) { const tr = [...body.rows].find(r => r.dataset.path === focus.dataset.path); if (tr) tr.querySelector('a').focus({ preventScroll: true }); }
    const n = v => D.items.filter(x => x.verdict === v).length;
    $('where').textContent = D.store;
    const runs = D.items.filter(x => x.kind === 'run').length;
    $('told').textContent = D.items.length ? runs + (runs === 1 ? ' run' : ' runs') + ': ' + n('violated') + ' violated, ' + n('valid') + ' valid, ' + n('unknown') + ' unknown.' : 'Nothing has been run yet.';
    $('more').textContent = (items.length > shown.length ? 'The first 1,000 of ' + items.length + ' are shown. ' : items.length < D.items.length ? items.length + ' of ' + D.items.length + ' are shown. ' : '') + (D.left ? D.left + (D.first ? ' older ones are read …' : ' older ones are not listed.') : '');
    document.querySelectorAll('.runs th[data-key]').forEach(th => { if (th.dataset.key === sort.key) th.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending'); else th.removeAttribute('aria-sort'); });
  }
  // Many runs of one lock and fault in a row, as of a replay or a campaign, are one line until it is opened.
  const opened = new Set(), FEW = 4;
  function grouped(items) {
    const out = [];
    for (let i = 0; i < items.length;) {
      let n = 1;
      while (items[i].kind === 'run' && i + n < items.length && items[i + n].kind === 'run' && items[i + n].name === items[i].name) n++;
      const runs = items.slice(i, i + n), key = runs[n - 1].path;
      i += n;
      if (n >= FEW) out.push(groupRow(runs, key));
      if (n < FEW || opened.has(key)) out.push(...runs.map(row));
    }
    return out;
  }
  function groupRow(runs, key) {
    const tr = document.createElement('tr'), first = runs[0], said = {};
    tr.className = 'group';
    add(tr, 'td', 'time', when(runs[runs.length - 1].time)).title = 'the first of them';
    const b = add(add(tr, 'td', 'name'), 'button', '', (opened.has(key) ? '▾ ' : '▸ ') + runs.length + ' runs of ' + (first.impl || first.name));
    b.type = 'button';
    b.setAttribute('aria-expanded', String(opened.has(key)));
    b.addEventListener('click', () => { if (!opened.delete(key)) opened.add(key); draw(); });
    add(tr, 'td', 'fault', first.name.includes('replay-') ? 'replay of ' + first.nemesis : first.nemesis);
    for (const x of runs) said[x.verdict] = (said[x.verdict] || 0) + 1;
    add(tr, 'td', 'said', Object.keys(said).sort().map(v => said[v] + ' ' + v).join(', '));
    add(tr, 'td', 'environment', first.environment);
    add(tr, 'td', 'look');
    return tr;
  }
  function chips(box, key) {
    const values = [...new Set(D.items.map(x => x[key]).filter(Boolean))].sort();
    if (values.join() === box.dataset.values) return;
    box.dataset.values = values.join();
    box.replaceChildren(...(values.length < 2 ? [] : values).map(v => {
      const b = document.createElement('button');
      b.type = 'button'; b.textContent = v; b.dataset.value = v;
      b.setAttribute('aria-pressed', String(picked[key] === v));
      b.addEventListener('click', () => {
        picked[key] = picked[key] === v ? '' : v;
        [...box.children].forEach(e => e.setAttribute('aria-pressed', String(e.dataset.value === picked[key])));
        draw();
      });
      return b;
    }));
  }
  function all() { chips($('verdicts'), 'verdict'); chips($('kinds'), 'kind'); draw(); }

  $('find').addEventListener('input', draw);
  document.querySelectorAll('.runs th[data-key] button').forEach(b => b.addEventListener('click', () => {
    const key = b.parentElement.dataset.key;
    sort = { key, down: sort.key === key ? !sort.down : key === 'time' };
    draw();
  }));
  document.addEventListener('keydown', e => {
    if (e.key === '/' && document.activeElement !== $('find')) { e.preventDefault(); $('find').focus(); }
    if (e.key === 'Escape' && $('find').value) { $('find').value = ''; draw(); }
  });

  // Nothing is asked while the page is hidden.
  async function refresh() {
    if (document.hidden) return;
    try {
      const r = await fetch('/api/runs', { headers: etag ? { 'If-None-Match': etag } : {}, cache: 'no-store' });
      document.body.classList.remove('gone');
      if (r.status !== 200) return;
      etag = r.headers.get('ETag') || '';
      const next = await r.json(), known = new Set(D.items.map(x => x.path));
      const changed = JSON.stringify(next) !== JSON.stringify(D);
      fresh = new Set(next.items.filter(x => !known.has(x.path)).map(x => x.path));
      D = next;
      if (changed) all();
    } catch { // the server has ended: what is shown stays
      $('more').textContent = 'lockbench serve has ended; this is what it showed last.';
    }
  }
  setInterval(refresh, 2000);
  all();
  if (D.first) refresh();
})();
