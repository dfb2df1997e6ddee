// All texts and marks of the timeline whose contrast to what is behind them is too low, as "what ratio".
(() => {
	const px = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	const rgb = (colour, behind) => {
		px.clearRect(0, 0, 1, 1);
		for (const c of [behind, colour]) { if (c) { px.fillStyle = c; px.fillRect(0, 0, 1, 1); } }
		return [...px.getImageData(0, 0, 1, 1).data];
	};
	const lum = c => c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
	const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
	const css = getComputedStyle(document.documentElement), page = css.getPropertyValue('--page').trim();
	const band = css.getPropertyValue('--band').trim();
	const low = new Set(), see = (what, colour, behind, need) => {
		if (!colour || colour === 'none' || /rgba\(.*, 0\)/.test(colour) || colour.startsWith('url')) return 99;
		return ratio(rgb(colour, behind), rgb(behind, page));
	};
	const check = (what, need, ...rs) => { const r = Math.max(...rs.filter(r => r < 99)); if (r < need) low.add(what + ' ' + r.toFixed(2)); };
	for (const e of document.querySelectorAll('.tlsvg text')) {
		const cls = e.getAttribute('class') || '', fill = getComputedStyle(e).fill;
		const behind = cls.includes('inbar') ? css.getPropertyValue('--ok') : cls.includes('bothtext') ? css.getPropertyValue('--bad') :
			cls.includes('inkey') ? css.getPropertyValue('--key') : null;
		for (const back of behind ? [behind.trim()] : [page, band]) check('text ' + cls, 4.5, see(cls, fill, back));
	}
	const marks = '.hold, .key, .wait, .x, .lease, .leaseend, .killmark, .lostmark, .gapmark, .extendmark, .role, .bandedge, .lasting, .tick, .bothframe, .cursor, .over';
	for (const e of document.querySelectorAll(marks.split(', ').map(m => '.tlsvg ' + m).join(', '))) {
		const s = getComputedStyle(e), cls = e.getAttribute('class');
		const solid = cls.split(' ')[0] === 'hold' || cls === 'key' || cls === 'lostmark';
		for (const back of [page, band]) check('mark ' + cls, 3, see(cls, s.stroke, back), solid ? see(cls, s.fill, back) : 99);
	}
	for (const e of document.querySelectorAll('#steps .steplist li, #steps td, #steps th, .legend li, .tools button')) {
		check('text ' + e.tagName + '.' + e.className, 4.5, see('', getComputedStyle(e).color, page));
	}
	return [...low];
})()
