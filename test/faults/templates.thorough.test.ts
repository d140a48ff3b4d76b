// Values in references are never expanded again (F12), and secrets appear in no file, stream or command line (F40, F45).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../src/registry/setup.js';
import { cliProject } from '../support/cli.js';
import { hitsIn, leakChannels, leakySetup, secretFiles, secretInputs } from '../support/leakChannels.js';
import { ownAction } from '../support/ownSetup.js';
import { filesBelow } from '../support/packages.js';
import { recipeOf, withIntents } from '../support/plain.js';
import { runExtended } from '../support/runExtended.js';

describe('F12 strings that look like references', () => {
  const payloads = [
    ...[
      '{{inputs.y}}',
      '{{params.y}}',
      '{{y}}',
      '{{outputs.show.value}}',
      '{{saved.y}}',
      '{{item}}',
      '{{state:cart}}',
      '{{env.HOME}}',
    ],
    ...[
      '{{inputs.__proto__}}',
      '{{inputs.constructor}}',
      '{{constructor.name}}',
      '{{toString}}',
      '{{inputs.x.length}}',
      '{{inputs.list.-1}}',
    ],
    ...[
      '{{7*7}}',
      '{{ inputs.y | upper }}',
      "{{inputs['y']}}",
      '{{inputs..y}}',
      '{{INPUTS.y}}',
      '{{{inputs.y}}}',
      '{{#each y}}{{/each}}',
    ],
    ...[
      ['$', '{7*7}'].join(''),
      '#{7*7}',
      '<%= 7*7 %>',
      '{% if 1 %}',
      '$(id)',
      '`id`',
      '%24%28id%29',
      '\\u007b\\u007binputs.y}}',
      '{{inputs.y',
    ],
  ];
  const setup = defineSetup({ actions: [ownAction('shop.show', ({ value }) => ({ output: { value } }))] });
  const show = (value: unknown, next = 'done') => ({ action: 'shop.show', value, next });
  const canary = 'Expanded-Canary';

  test('30 input values that look like references reach fields, shells and flows unchanged', async () => {
    expect(new Set(payloads).size).toBe(30);
    const flow = {
      entry: 'in',
      nodes: { ...withIntents({ in: show(['{{params.p}}', '<{{params.p}}>']) }), done: { action: 'end', status: 'pass' } },
    };
    const flows = {
      'f.show': { version: 1, description: 'Shows', paramsSchema: { properties: { p: { type: 'string' } } }, workflow: flow },
    };
    const nodes = {
      show: show(['{{inputs.x}}', '<{{x}}>'], 'say'),
      say: { action: 'command', cmd: 'printf %s {{inputs.x}}', next: 'call' },
      call: { action: 'call', ref: 'f.show', params: { p: '{{inputs.x}}' }, next: 'done' },
    };
    const recipe = recipeOf(nodes, { inputs: { x: 'x', y: canary, list: [1] }, flows });
    for (const payload of payloads) {
      const { trace, summary } = await runExtended(recipe, { setup, inputs: { x: payload } });
      expect([payload, summary.status]).toEqual([payload, 'pass']);
      const both = { value: [payload, `<${payload}>`] };
      expect(trace.slice(0, 3).map(({ output }) => output)).toMatchObject([both, { stdout: payload }, both]);
    }
  });

  test('30 authored strings that look like references are expanded as declared, left unchanged, or refused', async () => {
    const declared = new Map([
      ['{{inputs.y}}', canary],
      ['{{y}}', canary],
      ['{{{inputs.y}}}', `{${canary}}`],
    ]);
    let refusedCount = 0;
    for (const payload of payloads) {
      const recipe = recipeOf({ show: show(payload) }, { inputs: { x: 'x', y: canary, list: [1] } });
      const { trace, exitCode } = await runExtended(recipe, { setup });
      if (exitCode === 2) refusedCount++;
      else if (trace[0]?.ok === false) expect(trace[0].error).toContain(`The reference ${payload} has no value.`);
      else expect([payload, trace[0]?.output]).toEqual([payload, { value: declared.get(payload) ?? payload }]);
    }
    expect(refusedCount).toBeGreaterThan(8);
  });
});

describe('F40 secrets in the package and on the streams of the command line', () => {
  test.for(Object.entries(leakChannels))(
    'no file of the package and no stream has the secrets that leak through %s',
    async ([, [nodes, rest = {}]]) => {
      const { dir, run } = cliProject({
        ...secretFiles,
        'setup.mjs': leakySetup,
        'a.recipe.json': recipeOf(nodes, { inputs: secretInputs, ...rest }),
      });
      const { stdout, stderr } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--setup', 'setup.mjs');
      const files = filesBelow(join(dir, 'out'));
      expect(files).toContain('summary.json');
      expect(hitsIn(`${stdout}${stderr}`)).toEqual([]);
      const contents = files.map((name) => `${name}\n${readFileSync(join(dir, 'out', name), 'latin1')}`);
      for (const [index, content] of contents.entries()) expect([files[index], hitsIn(content)]).toEqual([files[index], []]);
      // The mask proves that the secret was there and was masked.
      expect(contents.join('\n')).toContain('[secret:');
    },
  );
});

test.skipIf(process.platform !== 'linux')('F45 no command line of any process has a secret during 20 runs', async () => {
  const found = new Set<string>();
  const knownCommandLines = new Set<string>();
  let samples = 0;
  let running = true;
  const sample = (): void => {
    for (const pid of readdirSync('/proc')) if (/^\d+$/.test(pid)) searchCommandLine(pid);
    samples++;
    if (running) setTimeout(sample, 2);
  };
  const searchCommandLine = (pid: string): void => {
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (knownCommandLines.has(commandLine)) return;
      knownCommandLines.add(commandLine);
      for (const hit of hitsIn(commandLine)) found.add(hit);
    } catch {
      // ENOENT or ESRCH: the process has ended in the meantime.
    }
  };
  sample();
  const env = { A: '{{a}}', C: '{{c}}' };
  const nodes = {
    n: { action: 'command', cmd: 'sleep 0.05; cat', env, stdin: '{{b}}', next: 'm' },
    m: { action: 'command', argv: ['sleep', '0.05'], env, next: 'done' },
  };
  // On a busy machine, more than 20 runs are needed for a hundred samples.
  for (let run = 0; run < 20 || samples <= 100; run++) {
    const { summary } = await runExtended(recipeOf(nodes, { inputs: secretInputs }), { files: secretFiles });
    expect(summary.status).toBe('pass');
  }
  running = false;
  expect(samples).toBeGreaterThan(100);
  expect([...found]).toEqual([]);
});
