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

  // ---- what to use: as internal/choose chooses, in its order --------------------------------------------------------
  const number = id => parseFloat($(id).value) || 0;
  const list = a => a.length < 2 ? a.join('') : a.slice(0, -1).join(', ') + ' and ' + a[a.length - 1];
  function choose() {
    const lease = number('lease'), short = number('work') > 0 && number('work') + number('pause') < lease,
      mode = $('must-stay').checked + 2 * $('must-fencing').checked + 4 * short;
    const asked = new Set(['none', 'crash', ...[...chosen].map(c => D.columns[c])]);
    if (number('pause') > 0 && (number('work') >= lease ? 2 * number('pause') >= lease : number('pause') + number('work') >= lease)) asked.add('pause');
    if (number('work') > 0 && number('work') >= lease) asked.add('longwork');
    const demands = [$('must-told').checked, $('must-fencing').checked, asked.has('longwork')];
    const strange = [...asked].filter(f => !D.columns.includes(f));
    const out = (D.choose || []).map(l => {
      const o = { l, against: [], broken: 0, open: 0, breaks: [], clean: [] };
      demands.forEach((asks, i) => { if (asks && l.lacks.includes(D.lacks[i])) o.against.push(D.texts[D.lacks[i]]); });
      D.columns.forEach((f, c) => {
        const s = l.stands[c][mode];
        if (asked.has(f)) {
          if (s) o.against.push(D.texts[Math.abs(s)]); else o.clean.push(c);
          o.broken += s > 0; o.open += s < 0;
        } else if (s > 0 && l.breaks[c][mode & 3] && f !== 'none') o.breaks.push([f, l.breaks[c][mode & 3]]);
      });
      strange.forEach(f => { o.against.push(f + ' was not run'); o.open++; });
      const order = [...new Set(o.breaks.map(b => b[1]).filter(b => b !== 'S')), 'S'];
      o.breaks.sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]));
      const untried = l.missing - strange.length + l.unable.filter(c => !asked.has(D.columns[c])).length;
      o.rest = o.breaks.map((b, i) => (i && o.breaks[i - 1][1] === b[1] ? ', ' : '; ' + b[1] + ': ') + b[0]).join('') + (untried > 0 ? '; ?: ' + untried : '');
      // the clean runs of each fault; those of a hold that outlasts its lease were not clean
      o.proofs = o.clean.filter(c => D.columns[c] !== 'none').map(c => ({ c, harm: l.stands[c][mode & 3] > 0, n: l.proofs[c].n, h: l.proofs[c].h, command: D.texts[l.proofs[c].c] }));
      o.runs = Math.min(...o.proofs.filter(p => !p.harm && p.n > 0).map(p => p.n));
      return o;
    });
    out.sort((a, b) => !!a.against.length - !!b.against.length || a.l.level - b.l.level || a.open - b.open || a.broken - b.broken || a.against.length - b.against.length || evident(b) - evident(a));
    const left = out.filter(o => !o.against.length), best = [], under = D.columns.filter(f => f !== 'none' && asked.has(f)), body = $('remaining').tBodies[0];
    for (const o of left) if (!o.l.level && best.length < D.best && !best.some(b => b.l.family === o.l.family)) best.push(o);
    const stay = out.filter(o => !o.broken && !o.open), n = stay.length, meeting = n !== left.length ? D.answers.meeting.replace('{number}', () => left.length) :
      n && n <= D.few && !best.length ? ': ' + stay.map(o => o.l.name + ', ' + o.l.gives).join('; ') : '';
    const answer = !best.length ? (demands[0] || demands[1] ? D.answers.lacking : D.answers.none) : $('must-fencing').checked ? D.answers.fencing : $('must-told').checked ? D.answers.told : asked.has('longwork') ? D.answers.work : D.answers.other;
    $('decision').textContent = strange.length ? 'Not known: ' + strange.join(', ') + (strange.length === 1 ? ' was' : ' were') + ' not run.' :
      answer.replace('{lock}', () => best[0].l.name).replace('{faults}', () => list(under)).replace('{kept}', () => under.some(f => f.startsWith('failover')) ? D.answers.kept : '') + ' ' + n + ' of the ' + out.length + (out.length === 1 ? ' lock' : ' locks') + ' that were measured stay' + (n === 1 ? 's' : '') + ' clean under ' + list(under) + meeting + '.';
    const ask = [...asked].filter(f => f !== 'none' && !(f === 'crash' && !chosen.has(D.columns.indexOf(f))) && !(f === 'pause' && !chosen.has(D.columns.indexOf(f))) && !(f === 'longwork' && !chosen.has(D.columns.indexOf(f))));
    $('ask').textContent = D.verb + (ask.length ? ' --fault ' + ask.join(',') : '') + (lease ? ' --ttl ' + lease + 's' : '') + (number('pause') ? ' --longest-pause ' + number('pause') + 's' : '') +
      (number('work') ? ' --longest-work ' + number('work') + 's' : '') + ($('must-told').checked ? ' --told' : '') + ($('must-fencing').checked ? ' --fencing' : '') + ($('must-stay').checked ? ' --no-outage' : '');
    body.replaceChildren();
    for (const o of best) {
      const tr = add(body, 'tr');
      add(tr, 'th', '', o.l.name).scope = 'row';
      for (const t of [o.l.gives, o.l.costs]) add(tr, 'td', '', t);
      const td = add(tr, 'td', '', evidence(o)), proofs = add(td, 'span', 'proofs');
      for (const p of o.proofs) {
        const a = add(proofs, p.h ? 'a' : 'span', '', p.harm ?
          D.columns[p.c] + ': S only if work outlasts the lease; yours does not' : D.columns[p.c]);
        if (p.h) a.href = p.h;
        const [command, others] = p.command.split('  # ');
        a.title = command + o.l.flags[mode & 3] + (others ? '  # ' + others : '');
      }
    }
    $('remaining').hidden = !best.length;
    const letters = o => o.clean.flatMap(c => [...o.l.unjudged[c][mode & 3]]), open = best.filter(o => letters(o).length);
    $('unjudged').textContent = open.length ? D.answers.unjudged.replace('{letters}', () => list([...new Set(open.flatMap(letters))].sort())).replace('{locks}', () => list(open.map(o => o.l.name))) : '';
    $('others').replaceChildren();
    for (const o of out.filter(o => !best.includes(o))) {
      const li = add($('others'), 'li');
      add(li, 'strong', '', o.l.name);
      li.append(': ' + (o.against.length ? o.against.join('; ') : 'clean here: ' + evidence(o)));
    }
  }
  const evident = o => !o.against.length && isFinite(o.runs) ? o.runs : 0;
  const evidence = o => (isFinite(o.runs) ? o.runs + ' of ' + o.runs : '–') + o.rest;
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
