'use strict';
// Inflates what page.Pack has compressed. The page's policy allows the script of the timeline by its hash.
window.unpack = id => {
  const packed = Uint8Array.from(atob(JSON.parse(document.getElementById(id).textContent)), c => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
};
(async () => {
  const script = document.createElement('script');
  script.textContent = await unpack('drawing');
  document.body.append(script);
})().catch(() => { document.getElementById('tl').textContent = 'This browser is too old to draw the timeline. The hold chart below shows the same times.'; });
