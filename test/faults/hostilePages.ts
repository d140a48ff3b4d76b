// Pages that try to leave the hosts of their flow, each in another way. A page calls tried() after its attempt.

/** Waits with a timer of the page, which a busy machine slows down like everything else. */
const tried = `<script>const tried = () => setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id="tried">tried</p>'), 300)</script>`;

export function hostilePage(html: string): string {
  const ends = html.includes('tried()') ? '' : '<script>tried()</script>';
  return `<title>start</title><body>here ${tried}${html}${ends}</body>`;
}

const script = (code: string): string => `<script>${code.replaceAll('</script>', '</scr" + "ipt>')}</script>`;
const later = (code: string): string => script(`setTimeout(() => { ${code} }, 50)`);

/** Each navigates the page, or a page that it opens, to a path of the canary. */
export function navigations(evil: string): Record<string, string> {
  return {
    '/link': `<a id="a" href="${evil}/link">x</a>${later('a.click()')}`,
    '/form': `<form id="f" method="post" action="${evil}/form"><input name="q" value="1"></form>${later('f.submit()')}`,
    '/meta': `<meta http-equiv="refresh" content="0;url=${evil}/meta">`,
    '/302': later("location = '/302'"),
    '/302#chain': later("location = '/chain'"),
    '/popup': script(`window.open('${evil}/popup')`),
    '/302#popup': script("window.open('/chain')"),
    '/js': later(`location.replace('${evil}/js')`),
    '/redirected': script(
      "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => setTimeout(() => { location = '/away'; tried() }, 100))",
    ),
    '/noopener': `<a id="a" target="_blank" rel="noopener" href="${evil}/noopener">x</a>${script('a.click()')}`,
    '/later': script(`const w = window.open('about:blank'); setTimeout(() => { w.location = '${evil}/later' }, 50)`),
    '/second': script(`window.open('/?html=' + encodeURIComponent("<script>window.open('${evil}/second')</script>"))`),
    '/written': script(
      `const w = window.open(''); w.document.write('<meta http-equiv="refresh" content="0;url=${evil}/written">'); w.document.close()`,
    ),
    '/form-window': `<form id="f" target="_blank" method="post" action="${evil}/form-window"><input name="q"></form>${script('f.submit()')}`,
    '/from-frame': `<iframe srcdoc="<script>top.location = '${evil}/from-frame'</script>"></iframe>`,
    '/based': `<base href="${evil}/"><a id="a" href="based">x</a>${later('a.click()')}`,
    '/api': later(`navigation.navigate('${evil}/api')`),
  };
}

/** Frames and sockets, which do not navigate the page itself. */
export function framesAndSockets(evil: string): Record<string, string> {
  const socket = evil.replace('http', 'ws');
  return {
    'frame /frame': `<iframe src="${evil}/frame"></iframe>`,
    'frame /302': '<iframe src="/chain"></iframe>',
    'frame /inner': `<iframe srcdoc="<iframe src='${evil}/inner'></iframe>"></iframe>`,
    'frame /object': `<object data="${evil}/object"></object>`,
    'frame /embed': `<embed type="text/html" src="${evil}/embed">`,
    'frame /self': `<iframe srcdoc="<meta http-equiv='refresh' content='0;url=${evil}/self'>"></iframe>`,
    'frame /data': `<iframe src="data:text/html,<script>location='${evil}/data'</script>"></iframe>`,
    'frame /blob': `<iframe id="i"></iframe>${script(`i.src = URL.createObjectURL(new Blob(["<script>location='${evil}/blob'</script>"], { type: 'text/html' }))`)}`,
    'frame /sandbox': `<iframe sandbox="allow-scripts" srcdoc="<script>location='${evil}/sandbox'</script>"></iframe>`,
    'socket /socket': script(`new WebSocket('${socket}/socket')`),
    'socket /framed': `<iframe srcdoc="<script>new WebSocket('${socket}/framed')</script>"></iframe>`,
    'socket /worker': script("new Worker('/worker.js').onmessage = () => tried()"),
  };
}

/** The worker sends a message when its socket has closed. */
export function workerScript(evil: string): string {
  return `new WebSocket('${evil.replace('http', 'ws')}/worker').onclose = () => postMessage('tried')`;
}

export function serviceWorkerScript(evil: string): string {
  return `
    self.addEventListener('install', () => self.skipWaiting());
    self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    self.addEventListener('fetch', (event) => {
      if (event.request.url.includes('/away')) event.respondWith(Response.redirect('${evil}/redirected'));
      if (event.request.url.includes('/by-worker')) event.respondWith(fetch('${evil}/fetched', { mode: 'no-cors' }));
    });`;
}
