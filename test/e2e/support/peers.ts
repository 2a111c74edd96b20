import path from 'node:path';
import { binaryOf } from './binaries.ts';
import { freePorts, Program } from './program.ts';

/** Jaeger as `examples/jaeger/jaeger.yaml` has it. */
export interface Jaeger {
  readonly program: Program;
  /** Address of its page and its query API. */
  readonly url: string;
  /** Where the Collector sends spans. */
  readonly otlpGrpc: string;
  /** Where a program can send spans without a Collector. */
  readonly otlpHttpUrl: string;
}

/** The Collector as `otel-collector.yaml` has it. */
export interface Collector {
  readonly program: Program;
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly otlpHttpUrl: string;
  readonly metricsUrl: string;
  /** The kept traces as OTLP JSON lines. */
  readonly tracesFile: string;
}

/** Starts Jaeger on free ports. */
export async function startJaeger(
  env: Record<string, string> = {},
  config = 'examples/jaeger/jaeger.yaml',
): Promise<Jaeger> {
  const [http, grpc, query, queryGrpc, health] = await freePorts(5);
  const program = new Program({
    command: [binaryOf('jaeger'), '--config', config],
    env: {
      JAEGER_OTLP_HTTP: `127.0.0.1:${http}`,
      JAEGER_OTLP_GRPC: `127.0.0.1:${grpc}`,
      JAEGER_QUERY_HTTP: `127.0.0.1:${query}`,
      JAEGER_QUERY_GRPC: `127.0.0.1:${queryGrpc}`,
      JAEGER_HEALTH: `127.0.0.1:${health}`,
      ...env,
    },
    healthUrl: `http://127.0.0.1:${health}/status`,
  });
  await program.start();
  return {
    program,
    url: `http://127.0.0.1:${query}`,
    otlpGrpc: `127.0.0.1:${grpc}`,
    otlpHttpUrl: `http://127.0.0.1:${http}`,
  };
}

/** Starts the Collector on free ports, in front of `jaeger`; it keeps its file in `folder`. */
export async function startCollector(
  jaeger: Jaeger,
  folder: string,
  env: Record<string, string> = {},
): Promise<Collector> {
  const [http, grpc, health, metrics] = await freePorts(4);
  const tracesFile = path.join(folder, 'otel-traces.jsonl');
  const program = new Program({
    command: [binaryOf('collector'), '--config', 'otel-collector.yaml'],
    env: {
      COLLECTOR_OTLP_HTTP: `127.0.0.1:${http}`,
      COLLECTOR_OTLP_GRPC: `127.0.0.1:${grpc}`,
      COLLECTOR_HEALTH: `127.0.0.1:${health}`,
      COLLECTOR_METRICS_PORT: String(metrics),
      JAEGER_OTLP: jaeger.otlpGrpc,
      TRACES_FILE: tracesFile,
      HEALTHY_PERCENT: '100',
      DECISION_WAIT: '60s',
      DECISION_WAIT_AFTER_ROOT: '3s',
      ...env,
    },
    healthUrl: `http://127.0.0.1:${health}/`,
  });
  await program.start();
  return {
    program,
    otlpHttpUrl: `http://127.0.0.1:${http}`,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    tracesFile,
  };
}
