/** The resources server: sessions, the sandbox's tool, and the verification with a judge. Express. */
import { createServer } from 'node:http';
import express, { type Request } from 'express';
import { NgFailureEvent, sandboxFailure } from 'opentelemetry-instrumentation-nemo-gym';
import { z } from 'zod';
import { answerError } from './answer-error.ts';
import { verify } from './judge.ts';
import { runInSandbox } from './sandbox.ts';
import { serve } from './serve.ts';
import { taskSchema } from './task.ts';

const router = express.Router({ mergeParams: true });

router.post('/seed_session', (request, response) => {
  const { script } = taskSchema.parse(request.body);
  if (script.session === 'expired') {
    throw new NgFailureEvent({
      boundary: 'resources_server',
      failureKind: 'session_expired',
      failureReason: 'The pool took the session back before it was seeded',
      stage: 'seed',
      operation: 'seed_session',
    });
  }
  response.json({});
});

router.post('/run_command', async (request, response) => {
  const { command } = z.object({ command: z.string() }).parse(request.body);
  const exit = await runInSandbox(command);
  if (exit.signal !== null) {
    throw sandboxFailure({
      operation: 'exec',
      // The sandbox tells that it was killed and not by whom: nothing is inferred.
      failureKind: 'kill_shaped',
      reason: `The sandbox ended by ${exit.signal} while it ran "${command}"`,
      stage: 'agent',
      provider: 'child_process',
      providerStatusReason: exit.signal,
    });
  }
  response.json({ output: exit.output, exit_code: exit.exitCode });
});

router.post('/verify', async (request: Request<{ rolloutId: string }>, response) => {
  const body = z.looseObject({ ...taskSchema.shape, response: z.looseObject({}) }).parse(request.body);
  response.json(await verify(body, request.params.rolloutId));
});

router.post('/close_session', (request, response) => {
  const { script } = taskSchema.parse(request.body);
  if (script.session === 'not_released') {
    throw new NgFailureEvent({
      boundary: 'resources_server',
      failureKind: 'session_release_failed',
      failureReason: 'The pool did not take the session back',
      stage: 'cleanup',
      operation: 'close_session',
    });
  }
  response.json({});
});

const app = express();
app.get('/livez', (_request, response) => void response.send('ok'));
app.use(express.json({ limit: '10mb' }));
app.use('/ng-rollout/:rolloutId', router);
app.use(answerError);
serve(createServer(app));
