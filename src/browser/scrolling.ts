// Functions that scroll. They run in the page, so they must not use anything outside themselves.

export type Delta = { x: number; y: number };

/** The new scroll offset of the container, and how far it scrolled. */
type ScrollResult = { x: number; y: number; moved_x: number; moved_y: number };

/** Returns the new position of the element. */
export const scrollToMiddle = (element: object): { x: number; y: number; isInView: boolean } => {
  const { innerWidth, innerHeight } = globalThis as unknown as ScrollWindow;
  (element as ScrollElement).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = (element as ScrollElement).getBoundingClientRect();
  const isInView = x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;
  return { x: Math.round(x), y: Math.round(y), isInView };
};

/** Scrolls the container that a mouse wheel over the element would scroll. Undefined when nothing there can be scrolled. */
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
  // Scrolling the whole page is no error when the page fits into the window.
  const container = descendant ?? ancestors.find(canScroll) ?? (start === document.documentElement ? root : undefined);
  if (!container) return undefined;
  const before = { x: container.scrollLeft, y: container.scrollTop };
  container.scrollBy({ left: delta.x, top: delta.y, behavior: 'instant' });
  const { scrollLeft: x, scrollTop: y } = container;
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
