// The scripts of the pages. The pages show the same content without them.

/** Moves the edge between the picture before a step and the picture after it. */
export const pictureSliderScript = `
for (const range of document.querySelectorAll('.pair input'))
  range.addEventListener('input', () => range.closest('.pair').style.setProperty('--at', range.value + '%'));
`;

/** Search, filters, and jumps to failures and linked entries. */
export const reviewPageScript = `
const items = [...document.querySelectorAll('.entry')];
const texts = new Map();
const search = document.getElementById('search');
const show = document.getElementById('show');
const found = document.getElementById('found');
function textOf(item) {
  if (!texts.has(item)) texts.set(item, item.querySelector('details').textContent.toLowerCase());
  return texts.get(item);
}
function filter() {
  const word = search.value.trim().toLowerCase();
  const kind = show.value;
  const fits = new Set(items.filter((item) =>
    (kind === 'all' || item.dataset.is.split(' ').includes(kind)) && (word === '' || textOf(item).includes(word))));
  const visible = new Set();
  for (const item of fits) for (let at = item; at && !visible.has(at); at = at.parentElement.closest('.entry')) visible.add(at);
  for (const item of items) item.hidden = !visible.has(item);
  found.textContent = fits.size + (fits.size === 1 ? ' entry' : ' entries');
}
function reveal(item, open) {
  item.hidden = false;
  const details = item.querySelector('details');
  if (open) details.open = true;
  details.querySelector('summary').focus();
  item.scrollIntoView({ block: 'center' });
}
let timer;
search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 80); });
show.addEventListener('change', filter);
document.getElementById('next-failure').addEventListener('click', () => {
  const bad = items.filter((item) => item.dataset.is.split(' ').includes('bad'));
  if (bad.length === 0) { found.textContent = 'Nothing failed.'; return; }
  const at = bad.indexOf(document.activeElement.closest('.entry'));
  const last = Number(document.body.dataset.at ?? -1);
  const next = ((at === -1 ? last : at) + 1) % bad.length;
  document.body.dataset.at = String(next);
  reveal(bad[next], true);
});
document.getElementById('open-all').addEventListener('click', (event) => {
  const open = event.target.textContent === 'Open all';
  for (const item of items) if (!item.hidden) item.querySelector('details').open = open;
  event.target.textContent = open ? 'Close all' : 'Open all';
});
document.querySelector('#timeline .line').addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.target.tagName !== 'SUMMARY') return;
  const visible = items.filter((item) => !item.hidden);
  const next = visible[visible.indexOf(event.target.closest('.entry')) + step];
  if (next) { event.preventDefault(); next.querySelector('summary').focus(); }
});
${pictureSliderScript}function follow() {
  const item = document.getElementById(location.hash.slice(1));
  if (item?.matches('.entry')) reveal(item, true);
}
addEventListener('hashchange', follow);
if (location.hash) follow();
`;
