// Looks at every event and decision of a run and throws at the first decision that breaks a rule of the engine.

import type { Decision } from '../../src/engine/advanceRun.js';
import type { Limits } from '../../src/engine/limits.js';
import type { Region } from '../../src/engine/plan.js';
import type { NodeRun, RunEvent, SettledEvent, Task } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';
import { claim } from './claim.js';
import { Room, worst } from './regionModel.js';
import { again, list, type Wanted } from './runRequest.js';

type Ended = { run: NodeRun; event: SettledEvent };

export class Watch {
  private readonly rooms = new Map<string, Room>();
  private readonly known = new Set<string>();
  private readonly flying = new Map<string, NodeRun>();
  private readonly recovering = new Map<string, Ended>();
  private starts = 0;
  private ending: Status | undefined;
  /** The codes one of which the run has to give, none for a run that ends by itself or is aborted. */
  private reasons: string[] = [];
  private isOver = false;

  constructor(
    private readonly region: Region,
    private readonly limits: Limits,
  ) {}

  see(event: RunEvent, decision: Decision): void {
    claim(!this.isOver, 'nothing happens after the run is done');
    const wasEnding = this.ending !== undefined;
    const room = this.roomOf(event);
    const wanted = this.hear(room, event);
    this.seeStarts(room, wanted, decision.tasks);
    this.seeFinishes(room, decision.tasks);
    this.seeCancel(decision, wasEnding);
    this.seeDone(room, decision);
  }

  private roomOf(event: RunEvent): Room {
    if (event.t === 'start') return this.openRoom('', new Room(this.region, undefined, 0));
    if (event.t === 'stop') return this.roomAt(undefined);
    const run = this.flightAt(event.path);
    if (event.t === 'entered' && run.node.body) return this.openRoom(run.path, new Room(run.node.body, run, event.items ?? 0));
    return this.roomAt(run.parent);
  }

  private hear(room: Room, event: RunEvent): Wanted[] | undefined {
    if (event.t === 'stop') return this.stop(event.reason.code);
    if (event.t !== 'settled') return this.mayStart(room) ? room.opening() : [];
    const run = this.flightAt(event.path);
    this.flying.delete(event.path);
    room.inFlight.delete(event.path);
    const recovered = this.recovering.get(event.path);
    const isWell = event.status === 'pass' || event.status === 'skip';
    if (recovered)
      return isWell && this.mayStart(room) ? [again(recovered.run)] : this.fail(room, withRecovery(recovered, event));
    if (isWell) return this.goOn(room, { run, event });
    const triesLeft = !event.final && run.attempt + 1 < run.node.attempts;
    return triesLeft && this.mayStart(room) ? this.tryAgain(run, event) : this.fail(room, { run, event });
  }

  private stop(reason: string): Wanted[] {
    if (this.ending === undefined) this.reasons = [reason];
    this.ending ??= 'unknown';
    return [];
  }

  private tryAgain(run: NodeRun, event: SettledEvent): Wanted[] {
    if (!run.node.recover) return [again(run)];
    const path = `${run.path}/${run.node.recover.id}`;
    this.recovering.set(path, { run, event });
    return [{ path, visit: 1, input: undefined }];
  }

  private fail(room: Room, { run, event }: Ended): Wanted[] | undefined {
    if (run.node.onFail === 'continue' && !event.final) return this.goOn(room, { run, event });
    const status: Status = event.status === 'skip' ? 'pass' : event.status;
    room.status = worst(room.status, status);
    room.stopped = true;
    if (run.node.onFail === 'abort') this.ending = worst(this.ending ?? 'pass', status);
    return [];
  }

  // A walk that reaches its end while the run is ending has reached it all the same.
  private goOn(room: Room, { run, event }: Ended): Wanted[] | undefined {
    const wanted = room.following(run, event);
    return this.mayStart(room) ? wanted : [];
  }

  private seeStarts(room: Room, wanted: Wanted[] | undefined, tasks: readonly Task[]): void {
    const runs = tasks.filter((task) => task.do === 'run').map((task) => task.run);
    if (wanted) claim(runs.length === 0 || list(runs) === list(wanted), `"${list(wanted)}" starts, and not "${list(runs)}"`);
    for (const task of tasks) if (task.do !== 'finish') this.seeStart(room, task);
    const due = wanted ? wanted.slice(runs.length) : this.mayStart(room) ? room.due() : [];
    if (due.length > 0) this.starve(due);
    claim(room.inFlight.size <= room.width, `at most ${room.width} in flight in ${room.owner?.path ?? 'the root'}`);
    claim(this.starts <= this.limits.stepsPerRun, `no more than ${this.limits.stepsPerRun} runs start`);
  }

