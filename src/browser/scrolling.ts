// Scrolling, as it is done inside of the page. Each function runs there, so that it stands by itself.
export type Delta = { x: number; y: number };

/** Where the container is now, and how far it went. */
type ScrollResult = { x: number; y: number; moved_x: number; moved_y: number };

/** Brings the element to the middle of the view, and says where it is then. */
export const scrollToMiddle = (element: object): { x: number; y: number; isInView: boolean } => {
  const { innerWidth, innerHeight } = globalThis as unknown as ScrollWindow;
  (element as ScrollElement).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = (element as ScrollElement).getBoundingClientRect();
  const isInView = x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;
  return { x: Math.round(x), y: Math.round(y), isInView };
};

/** Scrolls what a user would who points at the element; nothing when nothing there can be scrolled. */
export const scrollBy = (element: object, delta: Delta): ScrollResult | undefined => {
  const { document, getComputedStyle } = globalThis as unknown as ScrollWindow;
  const root = document.scrollingElement ?? document.documentElement;
  const canScroll = (item: ScrollElement): boolean => {
    const { overflowX, overflowY } = getComputedStyle(item);
    const scrolls = item === root ? /^(?!hidden|clip)/ : /auto|scroll/;
    const down = delta.y !== 0 && item.scrollHeight > item.clientHeight && scrolls.test(overflowY);
    return down || (delta.x !== 0 && item.scrollWidth > item.clientWidth && scrolls.test(overflowX));
  };
  const start = element as ScrollElement;
  const ancestors: ScrollElement[] = [];
  for (let item: ScrollElement | null = start; item; item = item.parentElement) ancestors.push(item);
  const descendant = canScroll(start) ? start : [...start.querySelectorAll('*')].find(canScroll);
  // A page that fits into the view has nothing to scroll, and that is no fault of it.
  const found = descendant ?? ancestors.find(canScroll) ?? (start === document.documentElement ? root : undefined);
  if (!found) return undefined;
  const before = { x: found.scrollLeft, y: found.scrollTop };
  found.scrollBy({ left: delta.x, top: delta.y, behavior: 'instant' });
  const { scrollLeft: x, scrollTop: y } = found;
  return { x, y, moved_x: x - before.x, moved_y: y - before.y };
};

type Box = { x: number; y: number; width: number; height: number };
type ScrollElement = {
  scrollWidth: number;
  clientWidth: number;
  scrollHeight: number;
  clientHeight: number;
  scrollLeft: number;
  scrollTop: number;
  parentElement: ScrollElement | null;
  scrollBy(options: object): void;
  scrollIntoView(options: object): void;
  getBoundingClientRect(): Box;
  querySelectorAll(selector: string): Iterable<ScrollElement>;
};
type ScrollWindow = {
  innerWidth: number;
  innerHeight: number;
  document: { scrollingElement: ScrollElement | null; documentElement: ScrollElement };
  getComputedStyle(item: ScrollElement): { overflowX: string; overflowY: string };
};
