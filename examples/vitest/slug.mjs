// Converts the title of an article to the last part of its address, a slug.
import { pathToFileURL } from 'node:url';

export function slugOf(title) {
  return title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [title = ''] = process.argv.slice(2);
  if (title.trim() === '') {
    console.error('An article needs a title.');
    process.exitCode = 2;
  } else console.log(slugOf(title));
}
