// Vitest reports what changed ten times a second at most, so that a timer of its own is still there when a file is over. It is no recipe's.
type Timer = { _idleNext?: Timer; _onTimeout?: unknown; hasRef?(): boolean };

const everyMs = 100;
/** As Vitest 4 and Vitest 5 write it. Of another one nothing is wrong: whoever asks waits until the timer is over. */
const texts = ['()=>call.bind(this)(...args)', '()=>{pendingCall=void0;call.apply(this,args);}'];

/** Node keeps timers of the same length in one ring. */
export function timersOfVitest(): number {
  const probe = setTimeout(() => undefined, everyMs);
  let found = 0;
  for (let timer = (probe as Timer)._idleNext; timer && timer !== (probe as Timer); timer = timer._idleNext)
    if (timer.hasRef?.() && texts.includes(String(timer._onTimeout).replace(/\s/g, ''))) found++;
  clearTimeout(probe);
  return found;
}
