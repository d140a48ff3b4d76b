import { expect, test } from 'vitest';
import { cases, dag, inTurn, node, nodes, play, side, to, walk } from './play.js';

test('a failed node is retried until its attempts are used up', () => {
  const run = play(inTurn(node('a', { attempts: 3 }), node('b')));
  run.start();
  expect(run.fail('a')).toEqual(['run a@1']);
  expect(run.unknown('a@1')).toEqual(['run a@2']);
  expect(run.fail('a@2')).toEqual(['done fail']);
});

test('a node passes when one of its attempts passes', () => {
  const run = play(inTurn(node('a', { attempts: 3 }), node('b')));
  run.start();
  run.fail('a');
  expect(run.pass('a@1')).toEqual(['run b']);
});

test('a node that was stopped from outside is neither retried nor tolerated', () => {
  const run = play(inTurn(node('a', { attempts: 3, onFail: 'continue' }), node('b')));
  run.start();
  expect(run.fail('a', { final: true })).toEqual(['done fail']);
});

test('a recovery that was stopped from outside fails its node, even with onFail "continue"', () => {
  const run = play(inTurn(node('a', { attempts: 3, onFail: 'continue', recover: node('r') }), node('b')));
  run.start();
  run.fail('a');
  expect(run.unknown('a/r', { final: true })).toEqual(['done fail']);
});

test('a recovery runs between two attempts', () => {
  const run = play(inTurn(node('a', { attempts: 3, recover: node('r') })));
  run.start();
  expect(run.fail('a')).toEqual(['run a/r']);
  expect(run.pass('a/r')).toEqual(['run a@1']);
  expect(run.fail('a@1')).toEqual(['run a@1/r']);
  expect(run.skip('a@1/r')).toEqual(['run a@2']);
  expect(run.fail('a@2')).toEqual(['done fail']);
});

test('a failed recovery ends the attempts of its node, and is itself neither retried nor tolerated', () => {
  const run = play(inTurn(node('a', { attempts: 3, recover: node('r', { attempts: 2, onFail: 'continue' }) }), node('b')));
  run.start();
  run.fail('a');
  expect(run.fail('a/r')).toEqual(['done fail']);
});

test('a recovery may have a body', () => {
  const run = play(inTurn(node('a', { attempts: 2, recover: node('r', { body: inTurn(...nodes('x')) }) })));
  run.start();
  run.fail('a');
  expect(run.enter('a/r')).toEqual(['run a/r/x']);
  expect(run.pass('a/r/x')).toEqual(['finish a/r: pass']);
  expect(run.pass('a/r')).toEqual(['run a@1']);
});

test('each attempt of a node runs its body again, under the path of that attempt', () => {
  const run = play(inTurn(node('g', { attempts: 2, body: inTurn(...nodes('a')) })));
  run.start();
  run.enter('g');
  run.fail('g/a');
  expect(run.fail('g')).toEqual(['run g@1']);
  expect(run.enter('g@1')).toEqual(['run g@1/a']);
});

test('attempts and recoveries count as steps', () => {
  const run = play(inTurn(node('a', { attempts: 2, recover: node('r') })), { stepsPerRun: 2 });
  run.start();
  run.fail('a');
  expect(run.pass('a/r')).toEqual(['done fail: The run took 2 steps, the limit.']);
});

test('no further attempt starts in a region that a failure stopped', () => {
  const run = play(side(2, node('a'), node('b', { attempts: 2 })));
  run.start();
  run.fail('a');
  expect(run.fail('b')).toEqual(['done fail']);
});

test('a node stays failed when its recovery passes in a stopped region', () => {
  const run = play(side(2, node('a'), node('b', { attempts: 2, recover: node('r') })));
  run.start();
  run.fail('b');
  run.unknown('a');
  expect(run.pass('b/r')).toEqual(['done fail']);
});

test('a failed node stays failed when its recovery ends as unknown', () => {
  const run = play(inTurn(node('a', { attempts: 2, recover: node('r') })));
  run.start();
  run.fail('a');
  expect(run.unknown('a/r')).toEqual(['done fail']);
});

test('after a tolerated failure the case and edges of the node count, not those of its failed recovery', () => {
  const options = { onFail: 'continue', attempts: 2, recover: node('r') } as const;
  const walkRun = play(
    walk(node('a', { ...options, next: cases({ bad: 'b', default: 'c' }) }), node('b', { next: to('c') }), node('c')),
  );
  walkRun.start();
  walkRun.fail('a', { case: 'bad' });
  expect(walkRun.fail('a/r')).toEqual(['run b']);
  const dagRun = play(dag([node('a', options), ...nodes('bc')], 'a ? b', 'a ? c'));
  dagRun.start();
  dagRun.fail('a', { fired: [0] });
  expect(dagRun.fail('a/r', { fired: [1] })).toEqual(['run b', 'skip c']);
});
