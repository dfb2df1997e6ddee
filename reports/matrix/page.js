'use strict';
// Filters the matrix, moves through it by keys, and shows what is known of a cell (data.go has the shape of #data).
// Texts of the runs are only ever set as text, never as markup.
(() => {
  const D = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id), all = (s, from) => [...(from || document).querySelectorAll(s)];
  const table = $('cells'), rows = all('tbody tr', table), width = D.columns.length;
  const chosen = new Set();
  const cellAt = (r, c) => table.querySelector('td[data-r="' + r + '"][data-c="' + c + '"]');
  const survives = (r, c) => ['safe', 'minor'].some(k => cellAt(r, c).classList.contains(k));

  // ---- filter ------------------------------------------------------------------------------------------------------
  function apply() {
    const find = $('find').value.trim().toLowerCase(), only = $('survivors').checked;
    const faults = [...chosen];
    all('[data-c]', table).forEach(e => { e.hidden = faults.length > 0 && !chosen.has(+e.dataset.c); });
    let shown = 0, left = [];
    for (const tr of rows) {
      const r = +tr.dataset.r, alive = (faults.length ? faults : D.columns.map((_, i) => i)).every(c => survives(r, c));
      if (alive) left.push(D.rows[r]);
      tr.hidden = find !== '' && !tr.dataset.name.toLowerCase().includes(find) || only && !alive;
      shown += !tr.hidden;
      all('.needs tr[data-r="' + r + '"], .costs tr').forEach(e => { if (e.dataset.r === tr.dataset.r || e.dataset.lock === D.rows[r]) e.hidden = tr.hidden; });
    }
    let say = shown === rows.length ? rows.length + ' locks' : shown + ' of ' + rows.length + ' locks';
    if (faults.length) say += left.length ? '; ' + left.length + ' survive' + (left.length === 1 ? 's' : '') + ' ' + faults.map(c => D.columns[c]).join(', ') : '; none survives ' + faults.map(c => D.columns[c]).join(', ');
    $('told').textContent = say;
    const first = table.querySelector('tbody tr:not([hidden]) td:not([hidden])');
    if (first && !table.querySelector('td[tabindex="0"]:not([hidden])')) first.tabIndex = 0;
    choose();
  }
  all('.fault').forEach(b => b.addEventListener('click', () => {
    const c = +b.dataset.fault;
    if (!chosen.delete(c)) chosen.add(c);
    b.setAttribute('aria-pressed', chosen.has(c));
    apply();
  }));
  $('find').addEventListener('input', apply);
  $('survivors').addEventListener('change', apply);
  function reset() {
    chosen.clear(); $('find').value = ''; $('survivors').checked = false;
    all('.fault').forEach(b => b.setAttribute('aria-pressed', 'false'));
    apply();
  }
  $('reset').addEventListener('click', reset);

  // ---- what to use: as internal/choose chooses --------------------------------------------------------------------
  const number = id => parseFloat($(id).value) || 0;
  function choose() {
    const lease = number('lease'), short = number('work') > 0 && number('work') + number('pause') < lease,
      mode = $('must-stay').checked + 2 * $('must-fencing').checked + 4 * short;
    const asked = new Set(['none', 'crash', ...[...chosen].map(c => D.columns[c])]);
    for (const [id, fault] of [['pause', 'pause'], ['work', 'longwork']]) if (lease > 0 && number(id) >= lease) asked.add(fault);
    const strange = [...asked].filter(f => !D.columns.includes(f));
    const out = (D.choose || []).map(l => {
      const o = { l, against: [], broken: 0, open: 0, unsure: 0, breaks: [], clean: [] };
      for (const [i, id] of [[0, 'must-told'], [1, 'must-fencing']]) if ($(id).checked && l.lacks.includes(D.lacks[i])) o.against.push(D.texts[D.lacks[i]]);
      D.columns.forEach((f, c) => {
        const s = l.stands[c][mode];
        if (asked.has(f)) {
          if (s) o.against.push(D.texts[Math.abs(s)]); else o.clean.push(c);
          o.broken += s > 0; o.open += s < 0;
        } else if (s > 0 && f !== 'none') o.breaks.push(f);
        else if (s < 0 && l.proofs[c].c > 0) o.unsure++;
      });
      strange.forEach(f => o.against.push(f + ' was not run'));
      o.unable = l.unable.filter(u => !asked.has(D.columns[u[0]]));
      o.doubts = o.breaks.length + l.untried - strange.length + o.unsure + o.unable.length +
        D.columns.filter((f, c) => asked.has(f) && !l.stands[c][mode] && l.stands[c][mode & 3] > 0).length;
      return o;
    });
    out.sort((a, b) => !!a.against.length - !!b.against.length || a.l.jams - b.l.jams || a.open - b.open || a.broken - b.broken || a.against.length - b.against.length || a.doubts - b.doubts);
    const left = out.filter(o => !o.against.length), body = $('remaining').tBodies[0];
    $('decision').textContent = strange.length ? 'Not known: ' + strange.join(', ') + (strange.length === 1 ? ' was' : ' were') + ' not run.' : (left.length ? left.length : 'None') + ' of ' + out.length + (out.length === 1 ? ' lock' : ' locks') + (left.length === 1 ? ' remains' : ' remain') +
      ' under ' + [...asked].filter(f => f !== 'none').join(', ') + '.';
    const ask = [...asked].filter(f => f !== 'none' && !(f === 'crash' && !chosen.has(D.columns.indexOf(f))) && !(f === 'pause' && !chosen.has(D.columns.indexOf(f))) && !(f === 'longwork' && !chosen.has(D.columns.indexOf(f))));
    $('ask').textContent = D.verb + (ask.length ? ' --fault ' + ask.join(',') : '') + (lease ? ' --ttl ' + lease + 's' : '') + (number('pause') ? ' --longest-pause ' + number('pause') + 's' : '') +
      (number('work') ? ' --longest-work ' + number('work') + 's' : '') + ($('must-told').checked ? ' --told' : '') + ($('must-fencing').checked ? ' --fencing' : '') + ($('must-stay').checked ? ' --no-outage' : '');
    body.replaceChildren();
    for (const o of left) {
      const tr = add(body, 'tr');
      add(tr, 'th', '', o.l.name).scope = 'row';
      for (const t of [o.l.gives, o.l.needs, o.l.costs]) add(tr, 'td', '', t);
      const td = add(tr, 'td');
      o.clean.forEach((c, i) => {
        const p = o.l.proofs[c], harm = o.l.stands[c][mode & 3] > 0, a = add(td, p.h ? 'a' : 'span', '', harm ?
          D.columns[c] + ': S only if work outlasts the lease; yours does not' : p.n + ' of ' + p.n + ' of ' + D.columns[c]);
        if (p.h) a.href = p.h;
        const [command, others] = D.texts[p.c].split('  # ');
        a.title = command + ($('must-fencing').checked ? D.fenced : '') + (others ? '  # ' + others : '');
        if (i + 1 < o.clean.length) td.append(', ');
      });
      add(tr, 'td', '', o.l.out);
      add(tr, 'td', '', [...o.breaks, ...o.unable.map(u => D.columns[u[0]] + ' not tried: ' + D.texts[u[1]]), ...(o.l.untried - strange.length > 0 ? [o.l.untried - strange.length + ' not tried'] : [])].join(', ') || '–');
    }
    $('remaining').hidden = !left.length;
    $('others').replaceChildren();
    for (const o of out.slice(left.length)) { const li = add($('others'), 'li'); add(li, 'strong', '', o.l.name); li.append(': ' + o.against.join('; ')); }
  }
  all('#choose input').forEach(e => e.addEventListener('input', choose));

  // ---- one cell ----------------------------------------------------------------------------------------------------
  function add(parent, name, cls, text) {
    const e = document.createElement(name);
    if (cls) e.className = cls;
    if (text) e.textContent = text;
    parent.appendChild(e);
    return e;
  }
  function show(td) {
    const r = +td.dataset.r, c = +td.dataset.c, box = $('detail'), known = D.cells[r * width + c] || [];
    all('.chosen', table).forEach(e => e.classList.remove('chosen'));
    td.classList.add('chosen');
    box.replaceChildren();
    add(box, 'h3', '', D.rows[r] + ' under ' + D.columns[c]);
    add(box, 'p', 'what', D.lines[c]);
    const ul = add(box, 'ul');
    const said = new Set();
    for (const d of known) {
      const li = add(ul, 'li');
      add(li, 'b', '', d.l || '');
      const f = add(li, 'span', d.f, d.f + (d.e && d.f !== 'violated' ? ', expected' : !d.e && d.f === 'violated' ? ', not expected' : ''));
      if (d.n[1] > 1) f.textContent += ' (' + d.n[0] + ' of ' + d.n[1] + ')';
      const text = add(li, 'span');
      if (d.w && said.has(d.w)) text.textContent = 'The same. ';
      else if (d.w) text.textContent = D.texts[d.w] + ' ';
      said.add(d.w);
      if (d.h) { const a = add(text, 'a', '', 'report'); a.href = d.h; }
    }
    if (!known.length) add(box, 'p', '', 'Nothing was run.');
    box.hidden = false;
  }
  table.addEventListener('click', e => { const td = e.target.closest('td.cell'); if (td) { show(td); focus(td); } });
  table.addEventListener('focusin', e => { const td = e.target.closest('td.cell'); if (td) show(td); });
  function focus(td) {
    all('td[tabindex="0"]', table).forEach(e => { e.tabIndex = -1; });
    td.tabIndex = 0;
    td.focus({ preventScroll: false });
  }

  // ---- keys --------------------------------------------------------------------------------------------------------
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  table.addEventListener('keydown', e => {
    const td = e.target.closest('td.cell'), step = steps[e.key];
    if (!td || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'Enter') { const a = td.querySelector('a'); if (a) a.click(); return; }
    if (!step) return;
    e.preventDefault();
    const trs = rows.filter(r => !r.hidden), tr = td.parentElement;
    const next = trs[trs.indexOf(tr) + step[0]];
    if (!next) return;
    const tds = all('td.cell', next).filter(x => !x.hidden), here = all('td.cell', tr).filter(x => !x.hidden).indexOf(td);
    const to = tds[here + step[1]];
    if (to) focus(to);
  });
  document.addEventListener('keydown', e => {
    if (e.key === '/' && document.activeElement !== $('find')) { e.preventDefault(); $('find').focus(); }
    if (e.key === 'Escape') { reset(); $('detail').hidden = true; }
  });

  // Folded parts are printed unfolded.
  let folded = [];
  addEventListener('beforeprint', () => { folded = all('details:not([open])'); folded.forEach(d => { d.open = true; }); });
  addEventListener('afterprint', () => folded.forEach(d => { d.open = false; }));
  apply();
})();
