import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(packageJson));

const SHOWN = ['name', 'version', 'description', 'keywords', 'license'];
const INSTALLED = ['type', 'engines', 'exports', 'bin', 'files', 'sideEffects', 'peerDependencies', 'dependencies'];

it('package.json has what npm shows of a package and what installs need', () => {
  expect([...SHOWN, ...INSTALLED].filter((name) => fields.get(name) === undefined)).toEqual([]);
  expect(packageJson.version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});

it('is published for everybody, with where and from what it was built', () => {
  expect(packageJson.publishConfig).toEqual({ access: 'public', provenance: true });
});

// `npm run release:check` says so while it is missing: provenance needs it, and nobody can make it up.
it('names its repository in the form that provenance compares, once it names one', () => {
  const url = expect.stringMatching(/^git\+https:\/\/[^/]+\/[^/]+\/[^/]+\.git$/);
  expect([undefined, { type: 'git', url }]).toContainEqual(fields.get('repository'));
});

it('asks for nothing to be run, and for no package that only development needs, when it is installed', () => {
  expect(Object.keys(packageJson.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  expect(Object.keys(packageJson.dependencies)).toEqual(['@opentelemetry/instrumentation', 'zod']);
  expect(Object.keys(packageJson.peerDependencies)).toEqual(['@opentelemetry/api']);
});

it('says types before what is run, and the default last: a condition that matches ends the search', () => {
  for (const [path, entry] of Object.entries(packageJson.exports)) {
    if (typeof entry === 'string') continue;
    const conditions = Object.keys(entry);
    expect(conditions.indexOf('types'), path).toBeLessThan(conditions.indexOf('default'));
    expect(conditions.at(-1), path).toBe('default');
  }
});

it('the lock has the same name, version and ranges', () => {
  const { name, version, dependencies, peerDependencies, engines } = lock.packages[''];
  const { name: ownName, version: ownVersion } = packageJson;
  expect({ name, version }).toEqual({ name: ownName, version: ownVersion });
  expect(dependencies).toEqual(packageJson.dependencies);
  expect(peerDependencies).toEqual(packageJson.peerDependencies);
  expect(engines).toEqual(packageJson.engines);
});
