// Writes the CPU time of a process, including its start, when the process exits.
const { appendFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
  appendFileSync(process.env.BENCH_RESULTS, `${JSON.stringify({ isWorker, cpuMs: (user + system) / 1_000 })}\n`);
});
