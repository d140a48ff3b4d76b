// In a process of Vitest that documents share: whether one left it as it was. If it did not, the next gets another process.
import { isSignalListener } from '../../system/processes/processEvents.js';
import { type RestAnswer, restAsked } from './poolWire.js';
import { timersOfVitest } from './timersOfVitest.js';

type Globals = Map<PropertyKey, PropertyDescriptor | undefined>;

/** `active`: what keeps the process busy. `listeners`: those of `process`. */
type Look = { env: string; globals: Globals; active: Map<string, number>; listeners: Map<string, number> };

type Kept = { before?: Look; exit?: typeof process.exit; isListening?: true; isSettled?: true };

const mostBytes = 512 * 1024 * 1024;
/** What is being closed takes a moment. */
const looks = 20;
const pauseMs = 10;

const kept = keptByProcess();

/** Called when the module of a document is loaded. The first time, Vitest has just put its guard in the place of `process.exit`. */
export function answerWhetherAtRest(): void {
  if (typeof process === 'undefined' || typeof process.send !== 'function') return;
  // Vitest 4 takes the guard away after the first file.
  kept.exit ??= process.exit;
  process.exit = kept.exit;
  if (!kept.isListening) listen(process.send.bind(process));
  kept.before ??= look();
}

function listen(send: (answer: RestAnswer) => boolean): void {
  kept.isListening = true;
  process.on('message', (message) => {
    if (Object(message).recipewright === restAsked.recipewright)
      void isAsBefore().then((isAtRest) => send({ recipewright: 'rest', isAtRest }));
  });
}

/** What the setup module loads and sets is there for every document that follows. */
export function settle(): void {
  if (kept.isSettled || !kept.isListening) return;
  kept.isSettled = true;
  kept.before = look();
}

function keptByProcess(): Kept {
  const key = Symbol.for('recipewright.vitest.atRest');
  const shared = globalThis as { [key]?: Kept };
  shared[key] ??= {};
  return shared[key];
}

async function isAsBefore(): Promise<boolean> {
  const { before } = kept;
  for (let left = looks; before && left > 0; left--) {
    // A promise that was left alone is told of first.
    await new Promise<void>((resolve) => void setTimeout(resolve, left === looks ? 0 : pauseMs).unref());
    const now = look();
    const isChanged =
      now.env !== before.env || !areSame(now.listeners, before.listeners) || !areSame(now.globals, before.globals);
    if (isChanged || process.memoryUsage.rss() > mostBytes) return false;
    if ([...now.active].every(([name, count]) => count <= (before.active.get(name) ?? 0))) return true;
  }
  return false;
}

function look(): Look {
  const { VITEST_WORKER_ID: _, VITEST_POOL_ID: __, ...env } = process.env;
  const active = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) active.set(name, (active.get(name) ?? 0) + 1);
  active.set('Timeout', (active.get('Timeout') ?? 0) - timersOfVitest());
  const names = Reflect.ownKeys(globalThis).filter((name) => !String(name).startsWith('__vitest'));
  return {
    env: JSON.stringify([process.cwd(), process.exitCode, env]),
    globals: new Map(names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)])),
    active,
    listeners: listenersOfOthers(),
  };
}

function listenersOfOthers(): Map<string, number> {
  const counts = process.eventNames().map((name) => {
    const others = process.listeners(name as 'exit').filter((listener) => !isSignalListener(listener));
    return [String(name), others.length] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
}

function areSame<V>(now: Map<PropertyKey, V>, before: Map<PropertyKey, V>): boolean {
  return now.size === before.size && [...now].every(([key, value]) => isSame(value, before.get(key)));
}

/** Numbers, or properties. */
function isSame(now: unknown, before: unknown): boolean {
  const [a = {}, b = {}] = [now, before].map((value) => Object(value) as PropertyDescriptor);
  if (typeof now !== 'object') return now === before;
  // Node loads some of its own when they are first asked for.
  const value = b.get && !a.get ? b.get.call(globalThis) : b.value;
  return Object.is(a.value, value) && (a.get === b.get || !a.get) && (a.set === b.set || !a.set);
}
