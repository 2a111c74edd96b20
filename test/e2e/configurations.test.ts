import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { binaryOf } from './support/binaries.ts';

/** A configuration, and the program that has its components. */
const VALIDATED = [
  ['otel-collector.yaml', 'collector'],
  ['examples/jaeger/jaeger.yaml', 'jaeger'],
  ['examples/scale/jaeger-badger.yaml', 'jaeger'],
  ['examples/scale/jaeger-elasticsearch.yaml', 'jaeger'],
  ['examples/scale/collector-to-kafka.yaml', 'jaeger'],
  ['examples/scale/collector-from-kafka.yaml', 'jaeger'],
] as const;
const GATEWAY = 'examples/scale/collector-gateway.yaml';

async function validate(peer: 'jaeger' | 'collector', config: string): Promise<{ code: number; said: string }> {
  return await new Promise((resolve) => {
    execFile(binaryOf(peer), ['validate', '--config', config], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, said: stdout + stderr });
    });
  });
}

/** Gives a configuration as text to a program. */
async function validateText(peer: 'jaeger' | 'collector', text: string): ReturnType<typeof validate> {
  return await validate(peer, `yaml:${text}`);
}

describe('the real programs take', () => {
  it.each(VALIDATED)('%s', async (config, peer) => {
    const { code, said } = await validate(peer, config);
    expect(code, said).toBe(0);
  });

  it.each(VALIDATED)('%s, and not with a fault in it', async (config, peer) => {
    const text = readFileSync(config, 'utf8');
    expect((await validateText(peer, text)).code).toBe(0);
    const broken = text.replace(/^service:$/m, 'service:\n  no_such_key: 1');
    expect(await validateText(peer, broken)).toMatchObject({ code: 1, said: expect.stringContaining('no_such_key') });
  });

  it('the gateway, all but its exporter, which no program here has', async () => {
    const text = readFileSync(GATEWAY, 'utf8');
    const { exporters, ...rest } = parse(text);
    expect(exporters.loadbalancing.routing_key).toBe('traceID');
    expect(Object.keys(exporters.loadbalancing.resolver)).toEqual(['dns']);
    expect(rest.service.pipelines.traces.processors).not.toContain('batch');
    const { otlp } = exporters.loadbalancing.protocol;
    const replaced = { ...rest, exporters: { otlp: { endpoint: 'sampling-collectors:4317', ...otlp } } };
    replaced.service.pipelines.traces.exporters = ['otlp'];
    const { code, said } = await validateText('collector', JSON.stringify(replaced));
    expect(code, said).toBe(0);
  });
});

it('whoever reads from Kafka decides as otel-collector.yaml does', () => {
  const policiesOf = (file: string) => parse(readFileSync(file, 'utf8')).processors.tail_sampling.policies;
  const readers = JSON.stringify(policiesOf('examples/scale/collector-from-kafka.yaml'));
  const own = JSON.stringify(policiesOf('otel-collector.yaml')).replaceAll('span.attributes', 'attributes');
  expect(readers).toBe(own.replaceAll('spanevent.name', 'name'));
});

/** Neither is what the rest needs; where there is one, it reads the file too. */
const COMPOSE = [['docker', 'compose'], ['docker-compose']].find(
  ([program = '', ...args]) => spawnSync(program, [...args, 'version']).status === 0,
);

describe('docker-compose.yml', () => {
  it.skipIf(COMPOSE === undefined)('is one to the program that reads it', () => {
    const [program = '', ...args] = COMPOSE ?? [];
    const { status, stderr } = spawnSync(program, [...args, 'config', '--quiet'], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  const compose = parse(readFileSync('docker-compose.yml', 'utf8'));

  it('waits for each part until it is well, and mounts what is there', () => {
    for (const [name, service] of Object.entries<Record<string, Record<string, unknown>>>(compose.services)) {
      for (const [other, how] of Object.entries(service.depends_on ?? {})) {
        expect(compose.services, name).toHaveProperty(other);
        const { condition } = Object(how);
        if (condition === 'service_healthy') expect(compose.services[other]).toHaveProperty('healthcheck');
      }
      for (const volume of Object.values(service.volumes ?? {}).map(String)) {
        const [from = ''] = volume.split(':');
        if (from !== './' && from !== './out') expect(() => readFileSync(from)).not.toThrow('ENOENT');
      }
    }
    expect(Object.keys(compose.services)).toEqual(['jaeger', 'collector', 'collector-health', 'rollouts']);
    expect(compose.services.jaeger.ports).toEqual(['127.0.0.1:16686:16686']);
  });

  it('sets only variables that the configurations read', () => {
    const read = ['otel-collector.yaml', 'examples/jaeger/jaeger.yaml'].map((file) => readFileSync(file, 'utf8'));
    for (const [service, file] of [
      ['collector', read[0]],
      ['jaeger', read[1]],
    ] as const) {
      const names = Object.keys(compose.services[service].environment);
      expect(names.length).toBeGreaterThan(3);
      for (const name of names) expect(file).toContain(`\${env:${name}:-`);
    }
  });
});

it('each link of Jaeger’s page leads to a search for the id beside it', () => {
  const { linkPatterns } = JSON.parse(readFileSync('examples/jaeger/jaeger-ui.json', 'utf8'));
  expect(linkPatterns.length).toBeGreaterThanOrEqual(16);
  for (const { type, key, url, text } of linkPatterns) {
    expect(['logs', 'tags']).toContain(type);
    const address = new URL(url.replace(`#{${key}}`, '0123abc'), 'http://jaeger');
    expect(address.pathname).toBe('/search');
    const searched = key === 'nemo.gym.rollout.id' ? key : 'nemo.gym.failure.event_id';
    expect(JSON.parse(address.searchParams.get('tags') ?? '')).toEqual({ [searched]: '0123abc' });
    expect(text).toContain(address.searchParams.get('service'));
  }
  const services = new Set(
    linkPatterns.map(({ url }: { url: string }) => new URL(url, 'http://jaeger').searchParams.get('service')),
  );
  expect([...services]).toEqual(['collector', 'agent', 'resources', 'model']);
});
