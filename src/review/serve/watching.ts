// A served page that looks again when what it tells of has changed.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { changeMark } from '../../system/files.js';

/** What a page asks for to learn whether it is out of date, after its own address. */
export const changedQuery = '?changed';

/** Another text whenever one of the files that a page is made from is another. */
export function changedIn(dir: string): string {
  return ['journal.jsonl', 'summary.json', 'suite.json', ''].map((name) => changeMark(join(dir, name))).join(' ');
}

const script = `
const before = sessionStorage.getItem('open:' + location.pathname);
for (const id of before ? JSON.parse(before) : []) document.getElementById(id)?.querySelector('details')?.setAttribute('open', '');
let seen;
async function look() {
  try {
    const answer = await fetch(location.pathname + '${changedQuery}', { cache: 'no-store' });
    const now = answer.ok ? await answer.text() : seen;
    if (seen !== undefined && now !== seen) {
      const open = [...document.querySelectorAll('.entry')].filter((item) => item.querySelector('details').open).map(({ id }) => id);
      sessionStorage.setItem('open:' + location.pathname, JSON.stringify(open));
      location.reload();
      return;
    }
    seen = now;
  } catch {
    document.title = '(not served any more) ' + document.title.replace(/^\\(.*?\\) /, '');
  }
  setTimeout(look, 1000);
}
look();
`;

/** The page is allowed one more script, ours, and to ask us. */
export function watching(page: string): string {
  const allowed = `connect-src &#39;self&#39;; script-src &#39;sha256-${hash('sha256', script, 'base64')}&#39; `;
  return page.replace('script-src ', allowed).replace('</body>', `<script>${script}</script></body>`);
}