  // Runs that belong to one decision are withdrawn together, so the budget is compared with all that are due.
  private starve(due: readonly Wanted[]): void {
    const outOfSteps = this.starts + due.length > this.limits.stepsPerRun;
    const outOfVisits = due.some(({ visit }) => visit > this.limits.visitsPerNode);
    claim(outOfSteps || outOfVisits, `"${list(due)}" starts, being within all budgets`);
    this.reasons = [...(outOfSteps ? ['run.too_many_steps'] : []), ...(outOfVisits ? ['run.too_many_visits'] : [])];
    this.ending = 'fail';
  }

  private seeStart(room: Room, { do: as, run }: Task): void {
    claim(this.mayStart(room), `${run.path} does not start: its region was stopped, or the run is ending`);
    claim(run.parent === room.owner?.path, `${run.path} starts in the region something happened in`);
    claim(!this.known.has(run.path), `${run.path} is named once only`);
    this.known.add(run.path);
    const isFirst = run.attempt === 0 && !this.recovering.has(run.path);
    if (isFirst) this.visit(room, run);
    if (isFirst && as !== 'finish') room.dag?.begin(run.node.id, as);
    if (as === 'skip') claim(room.region.kind === 'dag', `${run.path} is skipped in a dag`);
    else this.takeOff(room, run);
    claim(
      as === 'skip' || run.visit <= this.limits.visitsPerNode,
      `${run.path} is within its ${this.limits.visitsPerNode} visits`,
    );
  }

  private takeOff(room: Room, run: NodeRun): void {
    claim(run.attempt < run.node.attempts, `${run.path} is one of ${run.node.attempts} attempts`);
    this.starts++;
    this.flying.set(run.path, run);
    room.inFlight.add(run.path);
  }

  private visit(room: Room, { node, item, visit, path }: NodeRun): void {
    const label = item === undefined ? node.id : `${node.id}[${item}]`;
    claim(visit === (room.visits.get(label) ?? 0) + 1, `${path} counts its visits one by one`);
    room.visits.set(label, visit);
    room.begun++;
  }

  private seeFinishes(room: Room, tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (task.do !== 'finish') continue;
      const { path } = task.run;
      claim(this.flying.has(path) && this.rooms.get(path) === room, `${path} finishes when something happened in its body`);
      claim(!room.over && room.inFlight.size === 0, `${path} is told to finish once, after its children`);
      const inside = [...this.flying.keys()].filter((other) => other.startsWith(`${path}/`));
      claim(inside.length === 0, `${path} is told to finish after all that is inside it`);
      this.closeRoom(room, task.body);
    }
  }

  private closeRoom(room: Room, status: Status): void {
    room.over = true;
    const path = room.owner?.path ?? 'the root';
    const expected = worst(room.status, this.ending ?? 'pass');
    claim(status === expected, `${path} is over with ${expected}, and not ${status}`);
    claim(!this.mayStart(room) || room.complete, `${path} is over after all its children`);
  }

  // Cancelled is what has no body, has not been entered yet, or was told to finish before; not what is told just now.
  private seeCancel({ cancel, tasks }: Decision, wasEnding: boolean): void {
    const isNow = this.ending !== undefined && !wasEnding;
    const finishing = new Set(tasks.filter((task) => task.do === 'finish').map((task) => task.run.path));
    const withBody = new Set([...this.rooms.values()].filter((room) => !room.over).map((room) => room.owner?.path));
    const due = isNow ? [...this.flying.keys()].filter((path) => !withBody.has(path) && !finishing.has(path)) : [];
    claim(due.sort().join() === [...cancel].sort().join(), `"${due}" are cancelled, and not "${cancel}"`);
  }

  private seeDone(room: Room, { done }: Decision): void {
    claim(room.inFlight.size > 0 || room.over || done !== undefined, 'a region with nothing in flight is over');
    if (!done) return;
    this.isOver = true;
    claim(this.flying.size === 0, 'the run is done when nothing is in flight');
    this.closeRoom(room, done.status);
    const reasons: (string | undefined)[] = this.reasons.length > 0 ? this.reasons : [undefined];
    claim(reasons.includes(done.reason?.code), `the reason is ${reasons.join(' or ')}, and not ${done.reason?.code}`);
  }

  private mayStart(room: Room): boolean {
    return this.ending === undefined && !room.stopped;
  }

  private openRoom(path: string, room: Room): Room {
    claim(!this.rooms.has(path), `${path} is entered once`);
    this.rooms.set(path, room);
    return room;
  }

  private roomAt(path: string | undefined): Room {
    const room = this.rooms.get(path ?? '');
    if (!room) throw new Error(`${path} has no body.`);
    return room;
  }

  private flightAt(path: string): NodeRun {
    const run = this.flying.get(path);
    if (!run) throw new Error(`The performer speaks of ${path}, which is not in flight.`);
    return run;
  }
}

function withRecovery({ run, event }: Ended, recovery: SettledEvent): Ended {
  if (event.status === 'skip' || recovery.status === 'skip') return { run, event };
  const isFinal = recovery.final && recovery.status !== 'pass';
  return { run, event: { ...event, status: worst(event.status, recovery.status), ...(isFinal ? { final: true } : {}) } };
}
