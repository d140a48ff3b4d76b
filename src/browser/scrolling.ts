// Scrolling, as it is done inside of the page. Each function runs there, so that it stands by itself.
export type Delta = { x: number; y: number };

/** Where the container is now, and how far it went. */
export type Scrolled = { x: number; y: number; moved_x: number; moved_y: number };

/** Brings the element to the middle of the view, and says where it is then. */
export const toMiddle = (element: object): { x: number; y: number; isInView: boolean } => {
  const { innerWidth, innerHeight } = globalThis as unknown as View;
  (element as Item).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = (element as Item).getBoundingClientRect();
  const isInView = x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;
  return { x: Math.round(x), y: Math.round(y), isInView };
};

/** Scrolls what a user would who points at the element; nothing when nothing there can be scrolled. */
export const scrollBy = (element: object, delta: Delta): Scrolled | undefined => {
  const { document, getComputedStyle } = globalThis as unknown as View;
  const root = document.scrollingElement ?? document.documentElement;
  const can = (item: Item): boolean => {
    const { overflowX, overflowY } = getComputedStyle(item);
    const scrolls = item === root ? /^(?!hidden|clip)/ : /auto|scroll/;
    const down = delta.y !== 0 && item.scrollHeight > item.clientHeight && scrolls.test(overflowY);
    return down || (delta.x !== 0 && item.scrollWidth > item.clientWidth && scrolls.test(overflowX));
  };
  const own = element as Item;
  const around: Item[] = [];
  for (let item: Item | null = own; item; item = item.parentElement) around.push(item);
  const inside = can(own) ? own : [...own.querySelectorAll('*')].find(can);
  // A page that fits into the view has nothing to scroll, and that is no fault of it.
  const found = inside ?? around.find(can) ?? (own === document.documentElement ? root : undefined);
  if (!found) return undefined;
  const before = { x: found.scrollLeft, y: found.scrollTop };
  found.scrollBy({ left: delta.x, top: delta.y, behavior: 'instant' });
  const { scrollLeft: x, scrollTop: y } = found;
  return { x, y, moved_x: x - before.x, moved_y: y - before.y };
};

type Box = { x: number; y: number; width: number; height: number };
type Item = {
  scrollWidth: number;
  clientWidth: number;
  scrollHeight: number;
  clientHeight: number;
  scrollLeft: number;
  scrollTop: number;
  parentElement: Item | null;
  scrollBy(options: object): void;
  scrollIntoView(options: object): void;
  getBoundingClientRect(): Box;
  querySelectorAll(selector: string): Iterable<Item>;
};
type View = {
  innerWidth: number;
  innerHeight: number;
  document: { scrollingElement: Item | null; documentElement: Item };
  getComputedStyle(item: Item): { overflowX: string; overflowY: string };
};
