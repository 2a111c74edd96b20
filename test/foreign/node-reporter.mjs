// A reporter for node:test: one JSON line for each test, named by its file and the suites around it.
export default async function* foreignReporter(events) {
  /** The suites that are open in each file, outermost first. */
  const open = new Map();
  for await (const { type, data } of events) {
    const { file = '', name, nesting = 0 } = data ?? {};
    const titles = open.get(file) ?? [];
    if (type === 'test:start') {
      open.set(file, [...titles.slice(0, nesting), name]);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const isSuite = data.details?.type === 'suite';
      // A suite fails with its tests; alone it fails when a hook of its own does.
      if (isSuite && (type === 'test:pass' || data.details.error?.failureType === 'subtestsFailed')) continue;
      const skipped = data.skip !== undefined || data.todo !== undefined;
      const outcome = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
      yield `${JSON.stringify({ file, title: [...titles.slice(0, nesting), name].join(' > '), outcome })}\n`;
    }
  }
}
