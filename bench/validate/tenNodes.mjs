// Creates a typical recipe with ten nodes. Recipes with different indexes differ.
export function tenNodes(index) {
  const shop = `shop-${index}`;
  const nodes = {
    'build-report': step('command', `Build the price report of ${shop}`, {
      cmd: `node report.mjs ${shop}`,
      timeout_ms: 60_000,
      next: 'check-exit',
    }),
    'check-exit': step('assert_exit_code', 'Confirm that the report was built', {
      source: 'build-report',
      expected: 0,
      proofTarget: 'AC1',
      next: 'check-output',
    }),
    'check-output': step('assert_output', 'Confirm that no price is missing', {
      source: 'build-report',
      contains: '0 missing',
      proofTarget: 'AC1',
      next: 'check-total',
    }),
    'check-total': step('assert_json', 'Verify the total of the report', {
      path: 'reports/total.json',
      assert: { path: '$.total', operator: 'gte', value: index },
      proofTarget: 'AC1',
      next: 'branch',
    }),
    branch: step('switch', 'Choose by the exit code of the report', {
      cases: [{ when: { source: 'build-report', path: '$.exitCode', operator: 'eq', value: 0 }, next: 'read-state' }],
      default: 'failed',
    }),
    'read-state': step('state_read', 'Read the number of prices', { source: 'build-report', path: '$.stdout', next: 'watch' }),
    watch: step('watch_logs', 'Look for the line that ends the report', {
      path: 'logs/report.log',
      contains: 'done',
      proofTarget: 'AC1',
      next: 'publish',
    }),
    publish: step('index_artifacts', 'Publish the report for review', {
      artifacts: ['reports/total.json'],
      proofTarget: 'AC1',
      next: 'done',
    }),
    failed: { action: 'end', status: 'fail' },
    done: { action: 'end', status: 'pass' },
  };
  return `${JSON.stringify(document(shop, nodes), null, 2)}\n`;
}

function step(action, intent, fields) {
  return { action, intent, ...fields };
}

function document(shop, nodes) {
  return {
    $schema: 'https://farmslot.io/schemas/recipe-v1.schema.json',
    schema_version: 1,
    title: `Prices of ${shop}`,
    description: 'Builds the price report and proves that it is whole.',
    proofTargets: [{ id: 'AC1', claim: `Every article of ${shop} has a price.` }],
    validate: { workflow: { entry: 'build-report', nodes } },
  };
}
